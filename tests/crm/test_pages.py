"""Lists and detail pages: what they show, to whom, and with how many statements."""

import datetime
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agencycore.tenancy import tenant
from crm.models import Activity, Company, Deal, FieldChange, Opportunity, Person, Prospect
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


# --- lists ---------------------------------------------------------------------------------------


def shown(response, *names):
    page = response.content.decode()
    return [name for name in names if name in page]


def test_the_company_list_is_narrowed_by_words_stage_owner_industry_and_icp(owner, teammate):
    with tenant(owner.organization.pk):
        make_company(owner, "Alpha", lifecycle_stage="customer", owner=owner.user, industry="Payments")
        make_company(owner, "Bravo", lifecycle_stage="lead", owner=teammate.user, industry="Media")
        make_company(owner, "Carol", icp_match=False, icp_since=NOON, domain="other.example")
    client, url, names = owner.client, reverse("company_list"), ("Alpha", "Bravo", "Carol")

    assert shown(client.get(url), *names) == ["Alpha", "Bravo", "Carol"]
    assert shown(client.get(url, {"q": "brav"}), *names) == ["Bravo"]
    assert shown(client.get(url, {"q": "other.ex"}), *names) == ["Carol"]
    assert shown(client.get(url, {"stage": "customer"}), *names) == ["Alpha"]
    assert shown(client.get(url, {"owner": teammate.user.pk}), *names) == ["Bravo"]
    assert shown(client.get(url, {"owner": "nobody"}), *names) == ["Carol"]
    assert shown(client.get(url, {"industry": "Payments"}), *names) == ["Alpha"]
    assert shown(client.get(url, {"icp": "mismatch"}), *names) == ["Carol"]
    assert shown(client.get(url, {"q": "alpha", "stage": "lead"}), *names) == []


def test_a_filter_value_that_is_not_offered_narrows_nothing(owner, stranger):
    with tenant(owner.organization.pk):
        make_company(owner, "Alpha")

    for parameters in ({"stage": "x"}, {"owner": stranger.user.pk}, {"owner": "1; --"}, {"page": "x"}):
        assert shown(owner.client.get(reverse("company_list"), parameters), "Alpha") == ["Alpha"]


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("prospect_list", {"state": "rejected"}, ["Bramble"]),
        ("deal_list", {"state": "closed"}, ["Lost one"]),
        ("deal_list", {"stage": "qualification"}, ["Open one"]),
        ("opportunity_list", {"score": "high"}, ["Hot"]),
        ("person_list", {"title": "CFO"}, ["Jane"]),
    ],
)
def test_every_list_has_its_own_filters(owner, name, parameters, expected):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        make_contact(owner, company, "Jane", title="CFO")
        make_contact(owner, company, "Piet")
        make_prospect(owner, "Bramble", review_state="rejected")
        make_prospect(owner, "Cordage")
        make_deal(owner, company, "Lost one", stage="lost")
        make_deal(owner, company, "Open one")
        make_opportunity(owner, company, "Hot", score=90)
        make_opportunity(owner, company, "Cold", score=10)

    response = owner.client.get(reverse(name), parameters)

    names = ("Jane", "Piet", "Bramble", "Cordage", "Lost one", "Open one", "Hot", "Cold")
    assert shown(response, *names) == expected


def test_a_list_is_divided_into_pages_that_keep_the_filters(owner):
    with tenant(owner.organization.pk):
        Company.objects.bulk_create(
            Company(organization=owner.organization, name=f"Company {number:03}") for number in range(120)
        )

    response = owner.client.get(reverse("company_list"), {"q": "company", "page": 3})

    page = response.content.decode()
    assert (page.count("row-link"), "Company 119" in page, "Page 3 of 3" in page) == (20, True, True)
    assert "q=company&amp;page=2" in page


@pytest.mark.parametrize(("wanted", "shown_page"), [("99", 2), ("abc", 1), ("-1", 2), ("0", 2)])
def test_a_page_that_does_not_exist_is_the_nearest_and_says_so(owner, wanted, shown_page):
    with tenant(owner.organization.pk):
        for number in range(51):
            make_company(owner, f"Company {number:03}")

    response = owner.client.get(reverse("company_list"), {"page": wanted})

    assert response.context["listing"].page.number == shown_page
    assert f"There is no page “{wanted}”. This is page {shown_page}." in response.content.decode()


@pytest.mark.parametrize("parameters", [{}, {"page": "1"}, {"stage": ""}, {"stage": "lead", "q": "x"}])
def test_a_list_whose_address_is_in_order_has_no_notice(owner, parameters):
    assert owner.client.get(reverse("company_list"), parameters).context["listing"].notices == ()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"stage": "king"}, "The filter “Any stage” has no choice “king”. It was left out."),
        ({"owner": "0"}, "The filter “Any owner” has no choice “0”. It was left out."),
        ({"industry": "<b>"}, "The filter “Any industry” has no choice “&lt;b&gt;”. It was left out."),
    ],
)
def test_a_filter_value_that_is_not_offered_is_left_out_and_said(owner, parameters, said):
    with tenant(owner.organization.pk):
        make_company(owner, "Alpha")

    page = owner.client.get(reverse("company_list"), parameters).content.decode()

    assert said in page
    assert "Alpha" in page


def test_an_empty_list_offers_the_import(owner):
    page = owner.client.get(reverse("company_list")).content.decode()

    assert "No companies yet" in page
    assert reverse("crm_import") in page


# On top of what every page needs (session, user, membership, tenant).
LIST_STATEMENTS = {
    "company_list": 4,  # count, rows, members, industries
    "person_list": 4,  # count, rows, members, titles
    "prospect_list": 4,
    "deal_list": 3,
    "opportunity_list": 3,
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_needs_the_same_statements_for_10_and_1000_records(owner, name):
    frame = count_statements(owner, reverse("crm_import"))

    counts = [fill_and_count(owner, rows, lambda: reverse(name)) for rows in (10, 990)]

    assert counts == [frame + LIST_STATEMENTS[name]] * 2


def fill_and_count(owner, rows, url):
    with tenant(owner.organization.pk):
        organization = owner.organization
        companies = Company.objects.bulk_create(
            Company(organization=organization, name=f"C{number}", owner=owner.user) for number in range(rows)
        )
        for company in companies[:10]:
            Activity.objects.bulk_create(
                Activity(organization=organization, company=company, kind="call", subject="Call", by=owner.user)
                for _ in range(rows // 10)
            )
        FieldChange.objects.bulk_create(
            FieldChange(
                organization=organization, object_kind="company", object_id=companies[0].pk, field="name", new="x"
            )
            for _ in range(rows)
        )
        Person.objects.bulk_create(
            Person(organization=organization, name="P", company=company, owner=owner.user) for company in companies
        )
        Deal.objects.bulk_create(
            Deal(organization=organization, name="D", company=company, owner=owner.user) for company in companies
        )
        Opportunity.objects.bulk_create(
            Opportunity(organization=organization, name="O", company=company) for company in companies
        )
        Prospect.objects.bulk_create(
            Prospect(organization=organization, company_name="P", owner=owner.user) for _ in companies
        )
    return count_statements(owner, url())


def count_statements(member, url):
    client = member.client
    with CaptureQueriesContext(connection) as statements:
        assert client.get(url).status_code == 200
    return len(statements)


def test_a_companys_page_needs_the_same_statements_for_10_and_1000_records(owner):
    def busiest():
        with tenant(owner.organization.pk):
            company = Company.objects.order_by("-created_at").first()
            return Company.objects.filter(created_at=company.created_at).order_by("pk").first().get_absolute_url()

    frame = count_statements(owner, reverse("crm_import"))

    counts = [fill_and_count(owner, rows, busiest) for rows in (10, 990)]

    # The company; people, deals, opportunities, signals, activities, changes; the members.
    assert counts == [frame + 8] * 2


# --- buttons -------------------------------------------------------------------------------------


def post(member, name, *args, **data):
    return member.client.post(reverse(name, args=args), data, follow=True)


def test_a_member_changes_the_lifecycle_stage_on_the_page(records, owner):
    company = records["company"]

    page = post(owner, "company_change_stage", company.pk, stage="customer", reason="They signed.").content.decode()

    assert "The lifecycle stage is changed." in page
    assert "Lead → Customer" in page


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"stage": "lead", "reason": "Again."}, "is in the stage “Lead” already."),
        ({"stage": "lead", "reason": ""}, "Why: This field is required."),
        ({"stage": "king", "reason": "x"}, "Lifecycle stage: Select a valid choice."),
    ],
)
def test_a_refused_change_says_why_and_changes_nothing(records, owner, data, said):
    company = records["company"]

    page = post(owner, "company_change_stage", company.pk, **data).content.decode()

    assert said in page
    with tenant(owner.organization.pk):
        assert Company.objects.get(pk=company.pk).lifecycle_stage == "lead"


def test_a_member_moves_a_deal_on(records, owner):
    page = post(owner, "deal_change_stage", records["deal"].pk, stage="won", reason="Signed.").content.decode()

    assert "Qualification → Won" in page


def test_a_member_reviews_and_promotes_a_prospect(records, owner):
    prospect = records["prospect"]

    refused = post(owner, "prospect_promote", prospect.pk).content.decode()
    approved = post(owner, "prospect_review", prospect.pk, state="approved", reason="It fits.").content.decode()
    promoted = post(owner, "prospect_promote", prospect.pk)

    assert "only an approved prospect may be promoted" in refused
    assert "Promote to CRM" not in refused
    assert "Promote to CRM" in approved
    assert "Peppercorn is in the CRM." in promoted.content.decode()
    with tenant(owner.organization.pk):
        assert promoted.request["PATH_INFO"] == Company.objects.get(name="Peppercorn").get_absolute_url()


@pytest.mark.parametrize(
    ("kind", "record"),
    [
        ("companies", "company"),
        ("people", "person"),
        ("deals", "deal"),
        ("prospects", "prospect"),
        ("opportunities", "opportunity"),
    ],
)
def test_a_member_hands_a_record_to_a_teammate_and_not_to_a_stranger(records, owner, teammate, stranger, kind, record):
    refused = post(owner, "record_change_owner", kind, records[record].pk, owner=stranger.user.pk).content.decode()
    changed = post(owner, "record_change_owner", kind, records[record].pk, owner=teammate.user.pk).content.decode()

    assert "The owner is changed." not in refused
    assert "The owner is changed." in changed
    assert "→ tom" in changed


@pytest.mark.parametrize(("kind", "record"), [("companies", "company"), ("people", "person"), ("deals", "deal")])
def test_a_member_logs_an_activity_in_the_organizations_time(records, owner, kind, record):
    owner.organization.time_zone = "Asia/Tokyo"
    owner.organization.save(update_fields=["time_zone"])

    said = {"kind": "meeting", "subject": "Workshop", "happened_at": "2026-03-02T09:30", "body": "Went well."}
    page = post(owner, "activity_log", kind, records[record].pk, **said).content.decode()

    assert "2 Mar 2026, 09:30" in page
    with tenant(owner.organization.pk):
        activity = Activity.objects.get(subject="Workshop")
    assert activity.happened_at == datetime.datetime(2026, 3, 2, 0, 30, tzinfo=datetime.UTC)


BUTTONS = [
    ("company_change_stage", lambda records: [records["company"].pk], {"stage": "customer", "reason": "Mine."}),
    ("deal_change_stage", lambda records: [records["deal"].pk], {"stage": "won", "reason": "Mine."}),
    ("prospect_review", lambda records: [records["prospect"].pk], {"state": "approved", "reason": "Mine."}),
    ("prospect_promote", lambda records: [records["prospect"].pk], {}),
    ("record_change_owner", lambda records: ["companies", records["company"].pk], {"owner": ""}),
    ("activity_log", lambda records: ["deals", records["deal"].pk], {"kind": "call", "subject": "x"}),
]


@pytest.mark.parametrize(("name", "arguments", "data"), BUTTONS, ids=[name for name, _, _ in BUTTONS])
def test_a_button_is_not_there_for_a_stranger_and_not_for_a_look(records, owner, stranger, name, arguments, data):
    with tenant(owner.organization.pk):
        before = FieldChange.objects.count()
    url = reverse(name, args=arguments(records))

    assert stranger.client.post(url, data).status_code == 404
    assert owner.client.get(url).status_code == 405
    with tenant(owner.organization.pk):
        assert (FieldChange.objects.count(), Activity.objects.count()) == (before, 1)


@pytest.mark.parametrize(("people", "words"), [(0, "0 people"), (1, "1 person"), (2, "2 people")])
def test_people_are_counted_as_people(owner, people, words):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        for _ in range(people):
            make_contact(owner, company)

    assert f'role="status">{words}</p>' in owner.client.get(reverse("person_list")).content.decode()
