"""Live runs: stopping one, and what cannot be done to one from chat."""

from agencycore.ai.builtin import speech
from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import shortened
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import answer, cited, clarify
from agencycore.ai.builtin.runs import definition_of, is_live, live_runs, run_items, state_of, stoppable, tell_runs
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireControlRun, WireOutcome

GOAL_LENGTH = 80


def stop_run(brief: ContextBrief, *, may_ask: bool) -> WireOutcome:
    """Stop the one run that fits; ask where several do; say how it ended where none is live."""
    fitting = stoppable(brief)
    if not fitting:
        return _nothing_to_stop(brief)
    if _is_picked(brief, fitting) or _is_clear(brief, fitting):
        return WireControlRun(outcome="control_run", run_id=fitting[0].id, action="cancel")
    if may_ask:
        return clarify("Which run should be stopped?", [item.ref for item in fitting])
    return list_stoppable(brief)


def list_stoppable(brief: ContextBrief) -> WireOutcome:
    """No question follows a question: the runs that could be stopped are named."""
    fitting = live_runs(brief)
    if not fitting:
        return _nothing_to_stop(brief)
    lines = [f"- {cited(f'{definition_of(item)}{_goal_of(item)}, {state_of(item)}.', [item])}" for item in fitting]
    return answer(
        "\n".join(["It is not clear which run to stop. These could be stopped:", *lines]),
        unresolved=["Which run to stop"],
    )


def _goal_of(item: BriefItem) -> str:
    goal = next((harmless(field.value) for field in item.fields if field.name == "Goal"), "")
    return f" (“{shortened(goal, GOAL_LENGTH)}”)" if goal else ""


def _is_picked(brief: ContextBrief, fitting: list[BriefItem]) -> bool:
    """Whether the person chose the run when we asked for it."""
    pointed = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
    is_answer = any(item.kind == "pending_clarify" for item in brief.of("conversation"))
    return is_answer and brief.reference.status == "resolved" and pointed == {item.id for item in fitting}


def _is_clear(brief: ContextBrief, fitting: list[BriefItem]) -> bool:
    """Exactly one live run is meant, by name or because no other is live, and it belongs to this conversation."""
    if len(fitting) != 1 or _is_elsewhere(fitting[0]) or brief.reference.status in ("ambiguous", "missing"):
        return False
    pointed = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
    return fitting[0].id in pointed or len(live_runs(brief)) == 1


def _is_elsewhere(item: BriefItem) -> bool:
    """A run of another conversation is stopped only after the person has picked it."""
    return item.payload.get("in_conversation") is False


def _nothing_to_stop(brief: ContextBrief) -> WireOutcome:
    ended = [item for item in run_items(brief) if not is_live(item)]
    pointed = [item for item in ended if item.id in {ref.id for ref in brief.reference.refs}]
    if pointed or ended:
        told = tell_runs(Question("what is the state of the run"), (pointed or ended)[:1])
        none = "That run is not live" if pointed and live_runs(brief) else "No run is live"
        return answer(f"{none}, so there is nothing to stop. {told.text}", unresolved=["No live run to stop"])
    if down := speech.unavailable_words(brief, "runs"):
        return speech.could_not_check(down)
    return answer("No run of yours is live, so there is nothing to stop.", unresolved=["No live run to stop"])


def let_go_on(brief: ContextBrief) -> WireOutcome | None:
    """That nothing was stopped, and what goes on; None where no run of this conversation is live."""
    live = [item for item in live_runs(brief) if not _is_elsewhere(item)]
    if not live:
        return None
    told = tell_runs(Question("what is running"), live)
    if len(live) == 1:
        return answer(f"Nothing was stopped. {told.text} To stop it, write “stop it”, or use the button on its card.")
    return answer(f"Nothing was stopped:\n{told.text}\n\nTo stop one, say which, or use the button on its card.")


def explain_steering(brief: ContextBrief) -> WireOutcome:
    live = [item for item in run_items(brief) if is_live(item)]
    rule = (
        "A run cannot be changed, paused or undone from chat. What is possible: I can stop it, and you can start it "
        "again with other instructions."
    )
    if not live:
        return answer(rule, unresolved=["No live run was found, and a run cannot be changed while it works"])
    told = tell_runs(Question("what is running"), live)
    return answer(f"{rule}\n\n{told.text}", unresolved=["A run cannot be changed while it works"])


def point_to_buttons(brief: ContextBrief) -> WireOutcome:
    waiting = [item for item in run_items(brief) if "approval" in state_of(item).lower()]
    rule = "An approval is given or refused with the buttons on the run's card, not by a message."
    if not waiting:
        return answer(rule, unresolved=["No run that waits for an approval was found"])
    told = tell_runs(Question("what is waiting"), waiting)
    return answer(f"{rule}\n\n{told.text}")
