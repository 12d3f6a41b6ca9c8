"""To whom the composer's text goes while a run waits: said beforehand, chosen otherwise, and mended afterwards."""

import re
import uuid

import pytest

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer
from agencycore.errors import ProductError
from agencycore.tenancy import tenant
from chat.actions import accept_message
from chat.models import Turn
from conversations.models import Message
from runs.ender import Ask, Succeed
from runs.models import Run
from tests.chat.pages import FETCH, body
from tests.chat.turning import publish_lifecycle_page, replies_to, work_on
from tests.chat.working import delegate, end, publish_signals
from tests.people import Person

pytestmark = pytest.mark.django_db

UNCLEAR = WireAnswer(outcome="answer", citations=[], unresolved=["What is meant"], offer="", text="Hm.")


@pytest.fixture(autouse=True)
def _signals(owner: Person) -> None:
    publish_signals(owner)


@pytest.fixture
def turn(owner: Person) -> Turn:
    """The turn whose run has asked."""
    begun = delegate(owner)
    end(begun, Ask("Which country?"))
    return begun


def page(person: Person, turn: Turn) -> str:
    return body(person.client.get(f"/chat/{turn.conversation_id}/"))


def foreseen(person: Person, turn: Turn, text: str = "", **fields: object) -> str:
    response = person.client.post(f"/chat/{turn.conversation_id}/recipient/", {"text": text, **fields}, **FETCH)
    assert response.status_code == 200
    return body(response)


def send(person: Person, turn: Turn, text: str, **fields: object) -> Turn:
    content = {"text": text, "client_message_id": str(uuid.uuid4()), **fields}
    response = person.client.post(f"/chat/{turn.conversation_id}/messages/", content, **FETCH)
    assert response.status_code == 201, response.content
    with tenant(turn.organization_id):
        sent = Turn.objects.select_related("message").get(message__client_message_id=content["client_message_id"])
    return sent


def answers_of(turn: Turn) -> list[str]:
    with tenant(turn.organization_id):
        return [given["text"] for given in Run.objects.get(id=turn.run_id).answers]


def choices(shown: str) -> list[tuple[str, str, str]]:
    """Name, value and words of the buttons beside the composer."""
    row = shown.partition('class="recipient-choices"')[2].partition("</div>")[0]
    return [
        (name, value, re.sub("<[^>]+>", "", words))
        for name, value, words in re.findall(r'<button [^>]*name="(\w+)" value="([^"]+)">(.*?)</button>', row)
    ]


CHAT = ("to", "chat", "Send to chat instead")


def test_a_conversation_in_which_nothing_waits_says_nothing(owner):
    turn = delegate(owner)

    assert "recipient-words" not in page(owner, turn).replace('aria-describedby="recipient-words', "")
    assert foreseen(owner, turn, "Norway").strip() == ""


def test_the_page_says_which_run_the_next_message_answers(owner, turn):
    shown = page(owner, turn)

    assert "Answering: <strong>Signals Search</strong>" in shown
    assert choices(shown) == [CHAT]


@pytest.mark.parametrize("text", ["Norway", "the UK one", ""])
def test_what_could_be_an_answer_would_go_to_the_run(owner, turn, text):
    shown = foreseen(owner, turn, text)

    assert "Answering: <strong>Signals Search</strong>" in shown
    assert choices(shown) == [CHAT]


def test_what_is_a_question_would_go_to_chat_and_the_run_is_offered(owner, turn):
    shown = foreseen(owner, turn, "What is lifecycle stage?")

    assert "Sending to chat." in shown
    assert choices(shown) == [("run", str(turn.run_id), "Send to Signals Search instead")]


def test_with_two_waiting_runs_chat_would_ask_which_and_each_can_be_chosen(owner, turn):
    other = delegate(owner, "Find some more", conversation_id=turn.conversation_id)
    end(other, Ask("Which year?"))

    shown = foreseen(owner, turn, "2024")

    assert "Chat will ask which one this is for." in shown
    assert choices(shown) == [
        ("run", str(turn.run_id), "Send to Signals Search: Which country?"),
        ("run", str(other.run_id), "Send to Signals Search: Which year?"),
        CHAT,
    ]


def test_asking_who_would_get_it_keeps_nothing(owner, turn):
    with tenant(turn.organization_id):
        before = Message.objects.count()

    foreseen(owner, turn, "Norway")

    with tenant(turn.organization_id):
        assert Message.objects.count() == before
    assert answers_of(turn) == []


def test_it_is_told_to_nobody_else(owner, turn, teammate, stranger, admin):
    for person in (teammate, stranger, admin):
        for conversation in (turn.conversation_id, uuid.uuid4()):
            response = person.client.post(f"/chat/{conversation}/recipient/", {"text": "Norway"}, **FETCH)
            assert (response.status_code, b"Signals" in response.content) == (404, False)


def test_a_message_sent_to_chat_answers_no_run_whatever_it_says(owner, turn):
    sent = send(owner, turn, "Norway", to="chat")
    with playing([UNCLEAR], summaries=["A recap."]):
        done = work_on(sent)

    assert (done.state, answers_of(turn)) == ("answered", [])
    assert [reply.text for reply in replies_to(done)] == ["Hm."]
    assert "Send to Signals Search instead" not in page(owner, turn)


def test_over_the_api_for_chat_says_so_and_a_message_has_one_recipient(owner, turn):
    url = f"/api/v1/conversations/{turn.conversation_id}/messages/"
    content = {"text": "Norway", "client_message_id": "a1", "for_chat": True}

    response = owner.client.post(url, content, content_type="application/json")
    both = owner.client.post(
        url, content | {"client_message_id": "a2", "run": str(turn.run_id)}, content_type="application/json"
    )

    assert response.status_code == 201
    with tenant(turn.organization_id):
        assert Message.objects.get(client_message_id="a1").for_chat
    assert (both.status_code, answers_of(turn)) == (400, [])
    with tenant(turn.organization_id), pytest.raises(ProductError, match="either for a run or for chat"):
        accept_message(
            actor=owner.actor,
            conversation_id=turn.conversation_id,
            text="Norway",
            client_message_id="a3",
            run_id=turn.run_id,
            for_chat=True,
        )


def test_what_chat_answered_by_a_guess_can_be_sent_to_the_run_after_all(owner, turn, tmp_path):
    publish_lifecycle_page(tmp_path)
    asked = work_on(send(owner, turn, "What is lifecycle stage?"))
    shown = page(owner, turn)
    offer = shown.partition('class="instead"')[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="(client_message_id|run|text)" value="([^"]*)"', offer))
    assert asked.state == "answered"
    assert "Send to Signals Search instead" in offer
    assert fields["run"] == str(turn.run_id)

    owner.client.post(f"/chat/{turn.conversation_id}/messages/", fields, **FETCH)

    assert answers_of(turn) == ["What is lifecycle stage?"]
    assert 'class="instead"' not in page(owner, turn)


def test_a_message_from_before_the_question_is_not_offered_to_the_run(owner, tmp_path):
    publish_lifecycle_page(tmp_path)
    turn = delegate(owner)
    work_on(send(owner, turn, "What is lifecycle stage?"))

    end(turn, Ask("Which country?"))

    assert 'class="instead"' not in page(owner, turn)


def test_a_run_that_has_ended_is_offered_no_more(owner, turn, tmp_path):
    publish_lifecycle_page(tmp_path)
    work_on(send(owner, turn, "What is lifecycle stage?"))
    answered = send(owner, turn, "Norway", run=str(turn.run_id))
    end(turn, Succeed("Found."))

    shown = page(owner, turn)

    assert answered.state == "replied"
    assert 'class="instead"' not in shown
    assert "Answering:" not in shown
