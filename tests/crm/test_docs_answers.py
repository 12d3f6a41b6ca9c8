"""Questions that the product pages about the CRM answer: each page is cited for its own question."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from tests.crm.test_docs import DOCS, PAGES

pytestmark = pytest.mark.django_db

# The page, the question, and words of the passage that answers it.
QUESTIONS = {
    "lifecycle-stages": ("What is lifecycle stage?", "how far a company has come"),
    "companies": ("How is the list of companies narrowed?", "lifecycle stage, owner, industry"),
    "people": ("How do people enter the CRM?", "import"),
    "prospects-and-review": ("What does the review state of a prospect mean?", "where it stands in the review"),
    "promoting-a-prospect": ("When can a prospect be promoted?", "prospect"),
    "icp": ("What is an ICP?", "kind of company you want"),
    "opportunity-score": ("How is the opportunity score calculated?", "sum of the points"),
    "deals-and-stages": ("What happens when a deal is won?", "Customer"),
    "activities": ("What is the difference between last contact and last activity?", "newest"),
    "owners": ("What may the owner of a record do?", "owner"),
    "signals": ("What is a signal?", "noticed about a company"),
    "importing-data": ("What happens if an import has errors?", "imports nothing"),
    "record-history": ("What is the history of a record?", "list of its changes"),
    "exports": ("How do I export a list as CSV?", "Export as CSV"),
}


# Questions about a list, and words of the list: its introduction alone is no answer.
LISTS = {
    "What kinds of signals are there?": ("leadership change", "risk"),
    "Which changes are kept in the history?": ("ICP match of a company", "an import changed"),
    "What is AgencyCore?": ("growth platform", "audit what chat said"),
    "Which columns can a file of deals have?": ("Close date", "Contact e-mail"),
    "What can I export?": ("Markdown", "CSV"),
}


def ask(member, question):
    out = StringIO()
    call_command("ask", question, user=member.user.username, org=member.organization.slug, json=True, stdout=out)
    return json.loads(out.getvalue())


def test_every_page_about_the_crm_is_cited_for_its_own_question(owner):
    assert set(QUESTIONS) == set(PAGES)
    call_command("ingest_docs", str(DOCS), stdout=StringIO())

    wrong = {}
    for page, (question, words) in QUESTIONS.items():
        turn = ask(owner, question)
        title = (DOCS / f"{page}.md").read_text().splitlines()[0].removeprefix("# ")
        cited = {citation["label"] for citation in turn["citations"]}
        if turn["outcome"] != "answer" or title not in cited or words not in turn["text"]:
            wrong[page] = (turn["outcome"], turn["text"], sorted(cited))
    assert wrong == {}


def test_a_question_about_a_list_is_answered_with_the_list(owner):
    call_command("ingest_docs", str(DOCS), stdout=StringIO())

    told = {question: ask(owner, question)["text"] for question in LISTS}
    missing = {question: [word for word in words if word not in told[question]] for question, words in LISTS.items()}
    assert {question: (words, told[question]) for question, words in missing.items() if words} == {}
