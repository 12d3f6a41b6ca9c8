"""The minimum scenarios of general chat, through the whole pipeline, with either adapter.

The first line of each docstring is the rule in the words of the product's source document.
"""

import datetime
import threading
import uuid

import pytest
from django.utils import timezone

from agencycore.ai.wire import WireAnswer, WireOutcome
from agencycore.dispatch.models import Dispatch
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat import outcomes, turns
from chat.context import port, slow
from chat.context.port import ContextRequest
from chat.context.sources.knowledge import KnowledgeSource
from conversations.models import ConversationEntity
from crm.models import Company
from organizations.models import UsageRecord
from runs.ender import Enter, Fail, Succeed
from runs.models import Definition, Run
from tests.chat.pipeline import (
    answer_from,
    ask_which,
    company,
    delegate_to,
    first,
    nothing_known,
    stop_the_live_one,
)
from tests.chat.scenarios import REQUEST, STEPS, change_the_subject, start_work


class Killed(BaseException):
    """The process is gone: nothing after it runs."""


def test_what_can_you_do_is_answered_from_platform_knowledge(talk, docs):
    """ "What can you do?" answers from platform knowledge when knowledge is available."""
    turn = talk.say("What can you do?", decision=answer_from("knowledge_chunk"))

    assert (turn.state, turn.outcome, turn.fallback) == ("answered", "answer", "")
    assert {kind for kind, _ in talk.cited(turn)} == {"knowledge_chunk"}
    assert "AgencyCore" in turn.reply.text
    assert talk.states(turn) == ["accepted", "thinking", "checking_context", "finding_capability", "answered"]


def test_what_can_you_do_without_knowledge_names_what_is_missing(talk):
    """When knowledge is not available, the answer names the missing knowledge instead of guessing."""
    turn = talk.say("What can you do?", decision=nothing_known("No ready document says what chat can do"))

    [reply] = talk.replies(turn)
    assert (turn.outcome, talk.cited(turn)) == ("answer", [])
    assert len(reply.unresolved) == 1


def test_what_is_lifecycle_stage_cites_the_documentation(talk, docs):
    """ "What is lifecycle stage?" cites the relevant product documentation."""
    turn = talk.say("What is lifecycle stage?", decision=answer_from("knowledge_chunk", label="ifecycle"))

    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    assert {citation.label for citation in reply.citations.all()} == {"Lifecycle stages"}
    assert "[1]" in reply.text
    assert "how far a company has come" in reply.text


def test_what_agents_can_i_use_is_answered_from_what_is_visible(talk, docs, capabilities):
    """ "What agents can I use?" answers from visible capability summaries and platform knowledge."""
    turn = talk.say("What agents can I use?", decision=answer_from("definition_list"))

    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    assert "Definition Builder" in reply.text
    assert "Fee Explain" not in reply.text
    assert "definition_list" in {kind for kind, _ in talk.cited(turn)}
    # The platform's pages on agents are at hand beside it.
    labels = {item["label"] for item in turn.brief["items"] if item["kind"] == "knowledge_chunk"}
    assert any("gent" in label for label in labels), labels


def test_the_steps_of_signals_search_are_told_from_its_definition(talk, docs, capabilities):
    """ "What steps does Signals Search run?" answers from workflow knowledge or definition summary context."""
    turn = talk.say("What steps does Signals Search run?", decision=answer_from("definition"))

    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    for step in STEPS:
        assert step["name"] in reply.text
    with tenant(talk.organization_id):
        signals = Definition.objects.get(slug="signals-search")
    assert talk.cited(turn) == [("definition", str(signals.id))]


def test_why_did_that_run_stop_asks_which_run(talk, docs, capabilities):
    """ "Why did that run stop?" asks which Run when more than one recent Run fits."""
    failed = [start_work(talk, text) for text in (REQUEST, "Find French logistics companies that hire.")]
    for turn in failed:
        talk.end(turn, Fail("The web search was not reachable."))
    change_the_subject(talk)

    turn = talk.say("Why did that run stop?", decision=ask_which)

    [reply] = talk.replies(turn)
    assert turn.outcome == "clarify"
    assert {option["ref"] for option in reply.options} == {f"run:{run.run_id}" for run in failed}
    assert talk.cited(turn) == []


def test_why_did_that_run_stop_is_answered_from_run_history(talk, docs, capabilities):
    """ "Why did that run stop?" answers from run history when one Run fits."""
    failed, succeeded = start_work(talk), start_work(talk, "Find French logistics companies that hire.")
    talk.end(failed, Enter("Read the news"), Fail("The web search was not reachable.", code="KeyError('hits')"))
    talk.end(succeeded, Succeed("None were found."))
    change_the_subject(talk)

    turn = talk.say("Why did that run stop?", decision=answer_from("run"))

    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    assert "The web search was not reachable" in reply.text
    assert "KeyError" not in reply.text
    assert talk.cited(turn) == [("run", str(failed.run_id))]


EARLIER = ["thanks", "ok", "What is lifecycle stage?", "When did its stage change?", "Tell me more about this company"]


@pytest.mark.parametrize("before", [[], *([text] for text in EARLIER), ["What is lifecycle stage?", "thanks!"]])
def test_tell_me_more_about_this_company_resolves_a_scoped_ref(talk, docs, capabilities, before):
    """ "Tell me more about this company" resolves a scoped company ref."""
    acme = company(talk.person, "Acme")
    talk.say("Who owns this company?", acme, decision=answer_from("company"))
    for text in before:
        talk.say(text, decision=nothing_known("What was asked before"))

    turn = talk.say("Tell me more about this company", decision=answer_from("company"))

    [reply] = talk.replies(turn)
    assert turn.outcome == "answer"
    assert turn.brief["reference"]["status"] == "resolved"
    assert talk.cited(turn) == [("company", acme.id)]
    assert "[1]" in reply.text
    for fact in ("acme.example", "Fintech", "Lead", talk.person.user.username):
        assert fact in reply.text
    assert reply.unresolved == []


def test_a_stale_or_unauthorized_ref_does_not_leak(talk, docs, capabilities, stranger):
    """A stale or unauthorized entity ref does not leak data."""
    stale, foreign = company(talk.person, "Staleco"), company(stranger, "Foreignco")
    with tenant(talk.organization_id):
        Company.objects.filter(id=stale.id).delete()
    unknown = ResourceRef("company", str(uuid.uuid4()))

    said = []
    for ref in (stale, foreign, unknown):
        turn = talk.say("Tell me more about this company", ref, decision=nothing_known("The company is not available"))
        [reply] = talk.replies(turn)
        said.append((turn.outcome, reply.text, reply.unresolved, turn.brief["reference"]["status"]))
        assert [item for item in turn.brief["items"] if item["kind"] == "company"] == []
        assert talk.cited(turn) == []

    assert said[0] == said[1] == said[2]
    assert said[0][3] == "absent"
    page = talk.page()
    assert "Staleco" not in page
    assert "Foreignco" not in page
    with tenant(talk.organization_id):
        assert not ConversationEntity.objects.exists()


def test_a_scoped_ref_that_went_stale_does_not_leak(talk, docs, capabilities):
    """A stale or unauthorized entity ref does not leak data: one that chat itself pointed at before."""
    acme = company(talk.person, "Acme")
    talk.say("Which industry is this company in?", acme, decision=answer_from("company"))
    with tenant(talk.organization_id):
        assert [entity.resource_id for entity in ConversationEntity.objects.all()] == [acme.id]
        Company.objects.filter(id=acme.id).delete()

    turn = talk.say("Tell me more about this company", decision=nothing_known("The company is not available"))

    [reply] = talk.replies(turn)
    assert turn.outcome in ("answer", "clarify")
    assert talk.cited(turn) == []
    assert [item for item in turn.brief["items"] if item["kind"] == "company"] == []
    for fact in ("acme.example", "Fintech"):
        assert fact not in reply.text


def test_find_companies_like_this_is_delegated(talk, docs, capabilities):
    """ "Find companies like this" delegates instead of searching inside the Front Door."""
    acme, _ = company(talk.person, "Acme"), company(talk.person, "Alike")

    turn = talk.say("Find companies like this", acme, decision=delegate_to("signals-search"))

    run = talk.run(turn)
    assert (turn.state, turn.outcome) == ("delegated", "delegate")
    assert run.version.definition.slug == "signals-search"
    assert run.goal["refs"] == [acme.as_json()]
    assert "Find companies like this" in run.goal["message"]
    assert {item["id"] for item in turn.brief["items"] if item["kind"] == "company"} == {acme.id}
    assert "Alike" not in turn.reply.text
    assert talk.states(turn)[-2:] == ["preparing_task", "delegated"]
    assert talk.cited(turn) == []


def test_create_an_agent_is_delegated_to_the_definition_builder(talk, docs, capabilities):
    """ "Create an agent that qualifies inbound leads" delegates to Definition Builder."""
    text = "Create an agent that qualifies inbound leads"

    turn = talk.say(text, decision=delegate_to("definition-builder"))

    run = talk.run(turn)
    assert turn.outcome == "delegate"
    assert (run.version.definition.slug, run.goal["message"], run.state) == ("definition-builder", text, "queued")


def test_stop_that_cancels_only_when_one_active_run_is_clear(talk, docs, capabilities):
    """ "Stop that" cancels only when one active Run is clear."""
    working = [start_work(talk, text) for text in (REQUEST, "Find French logistics companies that hire.")]
    change_the_subject(talk)

    asked = talk.say("Stop that", decision=ask_which)

    assert asked.outcome == "clarify"
    assert [talk.run(turn).state for turn in working] == ["queued", "queued"]
    talk.end(working[0], Succeed("None were found."))
    change_the_subject(talk)
    stopped = talk.say("Stop that", decision=stop_the_live_one)
    assert (stopped.state, stopped.outcome, stopped.run_id) == ("controlled", "control_run", working[1].run_id)
    assert [talk.run(turn).state for turn in working] == ["succeeded", "cancelled"]


def test_an_answer_cannot_cite_outside_the_brief(talk, docs, capabilities, stranger):
    """An answer cannot cite a ref outside the supplied ContextBrief."""
    foreign = company(stranger, "Foreignco")

    def cite_too_much(request) -> WireOutcome:
        item = first(request, "knowledge_chunk")
        text = f"It is a stage [{item.key}]. Foreignco has one too [r99]."
        return WireAnswer(
            outcome="answer", citations=[item.key, "r99", f"company:{foreign.id}"], unresolved=[], offer="", text=text
        )

    turn = talk.say("What is lifecycle stage?", decision=cite_too_much)

    [reply] = talk.replies(turn)
    supplied = {(item["kind"], item["id"]) for item in turn.brief["items"] if item["key"]}
    assert turn.outcome == "answer"
    assert talk.cited(turn)
    assert set(talk.cited(turn)) <= supplied
    assert "Foreignco" not in reply.text
    if talk.model.name == "scripted":
        assert [ref[:20] for ref in turn.rejected_refs] == ["r99", f"company:{foreign.id}"[:20]]


def test_a_retry_writes_one_message_and_no_second_usage_row(talk, docs, monkeypatch):
    """A retry writes one assistant message and no second model usage row."""
    turn = talk.post("What is lifecycle stage?")
    record_usage = outcomes.record_usage

    def die(**arguments):
        raise Killed

    monkeypatch.setattr(outcomes, "record_usage", die)
    with talk.model.deciding(answer_from("knowledge_chunk")), pytest.raises(Killed):
        talk.work(turn)
    monkeypatch.setattr(outcomes, "record_usage", record_usage)
    past = timezone.now() - datetime.timedelta(seconds=1)
    Dispatch.objects.filter(object_id=turn.id).update(lease_until=past, due_at=past)

    with talk.model.deciding():
        turn = talk.work(turn)
        talk.work(turn)

    assert turn.state == "answered"
    assert len(talk.replies(turn)) == 1
    with tenant(talk.organization_id):
        assert list(UsageRecord.objects.values_list("owner_id", "purpose", "calls")) == [(turn.id, "decision", 1)]


def test_a_succeeded_run_renders_the_handoff_and_then_one_report(talk, docs, capabilities):
    """A succeeded delegated Run renders the handoff and then one work report linked to the same Run."""
    acme = company(talk.person, "Acme")
    turn = start_work(talk)
    talk.end(turn, Enter("Read the news"), Succeed("Acme raised seed funding in May.", (acme,)))

    talk.report(turn, "Acme raised seed funding [r2].")
    talk.report(turn)

    handoff, report = talk.replies(turn)
    assert [(m.kind, m.run_id) for m in (handoff, report)] == [("reply", turn.run_id), ("report", turn.run_id)]
    assert handoff.text.startswith("I handed this to Signals Search")
    assert "Acme raised seed funding" in report.text
    assert talk.cited(turn) == [("company", acme.id)]
    page = talk.page()
    assert page.index("I handed this to Signals Search") < page.index("Report of finished work")
    assert page.count("Report of finished work") == 1


def test_a_failed_run_renders_one_report_in_product_words(talk, docs, capabilities):
    """A failed delegated Run renders one work report in product words, without an internal error."""
    turn = start_work(talk)
    talk.end(turn, Fail("The web search was not reachable.", code="Traceback: KeyError('hits')"))

    talk.report(turn, "The web search was not reachable [r1].")
    talk.report(turn)

    _, report = talk.replies(turn)
    assert report.text == "Signals Search could not finish. The web search was not reachable [1]."
    assert talk.cited(turn) == [("run", str(turn.run_id))]
    page = talk.page()
    assert "KeyError" not in page
    assert "Traceback" not in page


def test_a_cancelled_run_or_one_without_a_conversation_writes_no_report(talk, docs, capabilities):
    """A cancelled Run or a Run without a conversation writes no work report."""
    stopped, elsewhere = start_work(talk), start_work(talk, "Find French logistics companies that hire.")
    with tenant(talk.organization_id):
        Run.objects.filter(id=elsewhere.run_id).update(conversation_id=None)
    talk.say("Stop that", decision=stop_the_live_one)
    talk.end(elsewhere, Succeed("None were found."))

    talk.report(stopped)
    talk.report(elsewhere)

    assert talk.run(stopped).state == "cancelled"
    for turn in (stopped, elsewhere):
        assert [message.kind for message in talk.replies(turn)] == ["reply"]
    with tenant(talk.organization_id):
        assert not UsageRecord.objects.filter(purpose="report").exists()


@pytest.fixture
def slow_documents(monkeypatch, settings) -> None:
    """Documents that are read until somebody was told that this takes a while."""
    told = threading.Event()
    publish = turns.publish_slow_source

    def publish_and_note(*arguments):
        publish(*arguments)
        told.set()

    class SlowKnowledgeSource(KnowledgeSource):
        def read(self, request: ContextRequest):
            assert told.wait(timeout=10)
            return super().read(request)

    monkeypatch.setattr(turns, "publish_slow_source", publish_and_note)
    monkeypatch.setattr(slow, "SLOW_SECONDS", 0.2)
    monkeypatch.setattr(
        "chat.context.builder.get_sources",
        lambda: tuple(SlowKnowledgeSource() if s.name == "knowledge" else s for s in port.get_sources()),
    )


@pytest.mark.django_db(transaction=True)
def test_a_slow_source_emits_useful_progress_only(talk, docs, slow_documents):
    """A slow context source emits useful progress but does not expose internal reasoning."""
    turn = talk.say("What is lifecycle stage?", decision=answer_from("knowledge_chunk"))

    assert turn.outcome == "answer"
    slow = [told["label"] for kind, told in talk.events() if kind == "turn.slow"]
    assert "Still reading your documents" in slow
    assert {kind for kind, _ in talk.events()} == {"turn.state", "turn.slow", "message.created"}
    shown = {"turn", "message", "state", "label", "in_reply_to", "role", "kind"}
    assert all(set(told) <= shown for _, told in talk.events())
