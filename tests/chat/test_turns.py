"""One message, one turn, one reply: whatever happens on the way."""

import datetime
import threading
import uuid
from collections.abc import Callable

import pytest
from django.db import connections
from django.utils import timezone

from agencycore.ai.scripted import playing
from agencycore.ai.types import ModelError
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.dispatch import queue, sweeper
from agencycore.dispatch.models import Dispatch
from agencycore.refs import ResourceRef
from agencycore.streams.models import Event
from agencycore.tenancy import tenant
from chat import outcomes, turns
from chat.actions import accept_message, stop_turn
from chat.models import Turn
from conversations.models import Citation, Conversation, ConversationEntity, Message
from crm.models import Company
from organizations.models import Membership, ModelCall, UsageRecord
from tests.chat.turning import ask, expire_lease, publish_lifecycle_page, replies_to, reread, send, work_on
from tests.people import Person

QUESTION = "What is lifecycle stage?"


class Killed(BaseException):
    """The process is gone: nothing after it runs, not even the handling of errors."""


@pytest.fixture
def docs(db, tmp_path) -> None:
    publish_lifecycle_page(tmp_path)


def make_company(person: Person, name: str) -> ResourceRef:
    with tenant(person.actor.organization_id):
        company = Company.objects.create(
            organization=person.organization,
            name=name,
            domain=f"{name.lower()}.example",
            owner=person.user,
            stage_since=timezone.now(),
        )
    return ResourceRef("company", str(company.id), name)


def cite_first(request) -> str:
    """A model that cites the first evidence it was given."""
    key = request.brief.evidence[0].key
    text = f"It says how far a company has come [{key}]."
    return render_decision(WireAnswer(outcome="answer", citations=[key], unresolved=[], offer="", text=text))


def test_a_product_question_is_answered_with_the_passage_it_rests_on(docs, owner):
    turn = ask(owner, QUESTION)

    assert (turn.state, turn.outcome, turn.fallback) == ("answered", "answer", "")
    [reply] = replies_to(turn)
    [citation] = reply.citations.all()
    assert "how far a company has come" in reply.text
    assert "[1]" in reply.text
    assert (citation.marker, citation.kind, citation.label) == (1, "knowledge_chunk", "Lifecycle stages")
    assert "how far a company has come" in citation.excerpt
    assert "how far a company has come" in citation.claim
    assert reply.unresolved == []
    assert turn.message.preamble


def test_progress_is_told_in_order_and_the_reply_before_the_end(docs, owner):
    turn = ask(owner, QUESTION)

    with tenant(turn.organization_id):
        events = list(Event.objects.order_by("number").values_list("type", "payload__state"))
    assert events == [
        ("turn.state", "accepted"),
        ("turn.state", "thinking"),
        ("turn.state", "checking_context"),
        ("turn.state", "finding_capability"),
        ("message.created", None),
        ("turn.state", "answered"),
    ]


def test_a_greeting_is_greeted_without_a_citation(docs, owner):
    turn = ask(owner, "hello")

    [reply] = replies_to(turn)
    assert turn.outcome == "answer"
    assert list(reply.citations.all()) == []
    assert reply.unresolved == []


def test_what_no_source_covers_is_said_to_be_missing(docs, owner):
    ask(owner, QUESTION)

    turn = ask(owner, "What is the weather in Oslo?")

    [reply] = replies_to(turn)
    assert "cannot answer this from chat" in reply.text
    assert list(reply.citations.all()) == []
    assert len(reply.unresolved) == 1
    assert "weather in Oslo" in reply.unresolved[0]


def test_a_record_is_answered_from_its_fields_and_enters_the_scope(docs, owner):
    ref = make_company(owner, "Acme")

    turn = ask(owner, "Who owns this?", refs=[ref])

    [reply] = replies_to(turn)
    [citation] = reply.citations.all()
    assert "olivia" in reply.text
    assert (citation.kind, citation.resource_id) == ("company", ref.id)
    with tenant(turn.organization_id):
        entity = ConversationEntity.objects.get()
    assert (entity.kind, entity.resource_id, entity.introduced_by_message_id) == ("company", ref.id, reply.id)
    followed = ask(owner, "Which lifecycle stage is this company in?", conversation_id=turn.conversation_id)
    [reply] = replies_to(followed)
    assert [c.resource_id for c in reply.citations.all()] == [ref.id]


def test_the_record_of_the_page_is_read_and_never_enters_the_scope_by_itself(docs, owner):
    ref = make_company(owner, "Acme")

    with playing(
        [WireAnswer(outcome="answer", citations=[], unresolved=["Who owns Acme"], offer="", text="I do not know.")]
    ):
        turn = ask(owner, "Who owns this company?", page=ref)

    assert turn.brief is not None
    assert turn.brief["reference"]["status"] == "resolved"
    with tenant(turn.organization_id):
        assert not ConversationEntity.objects.exists()


def test_a_foreign_record_reads_as_one_that_does_not_exist(docs, owner, stranger):
    foreign = make_company(stranger, "Secret")

    replies = []
    for ref in (foreign, ResourceRef("company", str(uuid.uuid4()))):
        turn = ask(owner, "Who owns this?", refs=[ref])
        [reply] = replies_to(turn)
        replies.append((reply.text, reply.unresolved))
        assert "Secret" not in str(turn.brief)
    assert replies[0] == replies[1]


def test_other_organizations_stay_hidden_also_when_the_products_own_filter_is_removed(
    docs, owner, stranger, monkeypatch
):
    foreign = make_company(stranger, "Secret")
    monkeypatch.setattr(type(Company.objects.all()), "visible_to", lambda self, actor: self)

    turn = ask(owner, "Who owns this?", refs=[foreign])

    assert "Secret" not in str(turn.brief)
    assert replies_to(turn)[0].citations.count() == 0


def test_every_call_is_in_the_ledger_and_the_turn_has_one_usage_row(docs, owner):
    with playing([cite_first]):
        turn = ask(owner, QUESTION)

    with tenant(turn.organization_id):
        call, usage = ModelCall.objects.get(), UsageRecord.objects.get()
    assert (call.state, call.purpose, call.owner_id, call.is_repair) == ("settled", "decision", turn.id, False)
    assert (call.input_tokens, call.cached_input_tokens, call.output_tokens) == (100, 40, 20)
    assert (usage.owner_id, usage.calls, usage.input_tokens, usage.output_tokens) == (turn.id, 1, 100, 20)
    assert usage.user_id == owner.user.id


def test_one_repair_is_asked_for_and_paid_as_part_of_the_decision(docs, owner):
    with playing(["not json", cite_first]):
        turn = ask(owner, QUESTION)

    assert (turn.outcome, turn.fallback, turn.provider) == ("answer", "", "scripted")
    assert len(turn.refusals) == 1
    with tenant(turn.organization_id):
        assert list(ModelCall.objects.order_by("created_at").values_list("is_repair", flat=True)) == [False, True]
        assert UsageRecord.objects.get().calls == 2


def test_a_model_that_is_invalid_twice_is_replaced_by_an_answer_from_the_evidence(docs, owner):
    with playing(["not json", "still not json"]):
        turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    assert (turn.state, turn.fallback, turn.provider) == ("answered", "invalid", "builtin")
    assert "how far a company has come" in reply.text
    assert reply.citations.count() == 1


def test_a_model_that_cannot_be_reached_leaves_a_reply_and_a_zero_usage_row(docs, owner):
    down = ModelError("unreachable", "No connection.", retryable=False, reached_vendor=False)
    with playing([down]):
        turn = ask(owner, QUESTION)

    assert turn.fallback == "vendor"
    assert len(replies_to(turn)) == 1
    with tenant(turn.organization_id):
        assert ModelCall.objects.get().state == "failed"
        usage = UsageRecord.objects.get()
    assert (usage.input_tokens, usage.output_tokens) == (0, 0)


def test_a_spent_day_limit_is_a_plain_reply_and_no_call(docs, owner):
    owner.organization.daily_token_limit = 10
    owner.organization.save(update_fields=["daily_token_limit"])

    with playing([]):
        turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    assert turn.fallback == "limit"
    assert "how far a company has come" in reply.text
    assert "limit" in reply.text
    with tenant(turn.organization_id):
        assert not ModelCall.objects.exists()
        assert UsageRecord.objects.get().calls == 0


STAGES: dict[str, tuple[object, str]] = {
    "before the brief": (turns, "build_context"),
    "before the decision": (turns.door, "decide"),
    "while the decision is written down": (turns, "decision_as_json"),
    "before the reply": (turns, "commit_reply"),
    "between the reply and its scope": (outcomes, "_write_scope"),
    "between the reply and its usage row": (outcomes, "record_usage"),
    "before the summary": (turns, "fold_history"),
    "before the work is ended": (turns.queue, "finish"),
}


def make_summaries_due(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("chat.summary.KEPT_MESSAGES", 1)
    patch.setattr("chat.summary.MESSAGES_BEYOND", 1)


@pytest.mark.parametrize("stage", STAGES)
def test_a_worker_killed_at_any_stage_leaves_one_reply_and_one_usage_row(docs, owner, monkeypatch, stage):
    module, name = STAGES[stage]
    turn = send(owner, QUESTION)
    calls = 2 if stage == "while the decision is written down" else 1

    def die(*args: object, **kwargs: object) -> None:
        raise Killed

    with playing([cite_first] * calls):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, die)
            if name == "fold_history":
                make_summaries_due(patch)
            with pytest.raises(Killed):
                work_on(turn)
        assert reread(turn).state in {"checking_context", "finding_capability", "answered"}
        expire_lease(turn)
        ended = work_on(turn)

    assert ended.state == "answered"
    [reply] = replies_to(turn)
    assert reply.citations.count() == 1
    assert not Dispatch.objects.exists()
    with tenant(turn.organization_id):
        assert UsageRecord.objects.get(purpose="decision").calls == calls
        assert ModelCall.objects.exclude(state="reserved").count() == calls
        assert Message.objects.count() == 2
        assert Event.objects.filter(type="message.created").count() == 1


def test_an_error_of_ours_is_tried_again_and_then_fails_in_words(docs, owner, monkeypatch, settings):
    turn = send(owner, QUESTION)

    def break_down(*args: object, **kwargs: object) -> None:
        raise ValueError("an internal detail")

    monkeypatch.setattr(turns, "build_context", break_down)
    for _ in range(settings.MAX_ATTEMPTS):
        assert reread(turn).state in {"accepted", "checking_context"}
        expire_lease(turn)
        work_on(turn)

    failed = reread(turn)
    assert failed.state == "failed"
    assert "internal detail" not in failed.error_text
    assert failed.error_text.startswith("This message could not be answered")
    assert replies_to(turn) == []
    assert not Dispatch.objects.exists()


def test_a_turn_that_is_rung_twice_is_done_once(docs, owner):
    with playing([cite_first]):
        turn = ask(owner, QUESTION)
        work_on(turn)

    assert len(replies_to(turn)) == 1


def test_a_turn_whose_lease_was_taken_over_writes_nothing_more(docs, owner):
    turn = send(owner, QUESTION)

    def lose_the_lease(request) -> str:
        Dispatch.objects.filter(object_id=turn.id).update(fence=uuid.uuid4())
        return cite_first(request)

    with playing([lose_the_lease]):
        work_on(turn)

    assert reread(turn).state == "finding_capability"
    assert reread(turn).decision is None
    assert replies_to(turn) == []


def test_a_turn_stopped_during_the_model_call_gets_no_reply(docs, owner):
    turn = send(owner, QUESTION)

    def stop_meanwhile(request) -> str:
        with tenant(turn.organization_id):
            stop_turn(actor=owner.actor, turn_id=turn.id)
        return cite_first(request)

    with playing([stop_meanwhile]):
        stopped = work_on(turn)

    assert stopped.state == "cancelled"
    assert replies_to(turn) == []
    with tenant(turn.organization_id):
        assert Event.objects.order_by("number").last().payload["state"] == "cancelled"  # type: ignore[union-attr]
        assert ModelCall.objects.get().state == "settled"


def test_messages_of_one_conversation_are_answered_in_order(docs, owner):
    first = send(owner, QUESTION)
    second = send(owner, "hello", conversation_id=first.conversation_id)

    assert work_on(second).state == "accepted"
    assert work_on(first).state == "answered"
    assert work_on(second).state == "answered"


def test_a_person_who_is_no_longer_a_member_gets_no_answer(docs, owner):
    turn = send(owner, QUESTION)
    Membership.objects.filter(user=owner.user).delete()

    assert work_on(turn).state == "failed"
    assert replies_to(turn) == []


def test_a_turn_that_nobody_finished_in_time_fails_with_retry(docs, owner):
    turn = send(owner, QUESTION)
    past = timezone.now() - datetime.timedelta(seconds=1)
    Dispatch.objects.update(deadline_at=past)
    with tenant(turn.organization_id):
        Turn.objects.update(deadline_at=past)

    sweeper.sweep()

    assert reread(turn).state == "failed"
    assert not Dispatch.objects.exists()


def test_a_deleted_conversation_ends_its_work(docs, owner):
    turn = send(owner, QUESTION)
    with tenant(turn.organization_id):
        Conversation.objects.all().delete()

    process = queue.claim(kind="turn", object_id=turn.id)
    assert process is not None
    turns.process_turn(organization_id=turn.organization_id, turn_id=turn.id, claim=process)

    assert not Dispatch.objects.exists()


def test_work_named_for_another_organization_is_not_done(docs, owner, stranger):
    turn = send(owner, QUESTION)

    turns.process_turn(organization_id=stranger.organization.id, turn_id=turn.id)

    assert replies_to(turn) == []


@pytest.mark.django_db(transaction=True)
def test_one_message_sent_twenty_times_at_once_is_one_message_one_turn_one_reply(owner, tmp_path):
    publish_lifecycle_page(tmp_path)
    accepted: list[uuid.UUID] = []

    def post() -> None:
        with tenant(owner.actor.organization_id):
            turn = accept_message(actor=owner.actor, conversation_id=None, text=QUESTION, client_message_id="the-one")
        accepted.append(turn.id)
        turns.process_turn(organization_id=turn.organization_id, turn_id=turn.id)
        connections.close_all()

    in_parallel(post, 20)

    assert len(accepted) == 20
    assert len(set(accepted)) == 1
    with tenant(owner.actor.organization_id):
        turn = Turn.objects.get()
        assert Conversation.objects.count() == 1
        assert Message.objects.filter(role="user").count() == 1
        assert Message.objects.filter(role="assistant").count() == 1
        assert UsageRecord.objects.count() == 1
        assert Citation.objects.count() == 1
    assert turn.state == "answered"


def in_parallel(work: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
