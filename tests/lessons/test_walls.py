"""Lessons 6 and 7: what belongs to somebody else is answered like what does not exist, by every door."""

import json
import re
import uuid

import pytest

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireControlRun
from agencycore.asgi import application
from agencycore.refs import ResourceRef
from agencycore.streams.database import off_loop
from agencycore.tenancy import tenant
from chat.models import Turn
from crm.models import Company
from runs.ender import Succeed
from tests.chat.pipeline import FETCH, Model, Talk, answer_from, cookie_headers, delegate_to, nothing_known
from tests.chat.working import REQUEST, SIGNALS, publish_signals
from tests.lessons.desk import (
    RAIL,
    RAIL_QUESTION,
    TRAVEL,
    api,
    api_messages,
    company,
    exported,
    exported_markdown,
    said,
    upload,
)
from tests.people import Person
from tests.sockets import Socket

IDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|/citations/\d+/")


@pytest.fixture
def theirs(stranger: Person) -> Talk:
    """A stranger's conversation: a document, a record, a run with its report."""
    publish_signals(stranger)
    upload(stranger, TRAVEL)
    talk = Talk(stranger, Model("scripted"))
    talk.say(RAIL_QUESTION, decision=answer_from("knowledge_chunk"))
    turn = talk.say(REQUEST, decision=delegate_to(SIGNALS))
    talk.end(turn, Succeed("Secretco raised money.", (company(stranger, "Secretco"),)))
    talk.turns = [talk.reread(begun) for begun in talk.turns]
    return talk


def told(response) -> tuple[int, str]:
    """What a response says, without the ids that were asked for and its one-time tokens."""
    body = re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", response.content.decode())
    return response.status_code, IDS.sub("…", body)


def rename(person: Person, ref: ResourceRef, name: str) -> None:
    with tenant(person.organization.id):
        Company.objects.filter(pk=ref.id).update(name=name)


def delete(person: Person, ref: ResourceRef) -> None:
    with tenant(person.organization.id):
        Company.objects.get(pk=ref.id).delete()


def test_lesson_06_a_foreign_id_in_an_address_reads_as_unknown(owner: Person, theirs: Talk):
    turn, unknown = theirs.turns[0], uuid.uuid4()
    with tenant(theirs.organization_id):
        citation = theirs.replies(turn)[0].citations.get()
    pages = [
        ("/chat/{}/", turn.conversation_id),
        ("/chat/{}/export.json", turn.conversation_id),
        ("/chat/messages/{}/exchange/", turn.message_id),
    ]
    for address, foreign in pages:
        client = owner.client
        assert told(client.get(address.format(foreign))) == told(client.get(address.format(unknown)))
        assert client.get(address.format(foreign)).status_code == 404
    passages = [owner.client.get(f"/chat/citations/{number}/") for number in (citation.pk, 2**40)]
    assert [response.status_code for response in passages] == [404, 404]
    assert told(passages[0]) == told(passages[1])
    for address, foreign in [
        ("/api/v1/conversations/{}/messages/", turn.conversation_id),
        ("/api/v1/turns/{}/", turn.id),
    ]:
        ours, nobodys = (api(owner).get(address.format(value)) for value in (foreign, unknown))
        assert told(ours) == told(nobodys)
        assert ours.status_code == 404
    posted = [
        owner.client.post(
            f"/chat/{value}/messages/", {"text": "Hi", "client_message_id": str(uuid.uuid4())}, headers=FETCH
        )
        for value in (turn.conversation_id, unknown)
    ]
    assert told(posted[0]) == told(posted[1])
    assert posted[0].status_code == 404


@pytest.mark.django_db(transaction=True)
async def test_lesson_06_a_foreign_id_at_the_socket_reads_as_unknown(owner: Person, stranger: Person):
    talk = Talk(stranger, Model("scripted"))
    turn = await off_loop(talk.post)("hello")
    headers = await off_loop(cookie_headers)(owner)
    closed = []
    for conversation in (turn.conversation_id, uuid.uuid4()):
        socket = Socket(application, f"/ws/conversations/{conversation}/?after=0", headers)
        answer = await socket.open()
        closed.append((answer, await socket.close_code() if answer == "websocket.accept" else None))

    assert closed[0] == closed[1]


def test_lesson_06_a_foreign_id_in_words_refs_and_page_reads_as_unknown(any_talk: Talk, stranger: Person):
    foreign, unknown = company(stranger, "Secretco"), ResourceRef("company", str(uuid.uuid4()))
    replies = []
    for ref in (foreign, unknown):
        for text, sent in ((f"Who owns company:{ref.id}?", ()), ("Who owns this company?", (ref,))):
            turn = any_talk.say(text, *sent, decision=nothing_known("The company is not available"))
            [reply] = any_talk.replies(turn)
            assert "Secretco" not in json.dumps(turn.brief)
            assert any_talk.cited(turn) == []
            gaps = [IDS.sub("…", gap) for gap in reply.unresolved]
            replies.append((turn.outcome, IDS.sub("…", reply.text), gaps))

    assert replies[:2] == replies[2:]
    assert "Secretco" not in any_talk.page()


def test_lesson_06_a_foreign_id_from_a_model_is_never_acted_on(talk: Talk, theirs: Talk):
    upload(talk.person, TRAVEL)
    foreign = str(theirs.turns[-1].run_id)
    replies = []
    for run in (foreign, str(uuid.uuid4())):
        talk = Talk(talk.person, talk.model)
        turn = talk.post(f"Stop the run {run}")
        stop = WireControlRun(outcome="control_run", run_id=run, action="cancel")
        with playing([stop, stop]):
            turn = talk.work(turn)
        [reply] = talk.replies(turn)
        replies.append((turn.state, turn.outcome, turn.fallback, IDS.sub("…", reply.text)))

    assert replies[0] == replies[1]
    assert replies[0][2] == "invalid"
    assert theirs.run(theirs.turns[-1]).state == "succeeded"


def test_lesson_07_a_capability_does_not_bring_in_what_its_reader_may_not_see(talk: Talk, theirs: Talk):
    """A run's result refs and text about records of others stay out of brief, report, citations and scope."""
    publish_signals(talk.person)
    secret = company(theirs.person, "Hiddenco")
    turn = talk.say(REQUEST, decision=delegate_to(SIGNALS))
    talk.end(turn, Succeed("One company was found.", (ResourceRef("company", secret.id),)))
    talk.report(turn, "One company was found [r1]. It is [r2].")

    asked = talk.say("What did that run find?", decision=answer_from("run"))

    assert talk.cited(turn) == [("run", str(turn.run_id))]
    assert {kind for kind, _ in talk.cited(asked)} == {"run"}
    assert "Hiddenco" not in json.dumps(asked.brief) + talk.page()
    assert secret.id not in json.dumps(
        api(talk.person).get(f"/api/v1/conversations/{turn.conversation_id}/scope/").json()
    )


def test_lesson_07_a_runs_results_are_named_as_their_reader_may_see_them_now(talk: Talk, admin: Person):
    """What a run came back with is renamed, then deleted: the name that it had shows nowhere any more."""
    publish_signals(talk.person)
    found, kept = company(talk.person, "Firstname"), company(talk.person, "Keptco")
    turn = talk.say(REQUEST, decision=delegate_to(SIGNALS))
    talk.end(turn, Succeed("Two were found.", (found, kept)))
    talk.report(turn, "Two were found [r1].")
    rename(talk.person, found, "Secondname")

    renamed = ask_in_a_new_talk(talk)
    delete(talk.person, found)
    deleted = ask_in_a_new_talk(talk)

    assert "Results: Secondname, Keptco" in said_in(renamed)
    assert "Results: Keptco; 1 more record cannot be shown" in said_in(deleted)
    gone = [everything_of(deleted), talk.page(), admin_of(admin, turn)]
    assert [text for text in gone if "Secondname" in text] == []
    assert [text for text in [*gone, everything_of(renamed)] if "Firstname" in text] == []


def ask_in_a_new_talk(talk: Talk) -> Talk:
    later = Talk(talk.person, talk.model)
    later.say("What did that run find?", decision=answer_from("run"))
    return later


def said_in(talk: Talk) -> str:
    [reply] = talk.replies(talk.turns[0])
    return reply.text


def everything_of(talk: Talk) -> str:
    """The brief, the reply, the page, the files and the API of a conversation."""
    files = exported_markdown(talk.person, talk.conversation_id), exported(talk.person, talk.conversation_id)
    told = api_messages(talk.person, talk.conversation_id)
    return said_in(talk) + talk.page() + json.dumps([talk.turns[0].brief, files, told])


def admin_of(admin: Person, turn: Turn) -> str:
    return admin.client.get(f"/admin/runs/run/{turn.run_id}/change/").content.decode()


def test_lesson_07_another_organizations_document_is_neither_found_nor_cited(talk: Talk, theirs: Talk):
    turn = talk.say(RAIL_QUESTION, decision=lambda request: said(RAIL, unresolved=("Ticket refunds",)))

    assert [item for item in turn.brief["items"] if item["source"] == "knowledge"] == []
    assert talk.cited(turn) == []
