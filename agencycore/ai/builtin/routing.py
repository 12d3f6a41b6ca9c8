"""What a message wants: its closest labelled examples, corrected by its grammar and by what it points at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agencycore.ai.builtin.examples import INTENTS, Classified, ExampleModel, Intent, example_model
from agencycore.ai.builtin.going_on import changes_request, words_of_work
from agencycore.ai.builtin.language import content_stems, words
from agencycore.ai.builtin.requests import asks_again, is_ellipsis, is_request, looks_up, says_again, starts_it
from agencycore.ai.run_asks import asked_runs, asks_after_work, asks_of_running
from agencycore.ai.stop_requests import asks_to_stop, names_of_work
from agencycore.ai.types import BriefItem, ContextBrief

RECORD_KINDS = frozenset({"company", "person", "prospect", "deal", "opportunity", "activity"})
DEFINITION_KINDS = frozenset({"definition", "definition_draft"})

# What a message that opens like a question cannot be; "can you …" and "can I …" may ask for anything.
_NOT_QUESTIONS: frozenset[Intent] = frozenset(
    {"steer_request", "rerun_request", "affirmation", "approval_reply", "authoring_request",
     "schedule_request", "human_request"}
)  # fmt: skip
_QUESTION = re.compile(
    r"^(?:and |but |so |ok |please |hi |hello )*(?:what|whats|what's|who|whose|which|when|where|why|how|is|are|was|"
    r"were|do|does|did|has|have|had|(?:should|shall|must|may|might)(?=(?:n't)? (?:i|we|it|they|one)\b))"
    r"(?:'s|n't)?\b"
)
_WORK: frozenset[Intent] = frozenset({"work_request", "authoring_request", "schedule_request"})
_HOW_TO = re.compile(r"^(?:and |but |so |ok |please |hi |hello )*how (?:do|can|could|should|would|must|to)\b")
# How one does something to a run is told by the documentation, not by the run.
_HOW_ONE_DOES = re.compile(
    r"^(?:(?:and|but|so|ok|please|hi|hello) )*(?:(?:can you )?(?:tell|show) me )?how "
    r"(?:to|(?:do|can|could|should|would) (?:i|we|one)) (?:stop|cancel|abort|end|halt|start|share|delete|approve)\b"
)
_COMPARES = re.compile(r"^(?:the )?differences? between\b|^\w+ (?:vs\.?|versus) \w+\W*$")
_WHO_TO_ASK = re.compile(r"\b(?:human|person|someone|somebody|anybody|support|contact|call)\b")
# Intents of few words: a long message is not one of them.
_SHORT_ONLY: Mapping[Intent, int] = {"affirmation": 8, "approval_reply": 9, "smalltalk": 9, "rerun_request": 9}
_BARE_COMMANDS: frozenset[Intent] = frozenset(
    {"stop_request", "rerun_request", "affirmation", "approval_reply", "steer_request", "smalltalk", "human_request",
     "injection", "conversation"}
)  # fmt: skip
_COMMANDS: frozenset[Intent] = _BARE_COMMANDS - {"smalltalk", "conversation"}
NOTHING_CLOSED: frozenset[Intent] = frozenset()
# Replies to something of ours, which may be one unknown word ("jep").
_ANSWERS: frozenset[Intent] = frozenset({"affirmation", "approval_reply"})
_KNOWN = 0.5
_KNOWN_WELL = 0.75
_SURE = 0.5
_POINTS_AT = 0.3
# "Run the second one" of a list asks for no more than that.
_STARTS_IT = 0.6
# "What finished today?" has no other meaning than the person's runs.
_ASKS_FOR_RUNS = 0.6
# That something is to run again and again is stated, whatever else the message is like.
_STATED = 1.5

# An id has no meaning: what is asked is the same whichever it is, and whether it exists.
_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
# What stands before the message proper.
_COURTESY = re.compile(
    r"^(?:(?:ok|okay|thanks|thank you|thx|great|perfect|cool|nice|good|hi|hello|hey|hi there|hello there|so|well|sure)"
    r"[,.!]+\s+|(?:ok|okay) (?:thanks|great|cool|good|so)[,.!]*\s+)+(?=\S+\s+\S+)",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:every|each) (?:\w+ )?(?:day|night|morning|evening|week|month|quarter|year|hour|weekday|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|first|second|other)\b|\b(?:daily|weekly|monthly|hourly|quarterly|"
    r"recurring|schedule)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
)
# Started again and again, and not something that happens so often: "find companies that post every week".
_STARTS_REGULARLY = re.compile(
    r"^(?:please )?(?:(?:can|could|would) you )?(?:please )?(?:run|start|launch|execute|repeat|rerun|do)\b.*"
    r"\b(?:every \w+|each \w+|daily|weekly|monthly|hourly|quarterly|regularly|on \w+days)[\s.!?]*$"
)
_LIVE = re.compile(r"\b(?:running|live|current|ongoing)\b")


@dataclass(frozen=True, slots=True)
class Route:
    """``text`` is what was classified: the message, or the message made self-contained."""

    intent: Intent
    text: str
    classified: Classified

    def score(self, intent: Intent) -> float:
        return self.classified.scores[intent]


class Router:
    """Routes messages by the examples of one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def model(self) -> ExampleModel:
        return example_model(self._path)

    def route(self, brief: ContextBrief) -> Route:
        own = self.route_text(brief.message, brief)
        if own.intent == "stop_request":
            return own
        if self.is_foreign(brief) and own.intent not in _ANSWERS:
            return replace(own, intent="knowledge_question")
        if not brief.query or brief.query == brief.message or _asks_for_runs(brief):
            return own
        if len(content_stems(brief.message)) >= 2 and not is_ellipsis(brief.message):
            return own
        if own.intent in _BARE_COMMANDS and own.score(own.intent) >= _SURE:
            return own
        # What was said before may say what is asked, and never that something is to be done now.
        return self.route_text(brief.query, brief, closed=_COMMANDS - {own.intent})

    def is_foreign(self, brief: ContextBrief) -> bool:
        """Whether the examples say nothing about the message: another language, or words that they do not know."""
        if is_request(brief.message):
            return False  # its verb is English, whatever the names in it are
        known = self.model.known_share(_ID.sub("", brief.message))
        return known < _KNOWN or (brief.language != "en" and known < _KNOWN_WELL)

    def route_text(
        self, text: str, brief: ContextBrief | None = None, *, closed: frozenset[Intent] = NOTHING_CLOSED
    ) -> Route:
        classified = self.model.classify(_COURTESY.sub("", _ID.sub("", text)) or text)
        scores = dict(classified.scores)
        for intent, gain in _gains(text, brief).items():
            scores[intent] += gain
        possible = [intent for intent in INTENTS if intent not in closed and _is_possible(intent, text)]
        allowed = [intent for intent in possible if _is_meant(intent, text, brief)]
        best = max(allowed, key=lambda intent: scores[intent])
        if best != "injection" and "stop_request" in allowed:
            best = "stop_request"  # read off the words: no likeness to an example stops anything
        return Route(best, text, Classified(scores, classified.capabilities))


def _is_possible(intent: Intent, text: str) -> bool:
    length = len(words(text))
    if length > _SHORT_ONLY.get(intent, length):
        return False
    lowered = text.lower().strip()
    if intent in _WORK and (_HOW_TO.match(lowered) or _COMPARES.search(lowered) or looks_up(text)):
        return False
    if intent == "run_question" and (_HOW_ONE_DOES.match(lowered) or asks_of_running(text)):
        return False
    if intent == "human_request" and _WHO_TO_ASK.search(lowered):
        return True
    return intent not in _NOT_QUESTIONS or not _QUESTION.match(lowered)


def _is_meant(intent: Intent, text: str, brief: ContextBrief | None) -> bool:
    """Whether the message itself, and not only what it goes on from, allows what would start or stop work."""
    is_earlier = brief is not None and brief.message != text == brief.query
    if intent == "stop_request":
        return not is_earlier and asks_to_stop(text, names_of_work(brief) if brief else ())
    if brief is None:
        return True
    if intent in _WORK and is_earlier:
        return is_request(brief.message) or changes_request(brief)
    if intent == "rerun_request":
        return not _points_at_definition(brief) and asks_again(text, words_of_work(brief))
    return True


def _asks_for_runs(brief: ContextBrief) -> bool:
    """Whether runs are listed or asked after, whatever was said before."""
    is_of_run = any(ref.kind == "run" for ref in brief.reference.refs)
    return asked_runs(brief.message) is not None or (is_of_run and asks_after_work(brief.message))


def _points_at_definition(brief: ContextBrief) -> bool:
    reference = brief.reference
    return reference.status == "resolved" and any(ref.kind in DEFINITION_KINDS for ref in reference.refs)


def _gains(text: str, brief: ContextBrief | None) -> dict[Intent, float]:
    """What grammar and the brief's reference add to the intents' scores."""
    lowered = text.lower()
    gains: dict[Intent, float] = dict.fromkeys(INTENTS, 0.0)
    if _EVERY.search(lowered) and not _QUESTION.match(lowered):
        gains["schedule_request"] += 0.25
    if _STARTS_REGULARLY.match(lowered):
        gains["schedule_request"] += _STATED
    if _LIVE.search(lowered) and not _QUESTION.match(lowered):
        gains["steer_request"] += 0.15
    if asked_runs(text) or (brief is not None and text == brief.message and _asks_for_runs(brief)):
        gains["run_question"] += _ASKS_FOR_RUNS
    if brief is not None:
        _add_reference(gains, brief, is_question=bool(_QUESTION.match(lowered)))
        gains["work_request"] += _STARTS_IT if _starts_named(text, brief) else 0.0
    return gains


def _starts_named(text: str, brief: ContextBrief) -> bool:
    """“Run a signals search for Acme”: whether what is published is named to be started, once and not once more."""
    if not starts_it(text) or says_again(text) or _EVERY.search(text.lower()):
        return False
    return _names_definition(text, (*brief.of("definitions"), *brief.of("capabilities")))


def _add_reference(gains: dict[Intent, float], brief: ContextBrief, *, is_question: bool) -> None:
    kinds = {ref.kind for ref in brief.reference.refs}
    if kinds & RECORD_KINDS:
        gains["record_question"] += _POINTS_AT if is_question else _POINTS_AT / 3
        gains["capability_question"] -= 0.15
        gains["run_question"] -= 0.15
    elif "run" in kinds:
        gains["run_question"] += _POINTS_AT if is_question else 0.0
        gains["record_question"] -= 0.2
    elif kinds & DEFINITION_KINDS:
        gains["capability_question"] += _POINTS_AT if is_question else 0.0
        gains["work_request"] += _STARTS_IT if starts_it(brief.message) else 0.0
        gains["record_question"] -= 0.2
    elif _names_definition(brief.message, brief.of("definitions")):
        gains["capability_question"] += 0.2 if is_question else 0.0


def _names_definition(message: str, items: tuple[BriefItem, ...]) -> bool:
    lowered = message.lower()
    return any(item.label and item.label.lower() in lowered for item in items if item.kind == "definition")
