"""A rolling summary without a model: what was asked, what was answered in short, and what was done."""

import re
from collections.abc import Sequence

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import sentences, shortened
from agencycore.ai.types import PromptMessage

BYTES_PER_TOKEN = 4
ASKED_LENGTH = 140
ANSWERED_LENGTH = 180

_MARKS = re.compile(r"\s*\[r?\d+\]")


def summarise(previous: str, messages: Sequence[PromptMessage], max_tokens: int) -> str:
    """The earlier summary's lines and one line for each exchange, the oldest dropped where room is short."""
    lines = [*(line for line in previous.splitlines() if line.strip()), *_exchanges(messages)]
    limit = max(0, max_tokens) * BYTES_PER_TOKEN
    kept: list[str] = []
    size = 0
    for line in reversed(lines):
        size += len(line.encode()) + 1
        if size > limit:
            break
        kept.append(line)
    if not kept and lines:
        return lines[-1].encode()[:limit].decode(errors="ignore").strip()
    return "\n".join(reversed(kept))


def _exchanges(messages: Sequence[PromptMessage]) -> list[str]:
    lines: list[str] = []
    for message in messages:
        text = harmless(_MARKS.sub("", message.text))
        if not text:
            continue
        if message.role == "user":
            lines.append(f"- The member asked: {shortened(text, ASKED_LENGTH)}")
        elif lines and lines[-1].startswith("- The member asked:"):
            lines[-1] += f" → {shortened(_gist(text), ANSWERED_LENGTH)}"
        else:
            lines.append(f"- The assistant said: {shortened(_gist(text), ANSWERED_LENGTH)}")
    return lines


def _gist(text: str) -> str:
    found = sentences(text)
    return found[0] if found else text
