"""What a model's reply must be before anything acts on it, checked in code for every adapter."""

from chat.frontdoor.validation.reply import validate
from chat.frontdoor.validation.result import Invalid, Valid, Validation

__all__ = ["Invalid", "Valid", "Validation", "validate"]
