"""Requests for work: handed to the capability that fits, asked back about, or honestly declined."""

from dataclasses import replace

from agencycore.ai.asked import offered_work
from agencycore.ai.builtin.changes import decline_change
from agencycore.ai.builtin.examples import Intent
from agencycore.ai.builtin.going_on import run_to_repeat
from agencycore.ai.builtin.history import open_offer, pending_clarify
from agencycore.ai.builtin.language import shortened, stems
from agencycore.ai.builtin.lists import changes_record
from agencycore.ai.builtin.replies import answer, cited, clarify
from agencycore.ai.builtin.requests import starts_it
from agencycore.ai.builtin.routing import Route, Router
from agencycore.ai.builtin.runs import definition_of, goal_of
from agencycore.ai.builtin.work import Capability, best_capability, builder_of, capabilities_of, fill_input
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireDelegate, WireOutcome

# Of a request's characters so many are letters or spaces; code and markup have fewer.
PROSE_SHARE = 0.75
OFFER_OPENING = "Shall I also "


def find_capability(route: Route, brief: ContextBrief) -> Capability | None:
    if not is_prose(route.text):
        return None
    if (pointed := _pointed(brief)) is not None and starts_it(brief.message):
        return pointed
    if route.intent == "authoring_request" and changes_record(brief.message):
        return None  # who builds agents and workflows makes no records
    return best_capability(route.text, route.intent, route.classified, capabilities_of(brief))


def _pointed(brief: ContextBrief) -> Capability | None:
    """The one agent or workflow that the message points at: "run the second one"."""
    refs = brief.reference.refs if brief.reference.status == "resolved" else ()
    labels = [ref.label for ref in refs if ref.kind == "definition"]
    fitting = [capability for capability in capabilities_of(brief) if [capability.name] == labels]
    return fitting[0] if len(fitting) == 1 else None


def is_prose(text: str) -> bool:
    return sum(character.isalpha() or character.isspace() for character in text) >= PROSE_SHARE * len(text)


def hand_over(route: Route, brief: ContextBrief) -> WireOutcome:
    capability = find_capability(route, brief)
    if capability is None and changes_record(route.text):
        return decline_change(route.text, brief)
    return decline(route.intent, brief) if capability is None else delegate(capability, brief, route.text)


def delegate(capability: Capability, brief: ContextBrief, request: str) -> WireOutcome:
    """Delegate, or ask for the one required field that is missing."""
    is_answer = pending_clarify(brief) is not None
    filled = fill_input(capability, brief, request, answers_question=is_answer)
    if not filled.missing:
        return WireDelegate(outcome="delegate", capability=capability.slug, input_json=filled.as_json)
    if not is_answer:
        return clarify(f"To start {capability.name} I need one thing more: which {filled.missing}?")
    return answer(
        f"{capability.name} cannot be started without the {filled.missing}.",
        unresolved=[f"The {filled.missing} that {capability.name} needs"],
    )


def decline(intent: Intent, brief: ContextBrief, request: str = "") -> WireOutcome:
    """``request`` is what was asked for where it is not the whole message: nothing else is quoted to the person."""
    topic = shortened((request or brief.message).strip(" ?!."), 80)
    match intent:
        case "human_request":
            return answer(
                "I cannot connect you to a person from here. Please contact an administrator of your organization.",
                unresolved=["No published agent or workflow that you can use hands over to a person"],
            )
        case "schedule_request":
            return answer(
                "I cannot set this up: no published agent or workflow that you can use plans recurring runs.",
                unresolved=["No published agent or workflow that plans recurring runs"],
            )
        case "authoring_request":
            return answer(
                "I cannot create or change agents and workflows myself, and no published agent that you can use does.",
                unresolved=["No published agent that creates or changes agents and workflows"],
            )
        case _:
            return answer(
                " ".join([f"No published agent or workflow that you can use does this: “{topic}”.", *_way_out(brief)]),
                unresolved=[f"No published agent or workflow for: {topic}"],
            )


def _way_out(brief: ContextBrief) -> list[str]:
    """That one can be built, where something here builds them."""
    builder = builder_of(capabilities_of(brief))
    return [f"You can ask for one to be built: {builder.name} does that."] if builder else []


def could_not_start() -> WireOutcome:
    """The words for work while no decision could be made."""
    return answer(
        "I could not start this work just now. Please send it again in a moment.",
        unresolved=["The work could not be started"],
    )


def run_again(brief: ContextBrief) -> WireOutcome:
    """The newest run that the message may mean, with the same definition and goal."""
    run = run_to_repeat(brief)
    if run is None:
        return answer("I see no earlier run that could be started again.", unresolved=["No earlier run was found"])
    capability = _capability_of(run, brief)
    if capability is None:
        text = f"{definition_of(run)} is not among the agents and workflows that you can start now."
        return answer(cited(text, [run]), unresolved=[f"{definition_of(run)} cannot be started again"])
    return delegate(capability, brief, goal_of(run) or brief.message)


def _capability_of(run: BriefItem, brief: ContextBrief) -> Capability | None:
    name = stems(definition_of(run).replace("_", " ").replace("-", " "))
    for capability in capabilities_of(brief):
        if name in (stems(capability.name), stems(capability.slug.replace("_", " ").replace("-", " "))):
            return capability
    return None


def offer_of(work: str) -> str:
    """ "Shall I also find fintech companies?" """
    text = work.strip().rstrip(".!?")
    return f"{OFFER_OPENING}{text[:1].lower()}{text[1:]}?"


def accept_offer(brief: ContextBrief, router: Router) -> WireOutcome | None:
    """The offered work, where an offer is open."""
    offered = offered_work(open_offer(brief)).strip()
    if not offered:
        return None
    route = router.route_text(offered)
    if route.intent not in ("work_request", "authoring_request", "schedule_request"):
        route = replace(route, intent="work_request")
    return hand_over(route, brief)
