"""Whatever a model does, the door ends with one valid decision, in time and with the reason recorded."""

import pytest

from agencycore.ai.types import ModelError, Reference
from chat.frontdoor import door, speech
from chat.frontdoor.decision import Answer, Clarify, ControlRun
from tests.chat.frontdoor.briefs import (
    COMPANY,
    OTHER_COMPANY,
    RUN,
    FixedFallback,
    ScriptedCaller,
    answer_wire,
    brief,
    capability,
    clarify_wire,
    company,
    control_wire,
    delegate_wire,
    passage,
    reply,
    run,
    seconds,
)

GOOD = reply(answer_wire("A stage says how far a company is [r2].", "r2"))
BAD = reply(answer_wire("A stage is a stage."))
FALLBACK = FixedFallback(answer_wire("From the page: how far a company is [r2].", "r2"))
BRIEF = brief(company(), passage(), run(), capability())


def error(code="server_error", *, retryable=True, after=None):
    return ModelError(code, "It failed.", retryable=retryable, reached_vendor=True, retry_after_seconds=after)


def decide(script, on=BRIEF, remaining=100.0, fallback=FALLBACK, **extra):
    caller = ScriptedCaller(list(script), chunk=extra.pop("chunk", 0))
    waits: list[float] = []
    verdict = door.decide(
        brief=on,
        caller=caller,
        remaining_seconds=seconds(remaining),
        wait=waits.append,
        fallback=fallback,
        **extra,
    )
    return verdict, caller, waits


def test_a_good_reply_is_one_call():
    verdict, caller, waits = decide([GOOD])

    assert verdict.decision.text == "A stage says how far a company is [1]."
    assert (verdict.provider, verdict.model, verdict.fallback) == ("scripted", "scripted-1", "")
    assert (verdict.refusals, verdict.rejected_refs, waits) == ((), (), [])
    ((request, is_repair),) = caller.requests
    assert (is_repair, request.repair, request.timeout_seconds) == (False, None, 60.0)
    assert request.prompt == verdict.prompt


def test_an_invalid_reply_is_repaired_once_with_its_reasons():
    verdict, caller, _ = decide([BAD, GOOD])

    assert verdict.decision.citations[0].key == "r2"
    assert verdict.fallback == ""
    assert [is_repair for _, is_repair in caller.requests] == [False, True]
    assert caller.requests[1][0].repair.refused_reply == BAD.text
    assert caller.requests[1][0].repair.reasons == verdict.refusals
    assert "cites nothing" in verdict.refusals[0]


def test_two_invalid_replies_end_in_the_fallback():
    verdict, caller, _ = decide([BAD, reply("garbage")])

    assert verdict.decision.text == "From the page: how far a company is [1]."
    assert (verdict.provider, verdict.fallback, len(caller.requests)) == ("builtin", "invalid", 2)
    assert len(verdict.refusals) == 2


def test_a_call_that_may_succeed_is_made_again_once():
    verdict, caller, waits = decide([error(after=4.0), GOOD])

    assert (verdict.fallback, len(caller.requests), waits) == ("", 2, [4.0])
    assert verdict.refusals == ("server_error: It failed.",)


@pytest.mark.parametrize(
    ("script", "remaining"),
    [
        ([error(), error(), GOOD], 100.0),
        ([error(retryable=False), GOOD], 100.0),
        ([error(after=60.0), GOOD], 30.0),
        ([GOOD], 4.0),
        ([GOOD], -5.0),
    ],
    ids=["twice", "final", "too long a wait", "no time", "past the deadline"],
)
def test_a_vendor_that_does_not_answer_ends_in_the_fallback(script, remaining):
    verdict, _, _ = decide(script, remaining=remaining)

    assert verdict.decision.text == "From the page: how far a company is [1]."
    assert verdict.fallback == "vendor"


def test_a_call_gets_no_more_time_than_is_left():
    _, caller, _ = decide([GOOD], remaining=20.0)

    assert caller.requests[0][0].timeout_seconds == 17.0


def test_a_repair_that_fails_leaves_an_invalid_reply():
    verdict, _, _ = decide([BAD, error(retryable=False)])

    assert verdict.fallback == "invalid"


def test_a_spent_day_limit_is_said_and_nothing_is_called_again():
    verdict, caller, waits = decide([error("limit", retryable=False)])

    assert verdict.fallback == "limit"
    assert verdict.decision.text == f"From the page: how far a company is [1].\n\n{speech.LIMIT_REACHED}"
    assert (len(caller.requests), waits) == (1, [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        answer_wire("No source."),
        answer_wire("Invented [r9].", "r9"),
        delegate_wire("signals-search"),
        control_wire("unknown"),
    ],
)
def test_an_invalid_fallback_ends_in_plain_honest_words(text):
    verdict, _, _ = decide([BAD, BAD], fallback=FixedFallback(text))

    assert verdict.decision == Answer(
        speech.MODEL_FAILED, unresolved=("No answer could be made to “What is lifecycle stage?”",)
    )
    assert verdict.fallback == "invalid"


def test_a_fallback_that_breaks_ends_in_plain_honest_words():
    class Broken(FixedFallback):
        def fallback(self, brief):
            raise RuntimeError("bug")

    verdict, _, _ = decide([error("limit", retryable=False)], fallback=Broken(""))

    assert verdict.decision.text == f"{speech.LIMIT_REACHED} {speech.MODEL_FAILED}"


def test_the_last_words_name_what_could_not_be_checked():
    verdict, _, _ = decide([BAD, BAD], on=brief(down=["knowledge", "runs"]), fallback=FixedFallback(""))

    assert verdict.decision.text.endswith("I could not check recent runs and the documents just now.")
    assert len(verdict.decision.unresolved) == 3


def test_the_fallback_may_clarify_and_cancel():
    two = brief(company(), message="Tell me", reference=Reference("ambiguous", (COMPANY, OTHER_COMPANY), "it"))
    asked, _, _ = decide([error(retryable=False)], on=two, fallback=FixedFallback(clarify_wire("Which?")))
    stop = brief(run(), message="Stop that", reference=Reference("resolved", (RUN,), "that"))
    stopped, _, _ = decide([error(retryable=False)], on=stop, fallback=FixedFallback(control_wire(RUN.id)))

    assert isinstance(asked.decision, Clarify)
    assert stopped.decision == ControlRun(RUN.id)


def test_rejected_refs_of_every_reply_are_recorded():
    first = reply(answer_wire("Invented [r9].", "r9"))

    verdict, _, _ = decide([first, reply(answer_wire("A stage [r2]. Nonsense [r8].", "r2"))])

    assert verdict.rejected_refs == ("r9", "r8")
    assert verdict.decision.text == "A stage [1]."
    assert verdict.notes == ("withheld (cites nothing in the brief): Nonsense [r8].",)


def test_an_answer_is_streamed_as_it_will_be_stored():
    shown: list[str] = []

    verdict, _, _ = decide([GOOD], on_text=shown.append, chunk=3)

    assert "".join(shown) == verdict.decision.text == "A stage says how far a company is [1]."


def test_after_something_was_shown_a_broken_call_keeps_it():
    class Breaking(ScriptedCaller):
        def decide(self, request, *, is_repair):
            self.requests.append((request, is_repair))
            request.on_text(answer_wire("First [r2]. Second [r2]. Third half", "r2")[:-3])
            raise error()

    shown: list[str] = []
    caller = Breaking([])
    verdict = door.decide(brief=BRIEF, caller=caller, remaining_seconds=seconds(100), on_text=shown.append)

    assert "".join(shown) == verdict.decision.text == "First [1]. Second [1]."
    assert verdict.decision.unresolved == (speech.CUT_SHORT,)
    assert (len(caller.requests), verdict.fallback) == (1, "")


def test_a_stop_of_the_listener_is_not_swallowed():
    class Stopped(Exception):
        pass

    def stop(text):
        raise Stopped

    with pytest.raises(Stopped):
        decide([GOOD, GOOD], on_text=stop, chunk=5)
