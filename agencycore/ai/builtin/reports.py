"""The report of finished work without a language model: what the work says, and its records, each cited."""

from collections.abc import Sequence

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import content_stems, sentences
from agencycore.ai.builtin.replies import cited, full_stop
from agencycore.ai.types import BriefItem, ReportRequest

# A longer result is told by the sentences that fit the question best.
TOLD_LENGTH = 1_500
LISTED_RECORDS = 10


def write_report(request: ReportRequest) -> str:
    """What stands after ``request.opening``; never empty."""
    run, *records = request.sources
    told = _told(request, run, records) if request.succeeded else _why_not(run)
    return told or cited(f"{request.work} finished and has nothing to report.", [run])


def _told(request: ReportRequest, run: BriefItem, records: Sequence[BriefItem]) -> str:
    lines = _fitting_lines(request)
    named = [[record for record in records if _is_named(record, line)] for line in lines]
    mentioned = {record.key for found in named for record in found}
    told = [cited(line, found or [run]) for line, found in zip(lines, named, strict=True)]
    return "\n".join([*told, *_listed([record for record in records if record.key not in mentioned], run, bool(told))])


def _fitting_lines(request: ReportRequest) -> list[str]:
    """The result's lines, in order; of a long one its first sentence and those nearest to the question."""
    lines = [clean for line in request.result.splitlines() if (clean := harmless(line))]
    if sum(map(len, lines)) <= TOLD_LENGTH:
        return lines
    units = [sentence for line in lines for sentence in sentences(line)]
    asked = set(content_stems(request.question))
    ranked = sorted(range(1, len(units)), key=lambda index: -len(asked & set(content_stems(units[index]))))
    kept, size = [0], len(units[0])
    for index in ranked:
        size += len(units[index])
        if size > TOLD_LENGTH:
            break
        kept.append(index)
    return [units[index][:TOLD_LENGTH] for index in sorted(kept)]


def _is_named(record: BriefItem, line: str) -> bool:
    return bool(record.label) and record.label.lower() in line.lower()


def _listed(records: Sequence[BriefItem], run: BriefItem, follows_text: bool) -> list[str]:
    if not records:
        return []
    lead = ["", "Records:"] if follows_text else [cited(f"It came back with {_counted(records)}", [run]) + ":"]
    more = len(records) - LISTED_RECORDS
    rest = [f"And {more} more."] if more > 0 else []
    return [*lead, *(f"- {cited(harmless(record.label), [record])}" for record in records[:LISTED_RECORDS]), *rest]


def _counted(records: Sequence[BriefItem]) -> str:
    return "1 record" if len(records) == 1 else f"{len(records)} records"


def _why_not(run: BriefItem) -> str:
    facts = {field.name.lower(): field.value for field in run.fields}
    cause, step = facts.get("cause", ""), facts.get("step", "")
    told = [cited(full_stop(harmless(cause)), [run])] if cause else []
    if step:
        told.append(cited(f"It had got as far as the step “{harmless(step)}”.", [run]))
    return " ".join(told) or cited("Why is not recorded.", [run])
