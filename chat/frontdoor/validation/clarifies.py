"""A question back: one clear question, with options that exist."""

from collections.abc import Iterable

from agencycore.ai.types import ContextBrief
from agencycore.ai.wire import WireClarify, WireOption
from agencycore.refs import ResourceRef
from chat.frontdoor.characters import on_one_line
from chat.frontdoor.citations import REJECTED_AT_MOST, without_markers
from chat.frontdoor.decision import Clarify, Option
from chat.frontdoor.facts import candidates, names_something
from chat.frontdoor.markdown import harmless_markdown
from chat.frontdoor.sentences import Sentences
from chat.frontdoor.telling_apart import told_apart
from chat.frontdoor.validation.claims import claims_work
from chat.frontdoor.validation.result import Invalid, Valid

QUESTION_LENGTH = 600
LABEL_LENGTH = 120
OPTIONS_AT_MOST = 8


def validate_clarify(clarify: WireClarify, brief: ContextBrief) -> Valid | Invalid:
    question, notes = _clean_question(clarify.question)
    if not names_something(question):
        return Invalid(("The question asks nothing. Ask for the one thing that is missing.",))
    options, rejected = _options(clarify.options, brief)
    return Valid(Clarify(question, options), rejected, notes)


def _clean_question(text: str) -> tuple[str, tuple[str, ...]]:
    """The question without anything it claims to have done."""
    line = on_one_line(harmless_markdown(without_markers(text), lambda url: False), QUESTION_LENGTH)
    cutter = Sentences()
    sentences = cutter.feed(line) + cutter.finish()
    withheld = [sentence for sentence in sentences if claims_work(sentence)]
    kept = "".join(sentence for sentence in sentences if sentence not in withheld)
    return kept.strip(), tuple(f"withheld (claims work): {sentence.strip()}" for sentence in withheld)


def _options(wire: Iterable[WireOption], brief: ContextBrief) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The options whose record exists in the brief, and the refs that do not.

    Labels of records are the readers', no two alike. Where a phrase is ambiguous every candidate is an option.
    """
    known = _known_refs(brief)
    found: dict[str, Option] = {}
    rejected: list[str] = []
    for option in wire:
        if option.ref and option.ref not in known:
            rejected.append(on_one_line(option.ref, LABEL_LENGTH))
            continue
        kept = _record_option(known[option.ref]) if option.ref else _words_option(option.label)
        if kept and (brief.reference.status != "ambiguous" or kept.ref):
            found.setdefault(_identity(kept), kept)
    if brief.reference.status == "ambiguous":
        for ref in candidates(brief):
            found.setdefault(_identity(_record_option(ref)), _record_option(ref))
    return told_apart(tuple(found.values())[:OPTIONS_AT_MOST], brief), tuple(rejected[:REJECTED_AT_MOST])


def _known_refs(brief: ContextBrief) -> dict[str, ResourceRef]:
    """By "kind:id": the candidates where the message is ambiguous, else every record of the brief."""
    if brief.reference.status == "ambiguous":
        refs = list(candidates(brief))
    else:
        refs = [item.ref for item in brief.items if item.source not in ("conversation", "memory", "knowledge")]
    return {f"{ref.kind}:{ref.id}": ref for ref in refs}


def _record_option(ref: ResourceRef) -> Option:
    return Option(on_one_line(ref.label, LABEL_LENGTH) or ref.kind, ref)


def _words_option(label: str) -> Option | None:
    line = on_one_line(harmless_markdown(without_markers(label), lambda url: False), LABEL_LENGTH)
    return Option(line) if names_something(line) or line.isdecimal() else None


def _identity(option: Option) -> str:
    return f"{option.ref.kind}:{option.ref.id}" if option.ref else option.label.casefold()
