"""The words of a report: what the model is given, and what of its text may stand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agencycore.ai.builtin.reports import write_report
from agencycore.ai.ports import get_embedder
from agencycore.ai.types import BriefItem, ContextBrief, ModelReply, Reference, ReportRequest
from agencycore.refs import Projection, read_refs
from agencycore.tenancy import Actor
from chat.context.items import record_item, record_line
from chat.frontdoor import speech
from chat.frontdoor.citations import citable_items, keys_in
from chat.frontdoor.decision import CitedSource
from chat.frontdoor.validation.answer_text import AnswerText
from conversations.scope import cut_to_bound
from runs.models import Run
from runs.readers import project_runs
from runs.wording import run_result

REPORT_TOKENS = 600
# The other records come with their title and state.
RECORDS_IN_FULL = 8


@dataclass(frozen=True, slots=True)
class ReportText:
    """``text`` with the numbers of its sources, as a person reads it."""

    text: str
    citations: tuple[CitedSource, ...]


def build_request(run: Run, actor: Actor | None, timeout_seconds: float) -> ReportRequest:
    """What a report of ``run`` may be written from: its result, itself, and the results ``actor`` may see.

    Reads inside the caller's tenant.
    """
    name = run.version.definition.name
    succeeded = run.state == Run.State.SUCCEEDED
    found = read_refs(actor, cut_to_bound(run.results)) if actor else []
    return ReportRequest(
        question=str(run.goal.get("message", "")),
        work=name,
        succeeded=succeeded,
        opening="" if succeeded else speech.run_failed(name),
        result=run_result(run) if succeeded else "",
        sources=_sources(run, actor, found),
        max_tokens=REPORT_TOKENS,
        timeout_seconds=timeout_seconds,
        cache_key=str(run.organization_id),
    )


def checked_text(reply: ModelReply, request: ReportRequest) -> ReportText | None:
    """What of the model's text may stand; None where that is nothing."""
    if reply.finish in ("empty", "refused") or not reply.text.strip():
        return None
    return _edited(reply.text, request, is_whole=reply.finish == "complete")


def fallback_text(request: ReportRequest) -> ReportText:
    """The report without a model: deterministic, and never nothing."""
    return _edited(write_report(request), request, is_whole=True) or ReportText(request.opening or request.work, ())


def _edited(text: str, request: ReportRequest, *, is_whole: bool) -> ReportText | None:
    """``text`` made harmless, citing the request's sources alone, or the run where it cites none; the opening first."""
    brief = _brief(request)
    known = citable_items(brief)
    listed = [key for key in keys_in(text) if key in known]
    edited = AnswerText(brief, listed or ["r1"], speaks_of_work=request.succeeded)
    edited.feed(text)
    edited.finish(is_whole=is_whole)
    if not edited.text.strip():
        return None
    return ReportText(f"{request.opening} {edited.text.strip()}".strip(), edited.cited(get_embedder()))


def _brief(request: ReportRequest) -> ContextBrief:
    """The sources as the checks of an answer know them."""
    return ContextBrief(
        message=request.question,
        query="",
        message_class="ordinary",
        preamble="",
        reference=Reference("not_needed"),
        items=request.sources,
        sources=(),
        token_breakdown={},
    )


def _sources(run: Run, actor: Actor | None, found: Sequence[Projection]) -> tuple[BriefItem, ...]:
    items = [_run_item(run, actor), *map(_record, range(len(found)), found)]
    return tuple(replace(item, key=f"r{number}") for number, item in enumerate(items, start=1))


def _run_item(run: Run, actor: Actor | None) -> BriefItem:
    """The run with what it said, so that a sentence of its result can be checked against it."""
    [projection] = project_runs(actor, [run])
    item = record_item(projection, score=0.0, pinned=True, source="runs")
    told = run_result(run)
    return replace(item, label=projection.ref.label, text=f"{item.text}\n\n{told}" if told else item.text)


def _record(index: int, found: Projection) -> BriefItem:
    if index < RECORDS_IN_FULL:
        return record_item(found, score=0.0, pinned=True)
    return record_line(found, score=0.0, pinned=True)
