"""Lists and detail pages: what they show, to whom, and with how many statements."""

import uuid

import pytest
from django.urls import reverse

from agencycore.tenancy import tenant
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
    make_prospect_evidence,
    make_signal,
)

pytestmark = pytest.mark.django_db

LISTS = ["company_list", "person_list", "prospect_list", "deal_list", "opportunity_list"]


@pytest.fixture
def records(owner):
    """One record of each kind, each with everything its page can show."""
    with tenant(owner.organization.pk):
        company = make_company(
            owner,
            owner=owner.user,
            icp=make_icp(owner),
            icp_match=False,
            icp_since=NOON,
            icp_reason="Headcount fell below 51.",
            stage_cause="It answered our e-mail.",
        )
        person = make_contact(owner, company, email="jane@lumenpay.example", owner=owner.user)
        deal = make_deal(owner, company, owner=owner.user, amount="12500.50", person=person, close_date=NOON.date())
        activity = make_activity(owner, company, person=person, deal=deal, by=owner.user, body="She asked for a list.")
        prospect = make_prospect(owner, review_reason="The e-mail is not verified.", owner=owner.user)
        make_prospect_evidence(owner, prospect, "Raised money", 20)
        opportunity = make_opportunity(owner, company, score=30)
        make_evidence(owner, opportunity, "Hires sellers", 30)
        make_signal(owner, company)
        for record in (company, person, deal, prospect, opportunity):
            make_change(owner, record, old="Ada", new="Tom", changed_by=owner.user, cause="Ada left.")
    return {
        "company": company,
        "person": person,
        "deal": deal,
        "activity": activity,
        "prospect": prospect,
        "opportunity": opportunity,
    }


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (
            "company",
            ["Lumenpay", "It answered our e-mail.", "Headcount fell below 51.", "Ada left.", "Raised a Series A"],
        ),
        ("person", ["Jane Doe", "jane@lumenpay.example", "Pricing"]),
        ("deal", ["Annual licence", "EUR 12,500.50", "10 Mar 2026", "Pricing"]),
        ("activity", ["Pricing", "She asked for a list.", "Jane Doe", "Annual licence"]),
        ("prospect", ["Peppercorn", "The e-mail is not verified.", "Raised money", "only an approved prospect"]),
        ("opportunity", ["New funding", "Hires sellers", "+30", "Careers page"]),
    ],
)
def test_a_detail_page_shows_the_record_to_a_teammate(records, teammate, kind, shown):
    response = teammate.client.get(reverse(f"{kind}_detail", args=[records[kind].pk]))

    assert response.status_code == 200
    page = response.content.decode()
    assert [text for text in shown if text not in page] == []
    assert f"{reverse('chat')}?ref={kind}:{records[kind].pk}" in page


@pytest.mark.parametrize("kind", ["company", "person", "deal", "activity", "prospect", "opportunity"])
def test_a_detail_page_of_another_organization_is_not_found(records, stranger, kind):
    response = stranger.client.get(reverse(f"{kind}_detail", args=[records[kind].pk]))
    unknown = stranger.client.get(reverse(f"{kind}_detail", args=[uuid.uuid4()]))

    assert response.status_code == 404
    assert response.content == unknown.content


@pytest.mark.parametrize("name", LISTS)
def test_a_list_shows_the_organizations_records_and_no_others(records, owner, stranger, name):
    mine = owner.client.get(reverse(name)).content.decode()
    theirs = stranger.client.get(reverse(name)).content.decode()

    labels = {"company_list": "Lumenpay", "person_list": "Jane Doe", "prospect_list": "Peppercorn",
              "deal_list": "Annual licence", "opportunity_list": "New funding"}  # fmt: skip
    assert labels[name] in mine
    assert labels[name] not in theirs


@pytest.mark.parametrize("name", [*LISTS, "crm_import"])
def test_a_page_asks_somebody_unknown_to_log_in(client, name):
    response = client.get(reverse(name))

    assert response.status_code == 302
    assert response.url.startswith(reverse("login"))
