"""Stopping a run: a live one, the one that is meant, and only where the person asks for it."""

import re

from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireControlRun
from chat.frontdoor.decision import ControlRun
from chat.frontdoor.facts import original_request, pending_clarify
from chat.frontdoor.validation.result import Invalid, Valid

# A longer message that points at no run may hold the word by chance.
PLAIN_REQUEST_LENGTH = 300

_STOP = re.compile(
    r"\b(?:stop|cancel|abort|halt|kill|terminate|quit|call (?:it|that) off|end (?:it|that|this|the)|"
    r"shut (?:it|that) down|discontinue|drop (?:it|that)|never\s?mind|stopp\w*|abbrech\w*|brich|"
    r"beend\w*|anhalt\w*|halte?|arrêt\w*|annul\w*|"
    r"interromp\w*|det[eé]n\w*|cancel\w*|ferma\w*|interrompi|annulla|stoppe\w*|stoppen|avbryt\w*|zatrzymaj|"
    r"przerwij|останов\w*|прекрат\w*)\b|止め|停止|中止|取消|중지|취소",
    re.IGNORECASE,
)
_ASKS_ABOUT = re.compile(
    r"^\W*(?:why|what|how|when|who|where|which|did|does|do|is|are|was|were|has|have|explain|tell me|warum|wieso|wann|"
    r"pourquoi|comment|quand|por qué|cuándo|perché|waarom)\b",
    re.IGNORECASE,
)


def validate_control(control: WireControlRun, brief: ContextBrief) -> Valid | Invalid:
    live = {item.id: item for item in brief.of("runs") if item.payload.get("live") is True}
    if control.run_id not in live:
        return Invalid(("There is no such live run in the brief. If nothing can be stopped, answer that.",))
    if not _asks_to_stop(brief):
        return Invalid(("The message does not ask to stop a run.",))
    if not _is_meant(live[control.run_id], list(live.values()), brief):
        return Invalid(("It is not clear that this run is meant. Ask which run to stop.",))
    return Valid(ControlRun(control.run_id, control.action))


def _asks_to_stop(brief: ContextBrief) -> bool:
    pending = pending_clarify(brief)
    asked = f"{original_request(pending)}\n{pending.text}" if pending else ""
    if asked and _STOP.search(asked):
        return True
    is_asked = bool(_STOP.search(brief.message)) and not _ASKS_ABOUT.match(brief.message)
    return is_asked and (brief.reference.status == "resolved" or len(brief.message) <= PLAIN_REQUEST_LENGTH)


def _is_meant(run: BriefItem, live: list[BriefItem], brief: ContextBrief) -> bool:
    match brief.reference.status:
        case "resolved":
            meant = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
            return meant == {run.id} or (not meant and len(live) == 1)
        case "not_needed":
            return len(live) == 1
        case _:
            return False
