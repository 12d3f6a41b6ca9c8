"""One field of a record as a sentence, with its date."""

import re

from agencycore.ai.builtin.language import human_date, sentences, stems
from agencycore.ai.builtin.replies import full_stop
from agencycore.refs import ProjectedField

_EVENT_STEMS = frozenset(stems("activity contact change signal evidence call meeting email goal found created closed"))
_MISSING = re.compile(r"^(?:not (?:recorded|known|set|available)|unknown|none|n/a|-+|–|—)?\.?$", re.IGNORECASE)
_NOTHING = re.compile(r"^(?:no|nobody|nothing|none)\b.*\b(?:recorded|yet|open|known)\b[^.]*\.?$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"^(?:yes|no|it|they|does|do|did|is|are|matches|nobody|nothing|there|has|have|not|cannot|can|may)\b|[:“\"]|"
    r"\b(?:is|are|was|were|has|have|changed|set to|removed|matches|match)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"^(?:yes|no)\b[,.:;]", re.IGNORECASE)
# A value that goes on from its record's name: “Does not match …”, “Expected to close on …”.
_VERB = re.compile(r"^(?:does|matches|has|is|was|expected|closed|may|can|cannot)\b", re.IGNORECASE)
_VERBS = {"expected": "is expected"}
_PARTICIPLE = re.compile(r"^\w+(?:ed|nd) (?:by|from|in|at|with)$")
_JOINTS = {"contact": "with", "activity": "on", "change": "on"}
# Field names that are no nouns: an activity was when, by whom, about whom.
_CONNECTORS = {
    "about": "{label} is about {value}",
    "by": "{label} was logged by {value}",
    "when": "{label} was on {value}",
}
# Longer values are clauses, not names of something.
LONGEST_NAME = 8
_LEAD = re.compile(r"^(?:last|earlier|latest|previous)\s+", re.IGNORECASE)


def is_missing(value: str) -> bool:
    """Whether the value says that there is none: "", “Not recorded.”, “No contact is recorded.”"""
    return bool(_MISSING.match(value) or _NOTHING.match(value))


def family_name(name: str) -> str:
    """ "change" for “Last change” and “Earlier change” alike."""
    return _LEAD.sub("", name).lower()


def field_sentence(label: str, field: ProjectedField) -> str:
    """One field as a sentence: “The owner of Acme is Dana Whitfield, since 3 March 2026.”"""
    value, name = field.value.strip(), _in_sentence(field.name)
    if _MISSING.match(value):
        return f"The record of {label} has no {name}."
    if _NOTHING.match(value):
        return f"{value.rstrip('.')} for {label}." if value.endswith("recorded.") else full_stop(f"{label}: {value}")
    if _YES_NO.match(value) or name == "description":
        return full_stop(f"{label}: {value}")
    head, *rest = sentences(value)
    when = when_words(field)
    dated = f", {when}" if when else ""
    if _LEAD.match(field.name):
        was = f" was {when}" if when else ""
        return full_stop(f"The {name} {_joint(name)} {label}{was}: {value}")
    if verb := _VERB.match(head):
        spoken = f"{_VERBS.get(verb.group().lower(), verb.group().lower())}{head[verb.end() :].rstrip('.')}"
        return " ".join([f"{label} {spoken}{dated}.", *map(full_stop, rest)])
    if name in _CONNECTORS:
        return full_stop(_CONNECTORS[name].format(label=label, value=value.rstrip(".")))
    if _PARTICIPLE.match(name):
        return full_stop(f"{label} was {name} {value}")
    if len(head.split()) > LONGEST_NAME or _CLAUSE.search(head):
        return full_stop(f"{field.name} {_joint(name)} {label}{dated}: {value}")
    return " ".join([f"The {name} of {label} is {head.rstrip('.')}{dated}.", *map(full_stop, rest)])


def _joint(name: str) -> str:
    return next((word for noun, word in _JOINTS.items() if name.endswith(noun)), "of")


def when_words(field: ProjectedField) -> str:
    if field.when is None or human_date(field.when) in field.value:
        return ""
    return f"{'on' if is_event(field) else 'since'} {human_date(field.when)}"


def is_event(field: ProjectedField) -> bool:
    """Whether the field tells something that happened on its day, and not what has been so since then."""
    return bool(_EVENT_STEMS & set(stems(field.name)))


def _in_sentence(name: str) -> str:
    return name if name[:2].isupper() and name[:2].isalpha() else name[:1].lower() + name[1:]
