"""Sending a message, and stop, retry and feedback: with and without script."""

import json
import re
import uuid

import pytest

from agencycore.tenancy import tenant
from chat.models import Turn
from chat.new_messages import MAX_REFS
from conversations.models import Conversation, Feedback, Message
from tests.chat.conversations import answer, ask, turn_of
from tests.chat.pages import FETCH, body

pytestmark = pytest.mark.django_db


# --- sending ----------------------------------------------------------------------------------


def message(**fields):
    return {"text": "What is lifecycle stage?", "client_message_id": str(uuid.uuid4())} | fields


def test_a_first_message_gives_the_script_its_exchange_and_address(owner):
    response = owner.client.post("/chat/messages/", message(), **FETCH)

    with tenant(owner.organization.id):
        kept = Message.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"/chat/{kept.conversation_id}/#m-{kept.id}"
    assert f'id="m-{kept.id}"' in response.content.decode()
    assert "data-running" in response.content.decode()


def test_without_script_a_message_leads_to_its_conversation(owner):
    question = ask(owner)

    response = owner.client.post(f"/chat/{question.conversation_id}/messages/", message(text="And then?"))

    with tenant(owner.organization.id):
        kept = Message.objects.get(text="And then?")
    assert (response.status_code, response["Location"]) == (302, f"/chat/{question.conversation_id}/#m-{kept.id}")


def test_a_message_sent_twice_is_one_message(owner):
    sent = message()

    responses = [owner.client.post("/chat/messages/", sent, **FETCH) for _ in range(2)]

    with tenant(owner.organization.id):
        assert Message.objects.count() == Conversation.objects.count() == 1
    assert responses[0]["Location"] == responses[1]["Location"]


def test_records_and_page_are_kept_with_the_message(owner, company):
    ref = f"company:{company.pk}"

    owner.client.post("/chat/messages/", message(ref=[ref, ""], page=ref), **FETCH)

    with tenant(owner.organization.id):
        kept = Message.objects.get()
    assert [(each["kind"], each["id"]) for each in kept.refs] == [("company", str(company.pk))]
    assert kept.page == {"kind": "company", "id": str(company.pk), "label": ""}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"text": "  \n "}, 400),
        ({"text": "x" * 8001}, 400),
        ({"client_message_id": ""}, 400),
        ({"ref": ["galaxy:1"]}, 400),
        ({"ref": ["no-colon"]}, 400),
        ({"ref": ["company:x"]}, 400),
        ({"ref": ["knowledge_chunk:0199a1b2-0000-7000-8000-000000000001"]}, 400),
        ({"page": "company:x"}, 400),
        ({"page": "galaxy:1"}, 400),
        ({"ref": [f"company:{number}" for number in range(MAX_REFS + 1)]}, 400),
    ],
)
def test_a_refused_message_is_explained_and_keeps_its_text(owner, fields, status):
    sent = message(**fields)

    with_script = owner.client.post("/chat/messages/", sent, **FETCH)
    without = owner.client.post("/chat/messages/", sent)

    assert with_script.status_code == without.status_code == status
    words = json.loads(with_script.content)["detail"]
    assert len(words) > 10
    shown = body(without)
    assert 'role="alert" hidden' not in shown
    assert sent["text"].strip() in shown
    with tenant(owner.organization.id):
        assert not Message.objects.exists()


def test_too_many_messages_say_when_to_come_back(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1
    owner.client.post("/chat/messages/", message(), **FETCH)

    response = owner.client.post("/chat/messages/", message(), **FETCH)

    assert (response.status_code, response["Retry-After"]) == (429, "30")
    assert "in a minute" in json.loads(response.content)["detail"]


def test_an_option_is_sent_with_its_record(owner, company):
    question = ask(owner, "Tell me about Larch")
    answer(owner, question, "Which one?", [], options=[{"label": "Larch & Sons", "ref": f"company:{company.pk}"}])

    shown = body(owner.client.get(f"/chat/{question.conversation_id}/"))

    assert '<input type="hidden" name="text" value="Larch &amp; Sons">' in shown
    assert f'<input type="hidden" name="ref" value="company:{company.pk}">' in shown


def test_posting_needs_the_token_of_the_page(owner):
    from_elsewhere = owner.client
    from_elsewhere.handler.enforce_csrf_checks = True

    assert from_elsewhere.post("/chat/messages/", message()).status_code == 403
    with tenant(owner.organization.id):
        assert not Message.objects.exists()


# --- stop, retry, feedback --------------------------------------------------------------------


def test_stop_shows_the_stopped_question(owner):
    question = ask(owner)
    turn = turn_of(owner, question, Turn.State.THINKING)

    response = owner.client.post(f"/chat/turns/{turn.id}/stop/", **FETCH)

    assert response.status_code == 200
    assert "You stopped this answer." in body(response)


def test_retry_shows_the_question_at_work_again(owner):
    question = ask(owner)
    turn = turn_of(owner, question, Turn.State.FAILED)

    response = owner.client.post(f"/chat/turns/{turn.id}/retry/", **FETCH)

    assert "data-running" in body(response)
    with tenant(owner.organization.id):
        assert list(question.turns.order_by("attempt").values_list("attempt", "state")) == [
            (1, "failed"),
            (2, "accepted"),
        ]


def test_feedback_is_kept_once_and_shown(owner):
    reply = answer(owner, ask(owner))
    address = f"/chat/messages/{reply.id}/feedback/"

    owner.client.post(address, {"rating": "helpful"}, **FETCH)
    response = owner.client.post(address, {"rating": "unhelpful", "comment": " Too long. "}, **FETCH)

    with tenant(owner.organization.id):
        given = Feedback.objects.get()
    assert (given.rating, given.comment, given.user_id) == ("unhelpful", "Too long.", owner.user.id)
    assert re.search(r'aria-label="Not helpful"[^>]*aria-pressed="true"', body(response))


def test_the_form_of_feedback_holds_the_comment_given_before(owner):
    reply = answer(owner, ask(owner))
    address = f"/chat/messages/{reply.id}/feedback/"
    form = f"{address}?rating=unhelpful"
    assert re.search(r"<textarea[^>]*></textarea>", body(owner.client.get(form)))

    owner.client.post(address, {"rating": "unhelpful", "comment": "Too <long>."}, **FETCH)

    for headers in (FETCH, {}):
        assert re.search(r"<textarea[^>]*>Too &lt;long&gt;.</textarea>", body(owner.client.get(form, **headers)))


def test_the_form_of_feedback_holds_nobody_elses_comment(owner, teammate):
    reply = answer(owner, ask(owner))
    with tenant(owner.organization.id):
        Feedback.objects.create(
            organization=owner.organization, message=reply, user=teammate.user, rating="unhelpful", comment="Not mine."
        )

    assert "Not mine." not in body(owner.client.get(f"/chat/messages/{reply.id}/feedback/?rating=unhelpful"))


def test_feedback_without_a_known_rating_is_refused(owner):
    reply = answer(owner, ask(owner))

    response = owner.client.post(f"/chat/messages/{reply.id}/feedback/", {"rating": "superb"}, **FETCH)

    assert response.status_code == 400
    with tenant(owner.organization.id):
        assert not Feedback.objects.exists()
