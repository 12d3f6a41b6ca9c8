"""The options of a question back: records under the names they have now, and only for who may see them."""

import json

import pytest

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.context.history import load_history
from chat.models import Turn
from crm.models import Company
from tests.chat.conversations import answer, ask
from tests.chat.pages import FETCH, body
from tests.people import Person

pytestmark = pytest.mark.django_db


def make_company(person: Person, name: str) -> Company:
    with tenant(person.organization.id):
        return Company.objects.create(organization=person.organization, name=name, domain=f"{name.lower()}.example")


@pytest.fixture
def question(owner):
    """Answered with three options: a record renamed since, one deleted since, and words."""
    renamed, deleted = make_company(owner, "Oldco"), make_company(owner, "Goneco")
    message = ask(owner, "Tell me about it")
    options = [
        {"label": company.name, "ref": f"company:{company.pk}"} for company in (renamed, deleted)
    ] + [{"label": "None of these", "ref": ""}]  # fmt: skip
    reply = answer(owner, message, "Which one?", [], options=options)
    with tenant(owner.organization.id):
        Turn.objects.filter(reply=reply).update(outcome="clarify")
        Company.objects.filter(pk=renamed.pk).update(name="Newco")
        deleted.delete()
    message.renamed = ResourceRef("company", str(renamed.pk))
    return message


LABELS = ["Newco", "No longer available", "None of these"]


def test_the_page_offers_what_is_there_and_keeps_the_places(owner, question):
    page = body(owner.client.get(f"/chat/{question.conversation_id}/"))
    part = body(owner.client.get(f"/chat/messages/{question.id}/exchange/", **FETCH))

    for shown in (page, part):
        assert '<button class="option">Newco</button>' in shown
        assert '<button class="option" disabled>No longer available</button>' in shown
        assert '<button class="option">None of these</button>' in shown
        assert "Oldco" not in shown
        assert "Goneco" not in shown


def test_the_api_and_the_export_tell_the_same(owner, question):
    listed = owner.client.get(f"/api/v1/conversations/{question.conversation_id}/messages/").json()["results"]
    export = json.loads(owner.client.get(f"/chat/{question.conversation_id}/export.json").content)["messages"]
    with tenant(owner.organization.id):
        turn = Turn.objects.get(message=question)
    told = owner.client.get(f"/api/v1/turns/{turn.id}/").json()["reply"]

    for reply in (listed[1], export[1], told):
        assert [option["label"] for option in reply["options"]] == LABELS


def test_the_next_message_chooses_among_the_same(owner, question):
    following = ask(owner, "the first one", conversation=question.conversation)

    with tenant(owner.organization.id):
        pending = load_history(conversation=question.conversation, message=following, actor=owner.actor).pending

    assert [option.label for option in pending.options] == LABELS
    assert pending.options[0].ref == question.renamed
