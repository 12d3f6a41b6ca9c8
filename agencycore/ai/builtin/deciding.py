"""One brief on its way to one outcome: routed, then answered, asked about, handed over or declined."""

from collections.abc import Sequence
from dataclasses import replace

from agencycore.ai.asked import asked_part, asks_further, asks_more, compared_sides, denies_work, is_question
from agencycore.ai.beside_stop import asks_beside_stop
from agencycore.ai.builtin import speech
from agencycore.ai.builtin.asking import ask_about_reference, ask_to_pick, ask_which, still_unclear
from agencycore.ai.builtin.changes import decline_change
from agencycore.ai.builtin.claimed import asked_done, deny_work
from agencycore.ai.builtin.compound import asks_of
from agencycore.ai.builtin.control import explain_steering, let_go_on, list_stoppable, point_to_buttons, stop_run
from agencycore.ai.builtin.evidence import (
    answer_question,
    more_of_topic,
    near_records,
    nearest_passage,
    pointed_records,
    sources_for,
    sure_passages,
    told_surely,
)
from agencycore.ai.builtin.examples import Intent
from agencycore.ai.builtin.further import rest_of_records
from agencycore.ai.builtin.gaps import as_said
from agencycore.ai.builtin.going_on import given_run, goes_on, names_change
from agencycore.ai.builtin.handoff import (
    accept_offer,
    could_not_start,
    find_capability,
    hand_over,
    offer_of,
    run_again,
)
from agencycore.ai.builtin.handoff import delegate as delegate_to
from agencycore.ai.builtin.history import (
    answer_about_conversation,
    open_offer,
    pending_clarify,
    question_before,
    told_before,
)
from agencycore.ai.builtin.language import content_stems, shortened, stems
from agencycore.ai.builtin.lists import asked_list, changes_record, speaks_of_record
from agencycore.ai.builtin.named_records import named_alone
from agencycore.ai.builtin.opened import answer_from_open_record, open_records
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import carried
from agencycore.ai.builtin.replies import Found, clarify, found_answer
from agencycore.ai.builtin.requests import counts_off, is_request, verb_of
from agencycore.ai.builtin.rereading import rereadings, with_topic_corrected
from agencycore.ai.builtin.routing import RECORD_KINDS, Route, Router
from agencycore.ai.builtin.runs import asks_list, run_items, runs_asked_about, tell_runs
from agencycore.ai.builtin.unable import asks_of_reply, unable_to
from agencycore.ai.measures import names_other_measure
from agencycore.ai.run_asks import asked_runs
from agencycore.ai.stop_requests import drops_it, lets_go_on, names_of_work, wants_stop
from agencycore.ai.types import ContextBrief
from agencycore.ai.wire import WireAnswer, WireOutcome

_STARTS_OR_AGREES: frozenset[Intent] = frozenset(
    {"work_request", "authoring_request", "schedule_request", "human_request", "rerun_request", "affirmation"}
)
ENGLISH = "en"
RUN_STEMS = frozenset(stems("run running ran runs job search workflow agent started execution"))


class Decider:
    """One brief on its way to one outcome."""

    def __init__(self, brief: ContextBrief, router: Router, *, may_start: bool, may_ask: bool) -> None:
        # A text that was pasted beside the question would be taken for what is asked.
        as_sent, brief = brief, replace(brief, message=asked_part(brief.message))
        self._router = router
        self._may_start = may_start
        self._pending = pending_clarify(brief)
        self._wants_stop = wants_stop(as_sent, self._pending.item if self._pending else None)
        if self._pending and self._pending.is_picked and self._pending.original:
            # The reply says which one is meant; what is asked about it was said before.
            brief = replace(brief, message=asked_part(self._pending.original))
        self._may_ask = may_ask and self._pending is None
        self._is_assumed = brief.reference.status == "ambiguous" and not self._may_ask
        self._brief = _with_likeliest(brief) if self._is_assumed else brief

    def outcome(self) -> WireOutcome:
        brief = self._brief
        if brief.message_class in speech.SPEECH_ACTS:
            return speech.speech_act(brief.message_class)
        if brief.message_class == "conversation":
            return answer_about_conversation(brief)
        if speech.is_distress(brief.message):
            return speech.SUPPORT
        if asks_of_reply(brief.message) and (unable := unable_to(brief.message)) is not None:
            return unable
        if (kept := self._kept()) is not None:
            return kept
        if denies_work(brief.message):
            return self._ready()
        route = self._route()
        if route.intent == "injection":
            return speech.refused_instructions()
        if route.intent == "stop_request" and brief.reference.status != "absent":
            return self._stop()
        if route.intent == "steer_request":
            return explain_steering(brief)  # the same of any run, so that it does not matter which one is meant
        if done := asked_done(brief.message):
            return deny_work(done, brief)
        if route.intent == "schedule_request" and find_capability(route, brief) is None:
            return self._work(route)  # nothing plans recurring runs, whichever is meant
        if (asked := ask_about_reference(brief, may_ask=self._may_ask)) is not None:
            return asked
        if (more := self._more()) is not None:
            return more
        if (given := self._about_given_work(route)) is not None:
            return given
        if changes_record(brief.message) and find_capability(route, brief) is None:
            return decline_change(brief.message, brief)
        if (compared := self._compared(route)) is not None:
            return compared
        decided = self._answer_asks() or self._by_intent(route)
        if brief.reference.status == "missing" and isinstance(decided, WireAnswer) and not decided.unresolved:
            return still_unclear(brief)
        return self._naming_assumption(decided)

    def _kept(self) -> WireOutcome | None:
        """“Don't stop it”, “never mind”: nothing is done, and what is at work goes on."""
        brief = self._brief
        if self._wants_stop or not (drops_it(brief.message) or lets_go_on(brief.message, names_of_work(brief))):
            return None
        if (kept := let_go_on(brief)) is not None or not drops_it(brief.message):
            return kept
        return self._ready()

    def _ready(self) -> WireOutcome:
        return clarify(speech.SMALLTALK) if self._may_ask else speech.nothing_to_do()

    def _stop(self) -> WireOutcome:
        # An assumption is good enough to answer by, never to stop a run by.
        is_clear = self._wants_stop and not self._is_assumed
        brief = self._brief
        decided = stop_run(brief, may_ask=self._may_ask) if is_clear else list_stoppable(brief)
        return self._with_answers(decided, asks_beside_stop(brief.message, names_of_work(brief)))

    def _with_answers(self, decided: WireOutcome, asks: Sequence[str]) -> WireOutcome:
        """Where nothing was stopped, what was asked beside it is told in the same answer, or named as open."""
        if not isinstance(decided, WireAnswer) or not asks:
            return decided
        texts, gaps = [decided.text], list(decided.unresolved)
        for ask in asks:
            route = self._router.route_text(ask, self._brief)
            found = self._answered(route.intent, self._question(ask)) if is_question(ask) else None
            texts += [found.text] if found is not None else []
            gaps += found.missing if found is not None else [f"To be asked for by itself: {ask.strip(' .!?')}"]
        return found_answer(Found("\n\n".join(dict.fromkeys(texts)), 1.0, tuple(gaps)))

    def _more(self) -> WireOutcome | None:
        """More of the topic that was asked about; None where no more is asked for, or it was a record or nothing."""
        brief = self._brief
        before = question_before(brief) if asks_more(brief.message) and self._pending is None else ""
        pointed = pointed_records(brief)
        if before and pointed and asks_further(brief.message):
            about = tuple(item.label for item in pointed)
            rest = rest_of_records(Question(before, about), pointed, told_before(brief))
            return found_answer(rest) if rest is not None else None
        if not before or pointed or Question(before).record_named:
            return None
        if self._router.route_text(before).intent not in ("knowledge_question", "capability_question"):
            return None
        if down := speech.unavailable_words(brief, "knowledge"):
            return speech.could_not_check(down)
        found = more_of_topic(Question(before), brief)
        return found_answer(found) if found is not None else speech.nothing_more(Question(before))

    def _about_given_work(self, route: Route) -> WireOutcome | None:
        """“Why?”, “any more?” right after work was handed over or stopped: what became of that run.

        “And Spain?” after a stop is half a request: nothing is started for it.
        """
        brief = self._brief
        if self._pending or route.intent in _STARTS_OR_AGREES or open_offer(brief):
            return None
        run = given_run(brief) if {ref.kind for ref in brief.reference.refs} <= {"run"} else None
        if run is None or is_request(brief.message) or not goes_on(brief):
            return None
        if names_change(brief.message):
            return speech.half_a_request(brief.message)
        if counts_off(brief.message):
            return ask_to_pick("") if self._may_ask else still_unclear(brief)
        question = Question(brief.message)
        return None if question.terms else found_answer(tell_runs(question, [run]))

    def _naming_assumption(self, decided: WireOutcome) -> WireOutcome:
        if not self._is_assumed or not isinstance(decided, WireAnswer):
            return decided
        label = self._brief.reference.refs[0].label
        return decided.model_copy(update={"text": f"I take it that you mean {label}. {decided.text}"})

    def _route(self) -> Route:
        """The message's route; where it answers a question of ours, the route of what that was about."""
        route = self._router.route(self._brief)
        if route.intent == "stop_request":
            return route  # whatever was asked back
        pending = self._pending
        if pending and pending.original and (pending.is_picked or not _stands_alone(self._brief.message, route)):
            return self._router.route_text(pending.original, self._brief)
        return route

    def _answer_asks(self) -> WireOutcome | None:
        """Several asks in one message: each question is answered or named as open, and work is offered beside them.

        Where no question is answered the work is started; None where there is none either.
        """
        asks = asks_of(self._brief, self._router)
        if asks is None:
            return None
        asked = [(route, self._question(route.text)) for route in asks.questions]
        found = [self._told(route.intent, question) for route, question in asked]
        told = [answer for answer in found if answer is not None]
        if not any(answer.strength for answer in told) and not asks.stop:
            return self._start_first(asks.work)
        texts = list(dict.fromkeys(answer.text for answer in told))
        if len(texts) < len(asked) and not asks.work and not asks.stop and None not in found:
            return None
        gaps = [self._gap(question) for (_, question), one in zip(asked, found, strict=True) if one is None]
        offer, undone = self._offer(asks.work)
        undone += [f"To be asked for by itself: {asks.stop.strip(' .!?')}"] if asks.stop else []
        gaps = [*(gap for answer in told for gap in answer.missing), *gaps, *undone]
        strength = min((answer.strength for answer in told), default=0.0)
        texts = texts or [speech.nothing_covers(self._as_said(asked[0][1])).text]
        return found_answer(Found("\n\n".join(texts), strength, tuple(gaps)), offer=offer)

    def _gap(self, question: Question) -> str:
        """What is said of a question beside others that nothing answers."""
        if question.record_named and not pointed_records(self._brief):
            return speech.not_at_hand(question.record_named).unresolved[0]
        return f"No ready document covers: {speech.gap_of(self._as_said(question))}"

    def _told(self, intent: Intent, question: Question) -> Found | None:
        """As ``_answered``; that no list can be given is told as well, and answers nothing."""
        unlisted = self._asks_for_list(question)
        if not isinstance(unlisted, WireAnswer):
            return self._answered(intent, question)
        return Found(unlisted.text, 1.0 if unlisted.citations else 0.0, tuple(unlisted.unresolved))

    def _start_first(self, work: Sequence[Route]) -> WireOutcome | None:
        """The first work that something here does; what was asked beside it goes along, as it is in the message."""
        route = next((route for route in work if find_capability(route, self._brief)), None)
        return hand_over(route, self._brief) if route is not None and self._may_start else None

    def _offer(self, work: Sequence[Route]) -> tuple[str, list[str]]:
        """The first work that something here does, as an offer, and what is said of the rest."""
        offered = next((route for route in work if find_capability(route, self._brief)), None)
        rest = [route for route in work if route is not offered]
        undone = [f"{self._why_not(route)}: {shortened(route.text.strip(' .!?'), 80)}" for route in rest]
        return offer_of(offered.text) if offered else "", undone

    def _why_not(self, route: Route) -> str:
        is_served = find_capability(route, self._brief) is not None
        return "To be asked for by itself" if is_served else "No published agent or workflow for"

    def _by_intent(self, route: Route) -> WireOutcome:
        brief = self._brief
        match route.intent:
            case "work_request" | "authoring_request" | "schedule_request" | "human_request":
                return self._work(route)
            case "rerun_request":
                return run_again(brief) if self._may_start else could_not_start()
            case "affirmation":
                return self._affirmed()
            case "approval_reply":
                return point_to_buttons(brief)
            case "conversation" if (told := self._about_conversation()) is not None:
                return told
            case "smalltalk" if changes_record(brief.message):
                return decline_change(brief.message, brief)
            case "smalltalk" if (sure := told_surely(self._question(route.text), brief)) is not None:
                return found_answer(sure)
            case "smalltalk" if self._router.model.known_share(brief.message) >= 1:
                return clarify(speech.SMALLTALK) if self._may_ask else speech.nothing_covers(Question(""))
            case _:
                return self._question_outcome(route)

    def _about_conversation(self) -> WireAnswer | None:
        """The last reply again, if it stands on sources: the message only looks like one about the conversation."""
        told = answer_about_conversation(self._brief) if self._brief.of("conversation") else None
        return told if told is not None and told.citations else None

    def _question(self, text: str) -> Question:
        """The question as asked; where it says too little, as the query made it whole."""
        about = tuple(ref.label for ref in self._brief.reference.refs if ref.label)
        if asks_more(self._brief.message) and pointed_records(self._brief):
            return Question(self._brief.message, about)
        said, pointed = Question(self._brief.message, about), pointed_records(self._brief)
        # “And its deals?” names the field itself, and “and the later close date?” what to order by.
        names_field = pointed and said.terms and all(carried(said.terms, item) == 1 for item in pointed)
        if (len(about) > 1 and names_other_measure(said.text)) or (names_field and text == self._brief.query):
            return said
        own = Question(text, about)
        is_whole = text != self._brief.query or bool(Question(self._brief.message, about).terms)
        if (own.terms and is_whole) or not self._brief.query:
            return own
        # “And the other one?” of one record asks what was asked last, and not all that was asked so far.
        before = question_before(self._brief) if len(pointed_records(self._brief)) == 1 else ""
        return Question(before or self._brief.query, about)

    def _as_said(self, question: Question) -> Question:
        return as_said(question, self._brief)

    def _work(self, route: Route) -> WireOutcome:
        question = self._question(route.text)
        if find_capability(route, self._brief) is None and (unlisted := self._asks_for_list(question)) is not None:
            return unlisted
        reads_record = question.asks_overview and pointed_records(self._brief)
        capability = None if reads_record else find_capability(route, self._brief)
        if capability is None and (reads_record or _is_asked(route.text)):
            found = self._answered("record_question" if reads_record else route.intent, question)
            if found is not None:
                return found_answer(found)
        if capability is None and (told := self._how_to()) is not None:
            return told
        if capability is None and route.intent == "work_request" and not is_request(route.text):
            found = sure_passages(question, self._brief)  # "maximum number of runs" has no form of a question
            return found_answer(found) if found is not None else self._unanswered(route, question)
        return hand_over(route, self._brief) if self._may_start else could_not_start()

    def _how_to(self) -> WireOutcome | None:
        """How the person does it themselves, where something is asked to be done to the record at hand."""
        brief, verb = self._brief, verb_of(self._brief.message)
        kinds = [ref.kind.replace("_", " ") for ref in brief.reference.refs if ref.kind in RECORD_KINDS]
        if not verb or not (kinds or len(Question(brief.message).terms) <= 1):
            return None
        found = answer_question("knowledge_question", Question(" ".join(["How do I", verb, *kinds[:1]]) + "?"), brief)
        return found_answer(replace(found, text=f"{speech.NOT_BY_CHAT} {found.text}")) if found is not None else None

    def _affirmed(self) -> WireOutcome:
        accepted = accept_offer(self._brief, self._router) if self._may_start else could_not_start()
        if accepted is not None:
            return accepted
        return clarify("What would you like me to do?") if self._may_ask else speech.nothing_covers(Question(""))

    def _question_outcome(self, route: Route) -> WireOutcome:
        brief, question = self._brief, self._question(route.text)
        if brief.language != ENGLISH and self._router.is_foreign(brief):
            found = self._answered(route.intent, question)
            return found_answer(found) if found is not None else speech.english_only(self._as_said(question))
        if self._asks_of_record(route, question) and self._is_about_another_record(question):
            return self._record_elsewhere(replace(route, intent="record_question"), question)
        if route.intent == "run_question" and self._may_ask and question.shape == "why":
            runs = runs_asked_about(brief, question)
            if len(runs) > 1 and not asks_list(question):
                return ask_which([item.ref for item in runs], "run")
        if route.intent == "run_question" and asked_runs(question.text) and not run_items(brief):
            return self._unanswered(route, question)  # no page says what runs there are
        if (unlisted := self._asks_for_list(question)) is not None:
            return unlisted
        found = self._answered(route.intent, question)
        return found_answer(found) if found is not None else self._unanswered(route, question)

    def _answered(self, intent: Intent, question: Question) -> Found | None:
        """The answer to the question as typed; else without its stray words, else the nearest in another language."""
        question = with_topic_corrected(question, self._brief)
        for asked in (question, *rereadings(question, self._brief)):
            found = answer_question(intent, asked, self._brief)
            if found is not None:
                return found
        return nearest_passage(question, self._brief) if self._router.is_foreign(self._brief) else None

    def _asks_for_list(self, question: Question) -> WireOutcome | None:
        """Which records there are, or how many: no record that is at hand can say that."""
        noun = asked_list(question)
        if not noun or pointed_records(self._brief):
            return None
        found = answer_from_open_record(question, self._brief)
        return found_answer(found) if found is not None else speech.no_lists(self._as_said(question), noun)

    @staticmethod
    def _asks_of_record(route: Route, question: Question) -> bool:
        """Whether it asks what a record says: it is like such questions, or a name stands where a record's can."""
        is_of_run = bool(RUN_STEMS & set(stems(question.text)))
        return route.intent == "record_question" or (bool(question.record_named) and not is_of_run)

    def _is_about_another_record(self, question: Question) -> bool:
        """Whether a record is named that is neither pointed at nor among those told."""
        names = self._names(question)
        if pointed_records(self._brief) or not names:
            return False
        labels = " ".join(item.label for item in self._brief.items if item.source != "capabilities").lower()
        return not any(name.lower() in labels for name in names)

    def _names(self, question: Question) -> list[str]:
        """Those of the message; where it has none, those of what it goes on from."""
        own = Question(self._brief.message).names or self._named_beside_record().split()
        return list(own or question.names)

    def _named_beside_record(self) -> str:
        """ "halden" of “and halden?” where a record was told before, and nothing at hand goes by that name."""
        is_bare = self._brief.reference.status == "not_needed" and near_records(self._brief)
        return named_alone(self._brief.message) if is_bare else ""

    def _name_told(self, question: Question) -> str:
        """The same as one name, with what stands between its words."""
        own = Question(self._brief.message)
        asked = own if own.names else question
        return (not own.names and self._named_beside_record()) or asked.record_named or " ".join(asked.names)

    def _compared(self, route: Route) -> WireOutcome | None:
        """Records that are to be compared: told where they are at hand, else the one that is not is named."""
        question = self._question(route.text)
        if not question.compares:
            return None
        if len(pointed_records(self._brief)) > 1:
            found = self._answered("record_question", question)
            return found_answer(found) if found is not None else None
        labels = [item.label for item in self._brief.items if item.source != "capabilities"]
        known = set(content_stems(" ".join(labels)))
        away = [
            side for side in compared_sides(question.text) if (said := set(content_stems(side))) and not said & known
        ]
        return self._record_elsewhere(replace(route, intent="record_question"), question, away) if away else None

    def _record_elsewhere(self, route: Route, question: Question, names: Sequence[str] = ()) -> WireOutcome:
        found = answer_question("knowledge_question", question, self._brief)
        if found is not None:
            return found_answer(found)
        capability = find_capability(route, self._brief) if self._may_start else None
        if capability is not None:
            return delegate_to(capability, self._brief, route.text)
        return speech.not_at_hand(*(names or [self._name_told(question)]))

    def _unanswered(self, route: Route, question: Question) -> WireOutcome:
        """Nothing answers: say what could not be checked, pass it on, ask which record, or name what is missing."""
        brief = self._brief
        if down := speech.unavailable_words(brief, *sources_for(route.intent)):
            return speech.could_not_check(down)
        opened = open_records(brief)
        match route.intent:
            case "record_question":
                return self._unanswered_record(question)
            case "run_question" if opened and not RUN_STEMS & set(stems(question.text)):
                return speech.not_recorded(self._as_said(question), opened[:1])
            case "knowledge_question" if self._is_about_another_record(question) and speaks_of_record(question):
                return speech.not_at_hand(self._name_told(question))
            case "run_question":
                return speech.no_run_fits(has_runs=bool(run_items(brief)))
            case "external_facts" | "offtopic":
                return self._unanswered_outside(route, question)
            case _:
                return speech.nothing_covers(self._as_said(question))

    def _unanswered_record(self, question: Question) -> WireOutcome:
        records = pointed_records(self._brief) or near_records(self._brief)
        if records:
            return speech.not_recorded(self._as_said(question), records)
        if self._brief.of("application") or question.shape == "overview":
            return ask_to_pick("") if self._may_ask else still_unclear(self._brief)
        return speech.nothing_covers(self._as_said(question))

    def _unanswered_outside(self, route: Route, question: Question) -> WireOutcome:
        asks_outside = self._may_start and route.intent == "external_facts"
        capability = find_capability(route, self._brief) if asks_outside else None
        if capability is not None and _covers(capability.words, question):
            return delegate_to(capability, self._brief, route.text)
        return speech.not_from_chat(self._as_said(question))


def _with_likeliest(brief: ContextBrief) -> ContextBrief:
    """The brief as if the first candidate were meant: no question follows a question."""
    reference = replace(brief.reference, status="resolved", refs=brief.reference.refs[:1])
    return replace(brief, reference=reference)


def _covers(words: str, question: Question) -> bool:
    """Whether a capability's own description speaks of most of what is asked."""
    described = set(Question(words).terms)
    asked = question.terms
    return bool(asked) and sum(term in described for term in asked) >= 0.6 * len(asked)


def _stands_alone(message: str, route: Route) -> bool:
    return len(Question(message).terms) >= 3 and route.classified.margin > 0.1


def _is_asked(text: str) -> bool:
    return text.rstrip().endswith("?") or Question(text).shape in (
        "why",
        "who",
        "when",
        "where",
        "definition",
        "yes_no",
    )
