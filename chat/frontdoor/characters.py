"""Which characters of a model's words may be stored and shown."""

import re

# Controls but newline and tab; lone surrogates; overrides of reading direction; invisible tag
# characters, which carry hidden text; byte order marks and other non-characters.
_REFUSED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\uffff\U000e0000-\U000e0fff]"
)


def clean_characters(text: str) -> str:
    """``text`` without characters that are invisible, dangerous, or cannot be stored."""
    return _REFUSED.sub("", text)


def on_one_line(text: str, length: int) -> str:
    """Clean ``text`` on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(clean_characters(text.replace("\u2028", " ").replace("\u2029", " ")).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
