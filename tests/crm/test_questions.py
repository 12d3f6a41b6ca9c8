"""The questions members ask from a record's page, as real turns: the right field, dated, citing the record."""

import datetime
import json
from io import StringIO

import pytest
from django.core.management import call_command

from agencycore.tenancy import tenant
from crm.models import Company, Deal, Prospect
from tests.crm.records import (
    NOON,
    make_activity,
    make_change,
    make_company,
    make_contact,
    make_deal,
    make_evidence,
    make_icp,
    make_opportunity,
    make_prospect,
)

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)


@pytest.fixture
def records(owner):
    owner.user.first_name, owner.user.last_name = "Olivia", "Marsh"
    owner.user.save(update_fields=["first_name", "last_name"])
    with tenant(owner.organization.pk):
        company = make_company(
            owner,
            owner=owner.user,
            lifecycle_stage=Company.LifecycleStage.PROSPECT,
            stage_since=NOON,
            stage_cause="It answered our first e-mail.",
            icp=make_icp(owner),
            icp_match=False,
            icp_since=NOON + DAY,
            icp_reason="Headcount fell below 51.",
        )
        make_change(owner, company, field="country", old="Spain", new="Ireland", changed_at=NOON, cause="It moved.")
        person = make_contact(owner, company)
        make_activity(owner, company, by=owner.user, person=person, happened_at=NOON + 2 * DAY)
        prospect = make_prospect(owner, review_since=NOON, review_reason="The e-mail address is not verified.")
        approved = make_prospect(owner, "Cordage", review_state=Prospect.ReviewState.APPROVED)
        opportunity = make_opportunity(owner, company, score=30)
        make_evidence(owner, opportunity, "Three sales roles are advertised", 30)
        deal = make_deal(owner, company, owner=owner.user, stage=Deal.Stage.PROPOSAL, amount=12_000)
    return {
        "company": company,
        "prospect": prospect,
        "approved": approved,
        "opportunity": opportunity,
        "deal": deal,
    }


QUESTIONS = [
    ("company", "Who owns this?", ["Olivia Marsh"]),
    ("company", "What changed here recently?", ["Country", "Spain", "Ireland", "10 March 2026"]),
    ("company", "Why does it no longer match our ICP?", ["Headcount fell below 51", "11 March 2026"]),
    ("company", "Why did this company stop matching our ICP?", ["Headcount fell below 51", "11 March 2026"]),
    ("company", "Why is this company marked as a prospect?", ["answered our first e-mail", "10 March 2026"]),
    ("company", "Show me the last activity on this company.", ["Pricing", "Jane Doe", "12 March 2026"]),
    ("prospect", "Why is this prospect waiting for review?", ["not verified", "10 March 2026"]),
    ("prospect", "Can I promote this prospect to CRM?", ["only an approved prospect may be promoted"]),
    ("approved", "Can I promote this prospect to CRM?", ["may be promoted to the CRM now"]),
    ("opportunity", "What is this score based on?", ["Three sales roles are advertised", "10 March 2026"]),
    ("opportunity", "What evidence supports this opportunity score?", ["Three sales roles are advertised"]),
    ("deal", "Who owns this deal?", ["Olivia Marsh"]),
    ("deal", "When did we last talk to them?", ["Jane Doe", "12 March 2026"]),
]


def ask(member, question, **options):
    out = StringIO()
    call_command(
        "ask", question, user=member.user.username, org=member.organization.slug, json=True, stdout=out, **options
    )
    return json.loads(out.getvalue())


@pytest.mark.parametrize("way", ["page", "ref"])
@pytest.mark.parametrize(("name", "question", "said"), QUESTIONS)
def test_a_question_from_a_records_page_is_answered_from_its_fields(records, owner, name, question, said, way):
    record = records[name]
    ref = f"{type(record).__name__.lower()}:{record.pk}"

    turn = ask(owner, question, **{way: ref if way == "page" else [ref]})

    assert turn["outcome"] == "answer"
    assert [words for words in said if words not in turn["text"]] == []
    cited = {f"{citation['kind']}:{citation['id']}" for citation in turn["citations"]}
    activities = {key for key in cited if key.startswith("activity:") and "last" in question}
    assert cited
    assert cited - activities <= {ref}


def test_a_stranger_who_sends_the_ref_gets_no_fact_of_it(records, owner, stranger):
    turn = ask(stranger, "Who owns this?", ref=[f"company:{records['company'].pk}"])

    assert "Olivia" not in json.dumps(turn)
    assert "Lumenpay" not in json.dumps(turn)
    assert turn["citations"] == []
