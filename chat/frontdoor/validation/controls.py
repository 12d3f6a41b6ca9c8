"""Stopping a run: a live one, the one that is meant, and only where the person asks for it."""

from agencycore.ai.stop_requests import wants_stop
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireControlRun
from chat.frontdoor.decision import ControlRun
from chat.frontdoor.facts import pending_clarify
from chat.frontdoor.validation.result import Invalid, Valid


def validate_control(control: WireControlRun, brief: ContextBrief) -> Valid | Invalid:
    live = {item.id: item for item in brief.of("runs") if item.payload.get("live") is True}
    if control.run_id not in live:
        return Invalid(("There is no such live run in the brief. If nothing can be stopped, answer that.",))
    if not wants_stop(brief, pending_clarify(brief)):
        return Invalid(("The message does not ask to stop a run.",))
    if not _is_meant(live[control.run_id], list(live.values()), brief):
        return Invalid(("It is not clear that this run is meant. Ask which run to stop.",))
    return Valid(ControlRun(control.run_id, control.action))


def _is_meant(run: BriefItem, live: list[BriefItem], brief: ContextBrief) -> bool:
    match brief.reference.status:
        case "resolved":
            meant = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
            return meant == {run.id} or (not meant and len(live) == 1)
        case "not_needed":
            return len(live) == 1
        case _:
            return False
