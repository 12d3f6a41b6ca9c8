"""What is asked in a long message: the question before or after a pasted text, without that text."""

import re

# A shorter message is read as a whole.
LONG_MESSAGE = 1_000
LONGEST_QUESTION = 300
# So many sentences at either end may be the question; what stands between is what it is about.
AT_EITHER_END = 2

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？])|\s*\n\s*")
_QUESTION = re.compile(r"[?？؟][\"”’)]*$")


def asked_part(message: str) -> str:
    """The questions at the ends of a long ``message``, each once; the whole of it where none stand there."""
    if len(message) <= LONG_MESSAGE:
        return message
    parts = [part.strip() for part in _SENTENCE_END.split(message) if part.strip()]
    ends = [*parts[:AT_EITHER_END], *parts[AT_EITHER_END:][-AT_EITHER_END:]]
    asked = [part for part in ends if _QUESTION.search(part) and len(part) <= LONGEST_QUESTION]
    return " ".join(dict.fromkeys(asked)) or message
