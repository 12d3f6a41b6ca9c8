"""A sentence taken apart: the statements in it, and the clauses of a statement.

A full stop ends a statement whatever follows it, so that a claim cannot hide before a small letter.
"""

import re

from chat.frontdoor.sentences import ends_in_abbreviation

_END = re.compile(r"[.!?…]+[\"'”’»)*_`\]]*(?:\s+|(?=[A-Z])|$)|[。！？]|[;\n]\s*")
_JOINT = re.compile(
    r"\s*,\s*|\s+[–—-]+\s+|:\s+|\s+(?=(?:and|but|or|nor|so|then|yet|while|und|et)\b)|\s+&\s+", re.IGNORECASE
)
# Bare numbers in brackets and the number of a list item stand in no clause.
_NUMBERING = re.compile(r"[\[(]\d{1,4}[\])]|(?:^|(?<=\n))[\s>*+_-]*\d{1,3}[.)](?=\s)")
_INTERJECTION = re.compile(
    r"^\W*(?:(?:sure|ok|okay|yes|yep|no(?=\s*[,.!:–—-])|right|great|certainly|of\s+course|alright|all\s+right|good\s+news|perfect|absolutely|"
    r"no\s+problem|thanks|thank\s+you|hello|hi)\b[\s,.!:–—-]+)+",
    re.IGNORECASE,
)


def statements(text: str) -> list[str]:
    """What ``text`` says one after the other, each with its end and without the word of courtesy before it."""
    text = _NUMBERING.sub(" ", text)
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if match[0].startswith(".") and ends_in_abbreviation(text[: match.start() + 1]):
            continue
        found.append(text[start : match.end()])
        start = match.end()
    stripped = (_INTERJECTION.sub("", statement).strip() for statement in [*found, text[start:]])
    return [statement for statement in stripped if statement]


def clauses(statement: str) -> list[str]:
    """The clauses of ``statement``, each with the word that joins it to the one before."""
    return [clause for clause in _JOINT.split(statement) if clause.strip()]
