"""Lesson 25: "any more?", "the second one", "yes", a bare "May", a topic change and return."""

import pytest

from agencycore.ai.scripted import ScriptedResponder, playing
from agencycore.ai.types import ModelError
from agencycore.ai.wire import WireClarify
from agencycore.tenancy import tenant
from conversations.models import Conversation
from organizations.models import UsageRecord
from tests.chat.pipeline import Talk, answer_from, delegate_to
from tests.chat.working import SIGNALS, publish_signals
from tests.lessons.desk import RAIL, RAIL_QUESTION, TRAVEL, company, key_of, said, upload

CLOSING = """# Office closing days

## April

In April the office in Porto is closed on the second Friday.

## May

In May the office in Porto is closed on the twelfth.

## June

In June the office in Porto is closed on the last Monday.
"""
WHICH_MONTH = WireClarify(outcome="clarify", question="Which month do you mean?", options=[])
DOWN = ModelError("timeout", "It took too long.", retryable=False, reached_vendor=True)


def texts(turn, source: str) -> list[str]:
    return [item["text"] for item in turn.brief["items"] if item["source"] == source]


def test_lesson_25_any_more_reads_the_sources_of_the_question_before(any_talk):
    talk = any_talk
    upload(talk.person, TRAVEL)
    first = talk.say(RAIL_QUESTION, decision=answer_from("knowledge_chunk", label="Travel"))

    more = talk.say("any more?", decision=answer_from("knowledge_chunk", label="Travel"))

    assert talk.cited(first)[0] in {("knowledge_chunk", item["id"]) for item in more.brief["items"] if item["key"]}
    assert RAIL in texts(more, "knowledge")
    assert more.outcome == "answer"
    assert more.brief["query"].startswith(RAIL_QUESTION)


@pytest.mark.parametrize(
    ("words", "index"), [("the second one", 1), ("And the first one?", 0), ("Who owns the last one?", 2)]
)
def test_lesson_25_the_second_one_is_the_second_of_the_newest_list(any_talk, words, index):
    talk = any_talk
    named = [company(talk.person, name, industry="Robots") for name in ("Acme", "Birch", "Cedar")]

    def all_three(request):
        keys = [next(i.key for i in request.brief.evidence if i.id == ref.id) for ref in named]
        lines = [f"- {ref.label} makes robots [{key}]" for ref, key in zip(named, keys, strict=True)]
        return said("\n".join(lines), *keys)

    with playing([all_three]):
        talk.work(talk.post("Which industry are these companies in?", *named))

    turn = talk.say(words, decision=answer_from("company", label=named[index].label))

    assert turn.brief["reference"]["status"] == "resolved"
    assert [ref["id"] for ref in turn.brief["reference"]["refs"]] == [named[index].id]
    assert turn.outcome == "answer"
    assert talk.cited(turn) == [("company", named[index].id)]


def test_lesson_25_yes_starts_the_work_that_was_offered(any_talk):
    talk = any_talk
    publish_signals(talk.person)
    upload(talk.person, TRAVEL)
    offer = "Find companies with hiring signals in Portugal"

    def answer_and_offer(request):
        return said(f"Within fourteen days [{key_of(request, RAIL)}].", key_of(request, RAIL), offer=offer)

    with playing([answer_and_offer]):
        talk.work(talk.post(f"{RAIL_QUESTION} And find companies with hiring signals in Portugal."))

    turn = talk.say("yes, do it", decision=delegate_to(SIGNALS))

    run = talk.run(turn)
    assert (turn.state, run.version.definition.slug) == ("delegated", SIGNALS)
    assert run.goal["message"] == offer


def test_lesson_25_a_bare_may_answers_our_question(any_talk):
    """A pending clarify answered by a bare "May": the original question, for that month."""
    talk = any_talk
    upload(talk.person, CLOSING, "closing.md")
    with playing([WHICH_MONTH]):
        asked = talk.work(talk.post("On which day is the office in Porto closed?"))
    assert asked.state == "clarified"

    turn = talk.say("May", decision=lambda request: _say_month(request, "twelfth"))

    assert "On which day is the office in Porto closed?" in turn.brief["query"]
    assert turn.brief["query"].endswith("May")
    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    assert "twelfth" in reply.text
    assert [citation.excerpt for citation in reply.citations.all()] == [
        "In May the office in Porto is closed on the twelfth."
    ]


def _say_month(request, words: str):
    key = key_of(request, words)
    return said(f"On the {words} [{key}].", key)


def talk_until_the_summary_rolls(talk: Talk) -> None:
    for number in range(4):
        talk.say("hello" if number % 2 else "thanks", decision=said("Hello again." if number % 2 else "Gladly."))


def test_lesson_25_a_topic_change_and_return_after_the_summary_rolled(any_talk):
    talk = any_talk
    upload(talk.person, TRAVEL)
    acme = company(talk.person, "Acme", industry="Robots")
    talk.say(RAIL_QUESTION, decision=answer_from("knowledge_chunk", label="Travel"))
    talk.say("Which industry is this company in?", acme, decision=answer_from("company"))
    talk_until_the_summary_rolls(talk)
    with tenant(talk.organization_id):
        conversation = Conversation.objects.get()
    assert (bool(conversation.summary), conversation.summary_message_count) == (True, 6)

    tickets = talk.say(
        "Back to second class tickets: when are they refunded?",
        decision=answer_from("knowledge_chunk", label="Travel"),
    )
    owner = talk.say("And who owns that company?", decision=answer_from("company"))

    assert RAIL in texts(tickets, "knowledge")
    assert [c.excerpt for c in talk.replies(tickets)[0].citations.all()] == [RAIL]
    assert next(i["kind"] for i in tickets.brief["items"] if i["source"] == "conversation") == "summary"
    assert not [i for i in tickets.brief["items"] if i["kind"] == "summary" and i["key"]]
    assert talk.cited(owner) == [("company", acme.id)]


def test_lesson_25_recent_turns_survive_a_failed_summary(talk):
    """The pass that fails is repeated by the next turn; meanwhile the newest messages go in verbatim."""
    said_so_far = [f"What is kept in vault {n}?" for n in range(1, 7)]
    unknown = said("That is not known here.", unresolved=("The vault",))
    responder = ScriptedResponder([unknown] * 6, summaries=[DOWN, DOWN, "They asked about vaults."])
    with playing(responder):
        for text in said_so_far[:5]:
            turn = talk.work(talk.post(text))
            assert turn.state == "answered"
        with tenant(talk.organization_id):
            assert Conversation.objects.get().summary == ""
        sixth = talk.work(talk.post(said_so_far[5]))
        with tenant(talk.organization_id):
            second_failure = Conversation.objects.get().summary

    shown = [text for text in texts(sixth, "conversation") if text.startswith("What")]
    assert shown == said_so_far[:5]
    assert second_failure == ""
    with playing([unknown], summaries=["They asked about vaults."]):
        talk.work(talk.post("What is kept in vault 7?"))
    with tenant(talk.organization_id):
        conversation = Conversation.objects.get()
        rows = UsageRecord.objects.filter(purpose="summary").values_list("owner_id", flat=True)
        assert len(rows) == len(set(rows)) == 3
    assert (conversation.summary, conversation.summary_message_count) == ("They asked about vaults.", 10)
