"""Which run a message is about: "why did that run stop?", "stop that", "did it work?".

Pure, like ``chat.context.reference``. The runs given are the actor's own; teammates' are never among them.
"""

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agencycore.ai.run_asks import LIVE, AskedRuns, asked_runs, asks_after_work, asks_of_running
from agencycore.ai.types import Reference
from agencycore.refs import ResourceRef
from chat.context.pointing import find_bare, find_typed, plain

RunState: TypeAlias = Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]
Verb: TypeAlias = Literal["stop", "why", "status"]

STOPPED: frozenset[RunState] = frozenset({"failed", "cancelled", "waiting"})
RECENT = datetime.timedelta(days=7)
# "What failed this month?" looks back further than one run that is pointed at.
LISTED_FOR = datetime.timedelta(days=31)
RUN_KINDS = frozenset({"run", "definition", "definition_draft"})
SHORTEST_GOAL_WORD = 4

_STOP_WORDS = "stop|cancel|abort|halt|kill|terminate"
_STOP = re.compile(
    rf"(?:(?:please|can you|could you|would you|now|ok|okay|no|wait|just|i want to|i'd like to|i want you to|let's) )*"
    rf"(?:{_STOP_WORDS})\b(?! (?:matching|me|asking|e-?mailing|using))"
)
_WHY = re.compile(
    r"\b(?:why|how come|what (?:made|caused)|what (?:happened|went wrong))\b.*?"
    r"\b(?:stop|stopped|stopping|fail|failed|failing|wait|waiting|cancelled|canceled|crash|crashed|stuck|abort|aborted|"
    r"end|ended|halt|halted|pause|paused)\b|"
    r"\bwhat (?:happened (?:to|with)|went wrong with)\b"
)
_STATUS = re.compile(
    r"\b(?:is|are|was|were) .{0,60}?\b(?:still running|running|done|finished|complete|completed|ready|in progress)\b|"
    r"\b(?:did|has|have) .{0,60}?\b(?:work|worked|finish|finished|succeed|succeeded|complete|completed)\b|"
    r"\bwhat(?:'s| is| are)(?: currently| still)? running\b|\bhow (?:far|is .{0,40}? going)\b|"
    r"\b(?:status|progress) of\b|\bwhat did .{0,40}? (?:find|return|produce)\b"
)
_NOT_A_RUN = re.compile(r"\b(?:matching|contract|subscription|reminder|e-?mails?|(?:for|in) (?:a |its |the )?review)\b")


@dataclass(frozen=True, slots=True)
class RunFact:
    """One run of the actor. ``changed_at`` is when it reached its state."""

    ref: ResourceRef
    definition: str
    goal: str
    state: RunState
    changed_at: datetime.datetime
    is_of_conversation: bool


def find_verb(message: str) -> Verb | None:
    """What the message wants of a run; None if it is not about runs."""
    text = plain(message)
    typed = [phrase for phrase in find_typed(message) if phrase.is_firm and phrase.kinds]
    if _NOT_A_RUN.search(text) or any(not RUN_KINDS.intersection(phrase.kinds) for phrase in typed):
        return None
    if asks_of_running(message):
        return None
    if _WHY.search(text):
        return "why"
    if _STOP.match(text):
        return "stop"
    return "status" if _STATUS.search(text) else None


def resolve_run(
    message: str,
    runs: Sequence[RunFact],
    *,
    exchange: Sequence[ResourceRef],
    now: datetime.datetime,
    page: ResourceRef | None = None,
) -> Reference | None:
    """The run meant; None if the message is not about one, or asks how one is and there is none.

    Asked which runs are in a state, all those of the actor that are, wherever they were started. Else
    this conversation's runs come first; only if none of them fits, the actor's others, of which one
    may be answered about, while stopping it needs a question back: ``ambiguous`` with one candidate.
    """
    if (asked := asked_runs(message)) is not None:
        return _listed(_narrowed(message, [run for run in runs if _is_asked(asked, run, now)]))
    if asks_after_work(message) and (asked_after := _asked_after(message, runs, exchange, now)):
        return asked_after
    verb = find_verb(message)
    if verb is None or not _speaks_of_a_run(message, runs):
        return None
    fitting = [run for run in runs if _fits(run, verb, now)]
    here = _narrowed(message, [run for run in fitting if run.is_of_conversation])
    if here:
        return _reference(_nearest(here, exchange, page), message)
    elsewhere = _narrowed(message, [run for run in fitting if not run.is_of_conversation])
    if verb == "stop" and (told := _just_told(message, runs, exchange)):
        return _reference(told, message)
    if verb == "stop" and elsewhere:
        return Reference("ambiguous", tuple(run.ref for run in elsewhere), _phrase(message))
    if verb == "status" and not elsewhere:
        return None
    return _reference(_nearest(elsewhere, exchange, page), message)


def _asked_after(
    message: str, runs: Sequence[RunFact], exchange: Sequence[ResourceRef], now: datetime.datetime
) -> Reference | None:
    """The conversation's live runs, else its recent ones; the one that the latest exchange was about, if it was."""
    here = [run for run in runs if run.is_of_conversation and _fits(run, "status", now)]
    live = [run for run in here if run.state in LIVE]
    return _listed(_nearest(_narrowed(message, live or here), exchange, None))


def _is_asked(asked: AskedRuns, run: RunFact, now: datetime.datetime) -> bool:
    return asked.holds(run.state, run.changed_at, now) and (run.state in LIVE or run.changed_at >= now - LISTED_FOR)


def _listed(runs: Sequence[RunFact]) -> Reference | None:
    """All of them are meant: which one is never asked back."""
    return Reference("resolved", tuple(run.ref for run in runs), "") if runs else None


def _just_told(message: str, runs: Sequence[RunFact], exchange: Sequence[ResourceRef]) -> list[RunFact]:
    """The run that the latest exchange told the end of, where the message points at it and not elsewhere."""
    points = find_bare(message) is not None or any(phrase.is_firm for phrase in find_typed(message))
    keys = {ref.key for ref in exchange}
    told = [run for run in runs if run.ref.key in keys]
    return told if points and len(told) == 1 and told[0].state not in LIVE else []


def _speaks_of_a_run(message: str, runs: Sequence[RunFact]) -> bool:
    text = plain(message)
    return (
        any(RUN_KINDS.intersection(phrase.kinds) for phrase in find_typed(message))
        or re.search(r"\b(?:runs?|workflows?|agents?|search(?:es)?|tasks?|jobs?|running)\b", text) is not None
        or find_bare(message) is not None
        or any(_names(run, text) for run in runs)
        or re.fullmatch(rf"(?:please )?(?:{_STOP_WORDS})(?: please)?", text) is not None
    )


def _fits(run: RunFact, verb: Verb, now: datetime.datetime) -> bool:
    is_recent = run.state == "waiting" or run.changed_at >= now - RECENT
    match verb:
        case "stop":
            return run.state in LIVE
        case "why":
            return run.state in STOPPED and is_recent
        case "status":
            return run.state in LIVE or is_recent


def _narrowed(message: str, runs: Sequence[RunFact]) -> list[RunFact]:
    """Those whose definition is named, else those whose goal shares a word with the message, else all."""
    text = plain(message)
    tests: tuple[Callable[[RunFact], bool], ...] = (
        lambda run: _names(run, text),
        lambda run: bool(_telling_words(run.goal) & _telling_words(text)),
    )
    for test in tests:
        if narrowed := [run for run in runs if test(run)]:
            return narrowed
    return list(runs)


def _names(run: RunFact, text: str) -> bool:
    return bool(run.definition) and re.search(rf"\b{re.escape(plain(run.definition))}\b", text) is not None


def _telling_words(text: str) -> set[str]:
    words = {word for word in re.findall(r"[^\W\d_]+", plain(text)) if len(word) >= SHORTEST_GOAL_WORD}
    return words - _UNTELLING


_UNTELLING_WORDS = """
about active agent agents anything cancel companies company currently did does done ended everything fail
failed find finish finished from halt has have into last month more morning night please prospect
prospects running runs search still stop stopped task that their them there they this those today wait
waiting week what when which will with work worked workflow workflows yesterday your
"""
_UNTELLING = frozenset(_UNTELLING_WORDS.split())


def _nearest(runs: list[RunFact], exchange: Sequence[ResourceRef], page: ResourceRef | None) -> list[RunFact]:
    """The only one the latest exchange was about, else the one on the page, else all."""
    for nearby in (exchange, [page] if page else []):
        keys = {ref.key for ref in nearby}
        meant = [run for run in runs if run.ref.key in keys]
        if len(meant) == 1:
            return meant
    return runs


def _reference(runs: Sequence[RunFact], message: str) -> Reference:
    refs = tuple(run.ref for run in runs)
    if not refs:
        return Reference("missing", (), _phrase(message))
    return Reference("resolved" if len(refs) == 1 else "ambiguous", refs, _phrase(message))


def _phrase(message: str) -> str:
    typed = find_typed(message)
    bare = find_bare(message)
    return typed[0].text if typed else bare.text if bare else ""
