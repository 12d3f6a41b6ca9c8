"""Answers about runs, and which run a person wants stopped."""

import datetime
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import content_stems, human_date, shortened
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import Found, cited, full_stop
from agencycore.ai.run_asks import AskedRuns, asked_runs
from agencycore.ai.types import BriefItem, ContextBrief

About: TypeAlias = Literal["state", "cause", "results", "step", "goal", "start"]

MAX_LISTED = 6

_ENDED_BADLY = re.compile(
    r"\b(?:fail|failed|failure|error|wrong|stop|stopped|stops|end|ended|cancelled|canceled|abort|aborted|crash\w*)\b"
)
_LIVE = re.compile(
    r"\b(?:running|run now|live|active|current|currently|right now|in progress|going|doing|still|open)\b"
)
_WAITING = re.compile(r"\b(?:wait|waits|waiting|stuck|hang\w*|need|needs|ask|asked|approval)\b")
_DONE = re.compile(
    r"\b(?:work|worked|done|finish|finished|complete|completed|succeed|succeeded|result|results|found|find|produced|write|wrote|create|created)\b"
)
_RESULTS = re.compile(
    r"\b(?:result|results|found|find|output|outcome|came out|produced|write|wrote|written|create|created|how many)\b"
)
_STEP = re.compile(r"\b(?:step|stage|doing|far|progress)\b")
_START = re.compile(r"\b(?:when|start|started|since when|how long)\b")
_LIST = re.compile(
    r"\b(?:runs|which runs|what(?: is|'s| are)?(?: currently| still)? running|anything (?:running|waiting)|is anything|"
    r"what have you started|what is going on|all)\b"
)
_PARTICIPLES = {"succeeded", "failed", "finished", "completed", "ended", "stopped"}
_WAS = {"cancelled", "canceled", "rejected", "aborted"}


def state_of(item: BriefItem) -> str:
    """The run's state in product words, from its payload or its fields."""
    state = item.payload.get("state")
    shown = _field(item, "state")
    return shown or str(state or "")


def is_live(item: BriefItem) -> bool:
    live = item.payload.get("live")
    return bool(live) if live is not None else str(item.payload.get("state")) in ("queued", "running", "waiting")


def definition_of(item: BriefItem) -> str:
    return harmless(str(item.payload.get("definition") or item.label))


def goal_of(item: BriefItem) -> str:
    """What the run was started for, in the person's words."""
    return next((field.value for field in item.fields if field.name.lower() == "goal"), "")


def run_items(brief: ContextBrief) -> list[BriefItem]:
    return [item for item in brief.items if item.kind == "run" and item.source in ("runs", "application")]


def stoppable(brief: ContextBrief) -> list[BriefItem]:
    """The live runs that the message may mean, narrowed by what it points at or names; the conversation's own first.

    None where it points at a run that has ended.
    """
    live = live_runs(brief)
    if _referred(brief, run_items(brief)):
        return _referred(brief, live)
    candidates = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
    near = [item for item in live if item.id in candidates]
    own = [item for item in live if item.payload.get("in_conversation") is not False]
    return _named(brief.message, near or live) or near or own or live


def live_runs(brief: ContextBrief) -> list[BriefItem]:
    return [item for item in brief.of("runs") if is_live(item)]


def runs_asked_about(brief: ContextBrief, question: Question) -> list[BriefItem]:
    """The runs a question is about: those it points at, else those whose name and state fit its words."""
    known = run_items(brief)
    if referred := _referred(brief, known):
        return referred
    if (asked := asked_runs(question.text)) is not None:
        # Those of a period are pointed at where there are any.
        return [] if asked.period else [item for item in known if str(item.payload.get("state")) in asked.states]
    narrowed = _named(question.text, known) or known
    lowered = question.lowered
    if _WAITING.search(lowered) and (waiting := [item for item in narrowed if "waiting" in _all_state(item)]):
        return waiting
    if _ENDED_BADLY.search(lowered) and (ended := [item for item in narrowed if _ended_badly(item)]):
        return ended
    if _LIVE.search(lowered) and not _DONE.search(lowered):
        return [item for item in narrowed if is_live(item)]
    if _DONE.search(lowered) and (done := [item for item in narrowed if not is_live(item)]) and not asks_list(question):
        return done[:1]
    return narrowed


def asks_list(question: Question) -> bool:
    return bool(_LIST.search(question.lowered))


def _referred(brief: ContextBrief, items: Sequence[BriefItem]) -> list[BriefItem]:
    if brief.reference.status != "resolved":
        return []
    ids = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
    return [item for item in items if item.id in ids]


def _named(text: str, items: Sequence[BriefItem]) -> list[BriefItem]:
    """The runs whose definition or goal shares most words with the text, if any shares one."""
    said = set(content_stems(text)) - set(content_stems("run runs stop cancel workflow agent fail result work finish"))
    shared = [len(said & set(content_stems(f"{definition_of(item)} {_field(item, 'goal')}"))) for item in items]
    most = max(shared, default=0)
    return [item for item, count in zip(items, shared, strict=True) if most and count == most]


def _all_state(item: BriefItem) -> str:
    return f"{item.payload.get('state', '')} {state_of(item)}".lower()


def _ended_badly(item: BriefItem) -> bool:
    return any(word in _all_state(item) for word in ("failed", "cancel", "stopped", "expired"))


def tell_runs(question: Question, items: Sequence[BriefItem]) -> Found:
    if len(items) == 1:
        return Found(_tell_one(question, items[0]), 0.9, _missing(question, items[0]))
    lines = [f"- {cited(_state_sentence(item, short=True), [item])}" for item in items[:MAX_LISTED]]
    more = len(items) - MAX_LISTED
    note = [f"And {more} more."] if more > 0 else []
    return Found("\n".join([*lines, *note]), 0.9)


def tell_none(asked: AskedRuns, items: Sequence[BriefItem]) -> Found:
    """That no run is in the state asked for, with the newest that ended beside it; else with one that is live."""
    ended = [item for item in items if not is_live(item)]
    newest = max(ended or items, key=_reached_text)
    kind = "last one that ended" if ended else "newest one"
    period = f" {asked.period}" if asked.period else ""
    told = f"None of your recent runs {asked.told}{period}; the {kind}: {_state_sentence(newest, short=True)}"
    return Found(cited(told, [newest]), 0.9)


def _tell_one(question: Question, item: BriefItem) -> str:
    told = [_state_sentence(item)]
    if cause := _field(item, "cause"):
        told.append(full_stop(cause))
    result, results, step = (_field(item, name) for name in ("result", "results", "step"))
    if _RESULTS.search(question.lowered):
        told += [full_stop(result)] if result else []
        told += ["No results are recorded yet."] if is_live(item) and not result and not results else []
    if results and (_RESULTS.search(question.lowered) or not is_live(item)):
        told.append(full_stop(f"Results: {results}"))
    if step and (is_live(item) or _STEP.search(question.lowered)):
        told.append(full_stop(f"Step: {step}"))
    return " ".join(cited(sentence, [item]) for sentence in told)


def _missing(question: Question, item: BriefItem) -> tuple[str, ...]:
    name = definition_of(item)
    if question.shape == "why" and not _field(item, "cause"):
        return (f"The reason for the state of the run of {name} is not recorded",)
    if _RESULTS.search(question.lowered) and not _field(item, "results") and not _field(item, "result"):
        return (f"No results of the run of {name} are recorded",)
    return ()


def _state_sentence(item: BriefItem, *, short: bool = False) -> str:
    """ "The run of Signals Search (“Find fintech companies”) failed on 3 March 2026." """
    goal = _field(item, "goal")
    asked = f" (“{shortened(goal, 60).strip('.')}”)" if goal else ""
    name = definition_of(item)
    subject = f"{name}{asked}" if short else f"The run of {name}{asked}"
    state = state_of(item).strip(" .") or "in an unknown state"
    date = _reached(item)
    on = f" on {human_date(date)}" if date else ""
    return f"{subject} {_verb(state)}{state}{on}."


def _reached_text(item: BriefItem) -> str:
    when = _reached(item)
    return when.isoformat() if when else ""


def _reached(item: BriefItem) -> datetime.date | None:
    return next((field.when for field in item.fields if field.name.lower() == "state" and field.when), None)


def _verb(state: str) -> str:
    first = state.split()[0].lower()
    if first in _PARTICIPLES:
        return ""
    return "was " if first in _WAS else "is "


def _field(item: BriefItem, name: str) -> str:
    return next((harmless(field.value) for field in item.fields if field.name.lower() == name), "")
