"""Every product page answers: each is cited for a question that its readers would ask."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from agencycore.tenancy import tenant
from crm.models import Company
from tests.crm.test_docs_answers import QUESTIONS as CRM_QUESTIONS
from tests.people import Person

DOCS = Path(settings.BASE_DIR) / "docs" / "product"
# The page, and the question it is there for.
QUESTIONS = {
    "agents-and-workflows": "What are draft, published and retired versions?",
    "asking-questions": "How do I ask about one record?",
    "chat": "Why can chat not answer a question?",
    "chat-and-workflows": "What does approval mean?",
    "citations": "Where do citations come from?",
    "conversations": "How can I export a conversation?",
    "feedback": "Who sees my feedback on an answer?",
    "glossary": "What is a turn?",
    "knowledge": "What is a knowledge source?",
    "language-models": "What happens when the language model is not available?",
    "limits": "How many messages can I send in a minute?",
    "privacy-and-roles": "Who can see my conversations?",
    "progress-and-stopping": "How long may an answer take?",
    "runs": "What is in the report of a run?",
    "troubleshooting": "What can I do when a document does not become ready?",
    "uploading-documents": "Can any member upload?",
    "what-is-agencycore": "What can AgencyCore do?",
    "what-to-upload": "Which language can documents be in?",
}


def ask(member: Person, question: str, **options: object) -> dict:
    out = StringIO()
    person = {"user": member.user.username, "org": member.organization.slug}
    call_command("ask", question, **person, **options, json=True, stdout=out)
    return json.loads(out.getvalue())


def title_of(page: str) -> str:
    return (DOCS / f"{page}.md").read_text().splitlines()[0].removeprefix("# ")


def test_every_page_has_its_question():
    assert set(QUESTIONS) | set(CRM_QUESTIONS) == {path.stem for path in DOCS.glob("*.md")}


@pytest.mark.django_db
def test_every_page_is_cited_for_its_question(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    call_command("ingest_docs", str(DOCS), stdout=StringIO())

    wrong = {}
    for page, question in QUESTIONS.items():
        turn = ask(owner, question)
        cited = {citation["label"] for citation in turn["citations"]}
        if turn["outcome"] != "answer" or title_of(page) not in cited:
            wrong[page] = (question, turn["text"], sorted(cited))
    assert wrong == {}


# How the answer to “What is …?” begins.
DEFINITIONS = {
    "a company": "A company is a business",
    "a person": "Person: somebody at a company",
    "a contact": "Contact: a person",
    "a deal": "Deal: a sale",
    "a stage": "Stage: how far",
    "an activity": "Activity: something that happened",
    "a prospect": "Prospect: a company or person",
    "an opportunity": "Opportunity: a reason to sell",
    "an owner": "The owner of a record is the member",
    "a record": "Record: one company",
    "a member": "Member: a person",
    "an administrator": "Admin: an administrator",
    "a document": "Document: a file",
    "a citation": "Citation: a numbered mark",
    "a conversation": "A conversation is a series of messages",
    "an agent": "Agent: a published helper",
    "a workflow": "Workflow: a published series",
    "a run": "A run is one piece of work",
}


@pytest.mark.django_db
def test_every_word_of_the_product_is_defined(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    call_command("ingest_docs", str(DOCS), stdout=StringIO())

    told = {term: ask(owner, f"What is {term}?")["text"] for term in DEFINITIONS}

    assert {term: text for term, text in told.items() if not text.startswith(DEFINITIONS[term])} == {}


@pytest.mark.django_db
def test_what_is_set_beside_another_thing_is_defined(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    call_command("ingest_docs", str(DOCS), stdout=StringIO())
    pairs = [("a prospect", "a company"), ("a deal", "an opportunity")]

    told = [ask(owner, f"What's the difference between {one} and {two}?")["text"] for one, two in pairs]

    assert told == [
        "Prospect: a company or person that was found and waits for, or has had, a review [1]. "
        "A company is a business that you sell to, or may sell to [2].",
        "A deal is a sale that is being worked on [1]. An opportunity is a reason to sell [1].",
    ]


# What one asks about an account or about using chat, and the title of the section that says it.
SECTIONS = {
    "How do I delete my account?": "Deleting an account",
    "Can I delete my account?": "Deleting an account",
    "How can I close my account?": "Deleting an account",
    "How do I remove a member from the organization?": "Adding, inviting or removing a member",
    "Can I remove a user?": "Adding, inviting or removing a member",
    "How do I change my password?": "Changing a password, a name or an e-mail address",
    "I forgot my password": "Changing a password, a name or an e-mail address",
    "How do I get an API token?": "How do I get an API token",
    "How do I delete my API token?": "Replacing or deleting an API token",
    "How do I log out?": "Logging out",
    "How do I delete a company?": "Deleting a record",
    "Can I ask about a company by its name?": "Asking about a record by its name",
    "How do I compare two companies?": "Comparing records",
    "Can a company be deleted?": "Deleting a record",
    "How do I invite a colleague?": "Adding, inviting or removing a member",
    "How can I add a new user?": "Adding, inviting or removing a member",
    "How long are chats stored?": "How long conversations are kept",
    "How long are my conversations kept?": "How long conversations are kept",
    "How do I delete a chat?": "Deleting a conversation",
    "How much does it cost?": "What AgencyCore costs",
    "What does AgencyCore cost?": "What AgencyCore costs",
    "Who can I ask about the price?": "What AgencyCore costs",
    "Who sets the daily limit?": "Who sets the daily limits",
    "How can I raise the daily limit?": "Who sets the daily limits",
    "Which languages does chat speak?": "Which languages chat speaks",
    "What languages do you speak?": "Which languages chat speaks",
    "Does chat understand French?": "Which languages chat speaks",
    "Which languages do you speak?": "Which languages chat speaks",
    "How do I change the ICP?": "Writing or changing an ICP",
    "maximum number of runs": "Daily limits of an organization",
}


@pytest.mark.django_db
def test_questions_about_an_account_or_about_using_chat_find_the_section_about_that(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    call_command("ingest_docs", str(DOCS), stdout=StringIO())

    cited = {question: [one["position"] for one in ask(owner, question)["citations"]] for question in SECTIONS}

    assert {q: at for q, at in cited.items() if [one.split(" › ")[-1] for one in at] != [SECTIONS[q]]} == {}


@pytest.mark.django_db
def test_a_name_will_do_once_the_conversation_holds_the_record_as_the_page_says(owner):
    with tenant(owner.organization.id):
        company = Company.objects.create(organization=owner.organization, name="Lumenpay", owner=owner.user)
    question = "Who owns Lumenpay?"

    before = ask(owner, question)
    sent = ask(owner, "Which stage is it in?", ref=[f"company:{company.pk}"])
    after = ask(owner, question, conversation=sent["conversation"])

    assert (before["citations"], before["unresolved"]) == (
        [],
        ["The record “Lumenpay” is not open and was not sent along"],
    )
    assert owner.user.shown_name in after["text"]
    assert [citation["label"] for citation in after["citations"]] == ["Lumenpay"]
