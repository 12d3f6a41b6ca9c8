"""Questions that the checks ask about a brief."""

import re
from collections.abc import Iterable

from agencycore.ai.types import BriefItem, ContextBrief, MessageClass, SourceName
from agencycore.refs import ResourceRef
from chat.context.query import stands_alone
from chat.frontdoor import speech
from chat.frontdoor.characters import on_one_line

SPEECH_ACTS: frozenset[MessageClass] = frozenset({"greeting", "thanks", "farewell", "about_assistant"})
FREE_OF_CITATIONS: frozenset[MessageClass] = SPEECH_ACTS | {"conversation"}
EVIDENCE_SOURCES: tuple[SourceName, ...] = ("application", "runs", "definitions", "knowledge")
PRODUCT_SOURCES = frozenset({"knowledge", "definitions"})
BUSINESS_SOURCES = frozenset({"application", "runs", "definitions"})
UNRESOLVED_AT_MOST = 8
UNRESOLVED_LENGTH = 300

_PREFERENCE_WORDS = re.compile(
    r"prefer|remember|memor|my settings|favou?r|what do you know about me|bevorzug|merk|gemerkt|préf|souvien|rappel|"
    r"recuerd|ricord|lembr|voorkeur|onthoud|you (?:like|asked|want)|your (?:organi[sz]ation|team) (?:asks|likes|wants)",
    re.IGNORECASE,
)
_PRODUCT_QUESTION = re.compile(
    r"\bwhat (?:does|do) .{1,60}\bmeans?\b|\bwhat is meant by\b|\bhow (?:does|do) .{1,60}\bworks?\b|"
    r"\bwhat can agencycore\b|\bwhat is (?:an? )?agencycore\b|\bdefin(?:e|ition of)\b",
    re.IGNORECASE,
)
_NAMELESS_WORDS = """
    none nothing null n/a na unknown unresolved something anything other others misc todo tbd missing information data
    context answer question it this that
"""
_NAMES_NOTHING = frozenset(_NAMELESS_WORDS.split())


def is_about_preferences(text: str) -> bool:
    return bool(_PREFERENCE_WORDS.search(text))


def asks_about_product(brief: ContextBrief) -> bool:
    """A question of what the product means or does, whatever record it was asked beside."""
    return bool(_PRODUCT_QUESTION.search(brief.message))


def pending_clarify(brief: ContextBrief) -> BriefItem | None:
    """The question of ours that this message answers; None where it leaves that question aside."""
    pending = next((item for item in brief.of("conversation") if item.kind == "pending_clarify"), None)
    if pending is None or (stands_alone(brief.message) and not _picks_an_option(brief.message, pending)):
        return None
    return pending


def _picks_an_option(message: str, pending: BriefItem) -> bool:
    options = pending.payload.get("options")
    labels = [str(option.get("label", "")) for option in options] if isinstance(options, list) else []
    return any(label and label.lower() in message.lower() for label in labels)


def original_request(pending: BriefItem) -> str:
    """The message that led to the pending question."""
    return str(pending.payload.get("original") or "")


def open_offer(brief: ContextBrief) -> str:
    """What the work is that the last reply offered, or ""."""
    item = next((item for item in brief.of("conversation") if item.kind == "offer"), None)
    if item is None:
        return ""
    stored = item.payload.get("offer")
    goal = stored.get("goal") if isinstance(stored, dict) else None
    return str(goal or item.text)


def unavailable_evidence(brief: ContextBrief) -> list[SourceName]:
    """The sources of evidence that could not be read for this brief."""
    failed = {report.name for report in brief.sources if report.state == "unavailable"}
    return [name for name in EVIDENCE_SOURCES if name in failed]


def candidates(brief: ContextBrief) -> tuple[ResourceRef, ...]:
    """What an ambiguous phrase may mean, under the labels that the readers gave."""
    known = {item.ref.key: item.ref for item in brief.items if item.label}
    return tuple(known.get(ref.key, ref) for ref in brief.reference.refs)


def named_gaps(entries: Iterable[str]) -> tuple[str, ...]:
    """The entries of ``unresolved`` that name what is missing, clean and each once."""
    lines = (on_one_line(entry.replace("<", "‹"), UNRESOLVED_LENGTH) for entry in entries)
    named = (line for line in lines if names_something(line))
    return tuple(dict.fromkeys(named))[:UNRESOLVED_AT_MOST]


def names_something(line: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}|[\u3040-\u9fff\uac00-\ud7af]", line.lower())
    return any(word not in _NAMES_NOTHING for word in words)


def with_unchecked(gaps: tuple[str, ...], sources: Iterable[SourceName]) -> tuple[str, ...]:
    """``gaps`` and what could not be looked at, where the gaps do not say so already."""
    missing = [source for source in sources if not any(_says_unchecked(gap, source) for gap in gaps)]
    return tuple(dict.fromkeys([*gaps, *map(speech.not_checked, missing)]))


def _says_unchecked(gap: str, source: SourceName) -> bool:
    """ "The documents could not be checked", whatever it adds."""
    lowered = gap.lower()
    return speech.SOURCE_WORDS[source] in lowered and "could not be checked" in lowered
