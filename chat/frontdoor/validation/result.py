"""How a check ends."""

from dataclasses import dataclass
from typing import TypeAlias

from chat.frontdoor.decision import Decision


@dataclass(frozen=True, slots=True)
class Valid:
    """``rejected_refs`` are keys and refs the brief lacks, ``notes`` what was taken out and why."""

    decision: Decision
    rejected_refs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invalid:
    """``reasons`` are sentences for the model that is asked again, and for the audit."""

    reasons: tuple[str, ...]
    rejected_refs: tuple[str, ...] = ()


Validation: TypeAlias = Valid | Invalid
