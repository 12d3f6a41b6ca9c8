"""The line a message is sent with: the date, the page, the records in scope."""

import datetime
import zoneinfo
from collections.abc import Iterable, Sequence

from agencycore.refs import ResourceRef
from chat.context.items import kind_words
from chat.context.tokens import one_line

LABEL_LENGTH = 60
NAMED_RECORDS = 8


def build_preamble(
    *, now: datetime.datetime, time_zone: str, page: ResourceRef | None, scope: Sequence[ResourceRef]
) -> str:
    """The preamble of a message. Labels are the readers' and stand in quotes: they are data."""
    day = now.astimezone(zoneinfo.ZoneInfo(time_zone))
    parts = [f"Today is {day:%A}, {day.day} {day:%B %Y} ({time_zone})."]
    parts.append(f"Page: {_named(page)}." if page else "Page: none.")
    parts.append(f"In scope: {_listed(scope)}.")
    return " ".join(parts)


def shown_preambles(sent: Sequence[str], current: str) -> list[str]:
    """What of the preambles that past messages were sent with stands in the prompt now.

    A preamble that repeats the one before is left out, and so is every copy of the current one but
    the last if that is still in force: together with the rule that the new message omits its own
    where it stands in the history, each prompt holds the current one exactly once.
    """
    shown = _changes(sent)
    last = max((index for index, preamble in enumerate(shown) if preamble == current), default=-1)
    is_in_force = last >= 0 and not any(shown[last + 1 :])
    return _changes(
        "" if preamble == current and not (is_in_force and index == last) else preamble
        for index, preamble in enumerate(shown)
    )


def _changes(preambles: Iterable[str]) -> list[str]:
    """The preambles where they differ from the one before, "" where they do not."""
    shown: list[str] = []
    in_force = ""
    for preamble in preambles:
        shown.append(preamble if preamble != in_force else "")
        in_force = preamble or in_force
    return shown


def _listed(scope: Sequence[ResourceRef]) -> str:
    if not scope:
        return "none"
    named = ", ".join(map(_named, scope[:NAMED_RECORDS]))
    more = len(scope) - NAMED_RECORDS
    return f"{named} and {more} more" if more > 0 else named


def _named(ref: ResourceRef) -> str:
    label = one_line(ref.label, LABEL_LENGTH).replace('"', "'")
    return f'{kind_words(ref.kind)} "{label}"'
