"""Text written by others, put between fences that it cannot open, close or imitate."""

import re
from collections.abc import Mapping

TAGS = (
    "summary",
    "evidence",
    "item",
    "preferences",
    "unavailable",
    "capabilities",
    "capability",
    "pending",
    "context",
    "now",
    "message",
)
_LESS = "<＜﹤〈‹"
_FENCE = re.compile(rf"[{_LESS}](?=[\s/\\]*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
# A key inside a text would be one that the brief never gave.
_KEY = re.compile(r"\[(\s*r\d{1,4}(?:\s*[,;]\s*r\d{1,4})*\s*)\]")


def fence(tag: str, body: str, attributes: Mapping[str, str] | None = None) -> str:
    """``body`` in a block of its own. Body and attributes are data, neutralised by ``as_data``."""
    words = "".join(f' {name}="{_attribute(value)}"' for name, value in (attributes or {}).items() if value)
    return f"<{tag}{words}>\n{body}\n</{tag}>"


def as_data(text: str) -> str:
    """``text`` without anything that could be taken for a fence or a citation key."""
    return _KEY.sub(r"(\1)", _FENCE.sub("(", text))


def _attribute(value: str) -> str:
    return " ".join(as_data(value).replace('"', "'").replace("<", "(").replace(">", ")").split())
