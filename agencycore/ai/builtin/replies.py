"""Outcomes as the built-in responder words them, and the small pieces they are made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agencycore.ai.types import BriefItem
from agencycore.ai.wire import WireAnswer, WireClarify, WireOption
from agencycore.refs import ResourceRef

MARKER = re.compile(r"\[(r\d+)\]")
SENTENCE_MARK = re.compile(r"([.!?…:。！？؟]?[\"”’)]*)$")


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of an answer: text with the markers of what supports it.

    ``strength`` is 0 to 1: how well it answers the question. ``missing`` names what it could not say.
    """

    text: str
    strength: float
    missing: tuple[str, ...] = ()

    def without_missing(self) -> "Found":
        return replace(self, missing=())


def cited(text: str, items: Sequence[BriefItem]) -> str:
    """``text`` with the items' markers before its closing mark, so that a marker stays with its sentence."""
    markers = "".join(f" [{item.key}]" for item in items if item.key and f"[{item.key}]" not in text[-40:])
    return SENTENCE_MARK.sub(lambda end: markers + end.group(1), text.rstrip(), count=1)


# What reads like finished work has to carry its source itself ("It has been promoted …").
_REPORTS = re.compile(
    r"\b(?:has|have)\s+(?:\w+\s+){0,2}been\b|\b(?:is|are)\s+(?:now|already|currently)\b|\bsuccessfully\b|"
    r"\byour\b.*\b(?:ready|done|complete|under\s?way)\b|\b(?:i|we)\b",
    re.IGNORECASE,
)


def cited_sentences(sentences: Sequence[str], items: Sequence[BriefItem]) -> str:
    """The sentences in one line, the markers on the last and on those that report something done."""
    *head, last = [sentence for sentence in sentences if sentence] or [""]
    told = [cited(sentence, items) if _REPORTS.search(sentence) else sentence for sentence in head]
    return " ".join([*told, cited(last, items)])


def reports(text: str) -> bool:
    return bool(_REPORTS.search(text))


def full_stop(text: str) -> str:
    """``text`` as a sentence that ends."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", ":", "。", "！", "？", "؟")) or not text else f"{text}."


def answer(text: str, *, unresolved: Sequence[str] = (), offer: str = "") -> WireAnswer:
    """An answer whose citations are the markers in its text."""
    citations = list(dict.fromkeys(MARKER.findall(text)))
    return WireAnswer(outcome="answer", citations=citations, unresolved=list(unresolved), offer=offer, text=text)


def found_answer(found: Found, *, offer: str = "") -> WireAnswer:
    return answer(found.text, unresolved=found.missing, offer=offer)


def clarify(question: str, refs: Sequence[ResourceRef] = ()) -> WireClarify:
    options = [WireOption(label=ref.label or ref.id, ref=f"{ref.kind}:{ref.id}") for ref in refs]
    return WireClarify(outcome="clarify", question=question, options=options)
