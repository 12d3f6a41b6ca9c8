"""What a reply was made without, in one quiet line each."""

from collections.abc import Mapping, Sequence
from typing import cast

from agencycore.ai.types import SourceName
from chat.frontdoor import speech
from chat.models import Turn


def notes_on(turn: Turn, reports: Sequence[Mapping[str, object]], text: str) -> tuple[str, ...]:
    """Sources that could not be read or only in part, and a spent limit that ``text`` itself does not name."""
    notes = [*_unavailable(reports), *_degraded(reports)]
    if turn.fallback == Turn.Fallback.LIMIT and speech.LIMIT_REACHED not in text:
        notes.append(speech.LIMIT_REACHED)
    return tuple(notes)


def _unavailable(reports: Sequence[Mapping[str, object]]) -> list[str]:
    missing = [cast(SourceName, report["name"]) for report in reports if report["state"] == "unavailable"]
    return [speech.made_without(missing)] if missing else []


def _degraded(reports: Sequence[Mapping[str, object]]) -> list[str]:
    """A source's own words for what it had to do without."""
    return [str(report["reason"]) for report in reports if report["state"] == "degraded" and report["reason"]]
