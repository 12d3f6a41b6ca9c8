"""The ports through the openai SDK: OpenAI itself, and servers that speak its protocol."""

from agencycore.ai.openai.embedder import OpenAIEmbedder
from agencycore.ai.openai.responder import OpenAIResponder

__all__ = ["OpenAIEmbedder", "OpenAIResponder"]
