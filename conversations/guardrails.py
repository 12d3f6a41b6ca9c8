"""What may be said: the length and the characters of a message."""

import unicodedata

from agencycore.errors import ProductError
from conversations.models import MESSAGE_MAX_LENGTH

KEPT_CONTROLS = {"\n", "\t"}


class InvalidMessage(ProductError):
    code = "invalid_message"


def clean_message_text(text: str) -> str:
    """``text`` trimmed and without control characters; raises InvalidMessage with words for the person.

    Lone surrogates go as well: the database cannot store them.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(character for character in unified if _is_allowed(character)).strip()
    if not any(map(_is_seen, kept)):
        raise InvalidMessage("Write a message first.")
    if len(kept) > MESSAGE_MAX_LENGTH:
        raise InvalidMessage(
            f"That message has {len(kept):,} characters; the longest is {MESSAGE_MAX_LENGTH:,}. "
            "Shorten it, or upload the text as a document and ask about it."
        )
    return kept


def _is_seen(character: str) -> bool:
    """Spaces, joiners and marks of direction alone are no message."""
    return not character.isspace() and unicodedata.category(character) != "Cf"


def _is_allowed(character: str) -> bool:
    return character in KEPT_CONTROLS or unicodedata.category(character) not in {"Cc", "Cs"}
