"""What chat may know of each record, and who may know it."""

import datetime

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.refs import ResourceRef, read_refs
from agencycore.tenancy import tenant
from crm.models import Activity, Company, Deal
from crm.models.records import RecordQuerySet
from crm.readers import (
    ActivityReader,
    CompanyReader,
    DealReader,
    OpportunityReader,
    PersonReader,
    ProspectReader,
)
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

DAY = datetime.timedelta(days=1)
# One statement for the records, and one for each kind of thing around them.
STATEMENTS = {
    CompanyReader: 6,  # changes, activities, contacts, open deals, signals
    PersonReader: 3,  # newest activity, newest contact
    ProspectReader: 3,  # companies with its domain, evidence
    DealReader: 3,  # newest activity, newest contact
    OpportunityReader: 2,  # evidence
    ActivityReader: 1,
}


@pytest.fixture
def many(owner):
    """Twelve records of each kind with things around them."""
    made: dict[type, list[str]] = {reader: [] for reader in STATEMENTS}
    with tenant(owner.organization.pk):
        for number in range(12):
            company = make_company(owner, f"Company {number}", owner=owner.user)
            person = make_contact(owner, company, f"Person {number}")
            deal = make_deal(owner, company, owner=owner.user)
            activity = make_activity(owner, company, person=person, deal=deal, by=owner.user)
            prospect = make_prospect(owner, f"Prospect{number}", company=company, person=person)
            make_prospect_evidence(owner, prospect, "Raised money", 20)
            opportunity = make_opportunity(owner, company)
            make_evidence(owner, opportunity, "Hires sellers", 30)
            make_signal(owner, company)
            make_change(owner, company, old="Ada", new="Tom", changed_by=owner.user)
            for reader, record in zip(made, (company, person, prospect, deal, opportunity, activity), strict=True):
                made[reader].append(str(record.pk))
    return made


def facts(projection):
    return [(field.name, field.value, field.when) for field in projection.fields]


def values_of(projection, name):
    return [field.value for field in projection.fields if field.name == name]


def read_one(reader, member, record):
    with tenant(member.organization.pk):
        (projection,) = reader().read(member.actor, [str(record.pk)])
    return projection


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_a_reader_reads_one_record_and_twelve_with_the_same_statements(many, owner, reader):
    counts = []
    for ids in (many[reader][:1], many[reader]):
        with tenant(owner.organization.pk), CaptureQueriesContext(connection) as statements:
            projections = reader().read(owner.actor, ids)
        assert [projection.ref.id for projection in projections] == ids
        counts.append(len(statements))

    assert counts == [STATEMENTS[reader], STATEMENTS[reader]]


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_a_reader_keeps_the_order_asked_for_and_reads_each_record_once(many, owner, reader):
    ids = [many[reader][3], many[reader][1], many[reader][3], many[reader][2]]

    with tenant(owner.organization.pk):
        projections = reader().read(owner.actor, ids)

    assert [projection.ref.id for projection in projections] == [many[reader][3], many[reader][1], many[reader][2]]


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_a_teammate_reads_it_and_a_stranger_reads_it_as_absent(many, teammate, stranger, reader):
    with tenant(teammate.organization.pk):
        assert len(reader().read(teammate.actor, many[reader])) == 12
    with tenant(stranger.organization.pk):
        assert reader().read(stranger.actor, many[reader]) == []


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_a_stranger_reads_nothing_even_when_the_filter_is_forgotten(many, stranger, reader, monkeypatch):
    monkeypatch.setattr(RecordQuerySet, "visible_to", lambda self, actor: self.all())

    with tenant(stranger.organization.pk):
        assert reader().read(stranger.actor, many[reader]) == []


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
@pytest.mark.parametrize(
    "malformed",
    ["", "1", "abc", "0" * 64, "{uuid}", "' OR 1=1 --", "\0", "00000000-0000-0000-0000-000000000000", "١٢٣", "upper"],
)
def test_a_malformed_or_unknown_id_is_absent_without_spoiling_the_others(many, owner, reader, malformed):
    known = many[reader][0]
    spelled = {"{uuid}": f"{{{known}}}", "upper": known.upper()}.get(malformed, malformed)

    with tenant(owner.organization.pk):
        projections = reader().read(owner.actor, [spelled, known])

    assert [projection.ref.id for projection in projections] == [known]


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_a_reader_asked_for_nothing_well_formed_asks_the_database_nothing(owner, reader, django_assert_num_queries):
    with tenant(owner.organization.pk), django_assert_num_queries(0):
        assert reader().read(owner.actor, ["no id"]) == []


@pytest.mark.parametrize("reader", STATEMENTS, ids=lambda reader: reader.kind)
def test_the_labels_of_many_records_are_those_of_their_projections_and_cost_one_statement(
    many, owner, stranger, reader, django_assert_num_queries
):
    with tenant(owner.organization.pk):
        projections = reader().read(owner.actor, many[reader])
        with django_assert_num_queries(1):
            labels = reader().read_labels(owner.actor, many[reader])
    with tenant(stranger.organization.pk):
        foreign = reader().read_labels(stranger.actor, many[reader])

    assert labels == [projection.ref for projection in projections]
    assert foreign == []


def test_every_reader_of_the_crm_is_named_in_the_settings():
    named = {path for path in settings.READERS if path.startswith("crm.")}

    assert named == {f"crm.readers.{reader.__name__}" for reader in STATEMENTS}


def test_every_field_has_words_that_people_ask_with(many, owner):
    with tenant(owner.organization.pk):
        fields = [
            field
            for reader in STATEMENTS
            for projection in reader().read(owner.actor, many[reader])
            for field in projection.fields
        ]

    assert [field.name for field in fields if not field.question_words] == []


def test_a_company_is_read_with_its_stage_owner_icp_history_activities_deals_and_signals(owner):
    with tenant(owner.organization.pk):
        company = make_company(
            owner,
            industry="Payments",
            country="Ireland",
            size_band="51-200",
            lifecycle_stage=Company.LifecycleStage.PROSPECT,
            stage_since=NOON,
            stage_cause="It answered our e-mail",
            owner=owner.user,
            icp=make_icp(owner),
            icp_match=False,
            icp_since=NOON + DAY,
            icp_reason="Headcount fell below 51.",
        )
        person = make_contact(owner, company)
        deal = make_deal(owner, company, stage_since=NOON, amount=1200, close_date=NOON.date(), owner=owner.user)
        make_deal(owner, company, "Old", stage=Deal.Stage.LOST)
        call = make_activity(owner, company, by=owner.user, person=person, body="Wants a\n list.")
        note = make_activity(owner, company, "Budget", kind=Activity.Kind.NOTE, happened_at=NOON + DAY)
        make_change(owner, company, old="Ada", new="Tom", changed_at=NOON, changed_by=owner.user, cause="Ada left")
        make_signal(owner, company)

    projection = read_one(CompanyReader, owner, company)

    assert projection.ref == ResourceRef("company", str(company.pk), "Lumenpay")
    assert projection.url == f"/crm/companies/{company.pk}/"
    assert facts(projection) == [
        ("Domain", "lumenpay.example", None),
        ("Industry", "Payments", None),
        ("Country", "Ireland", None),
        ("Size", "51–200 employees", None),
        ("Lifecycle stage", "Prospect. Reason: It answered our e-mail.", NOON.date()),
        ("Owner", "olivia", None),
        (
            "ICP match",
            "Does not match the ICP “Growth-stage SaaS”. Reason: Headcount fell below 51.",
            (NOON + DAY).date(),
        ),
        ("Last change", "Owner changed from Ada to Tom, by olivia. Reason: Ada left.", NOON.date()),
        ("Last contact", "Call with Jane Doe: “Pricing”, by olivia.", NOON.date()),
        ("Last activity", "Note: “Budget”.", (NOON + DAY).date()),
        ("Earlier activity", "Call with Jane Doe: “Pricing”, by olivia. Wants a list.", NOON.date()),
        (
            "Open deal",
            "“Annual licence”: Qualification, EUR 1,200, closes 10 March 2026, owned by olivia.",
            NOON.date(),
        ),
        ("Signal", "Funding: Raised a Series A.", NOON.date()),
    ]
    assert [ref.key for ref in projection.related] == [
        ("activity", str(note.pk)),
        ("activity", str(call.pk)),
        ("deal", str(deal.pk)),
    ]


def test_a_company_of_which_little_is_known_says_so(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner, domain="")

    unknown = [(name, value) for name, value, _ in facts(read_one(CompanyReader, owner, company))]

    assert unknown == [
        ("Domain", "Not recorded."),
        ("Industry", "Not recorded."),
        ("Country", "Not recorded."),
        ("Size", "Not recorded."),
        ("Lifecycle stage", "Lead."),
        ("Owner", "Nobody owns this company yet."),
        ("ICP match", "It has not been compared with an ICP yet."),
        ("Last change", "No change is recorded."),
        ("Last contact", "No contact is recorded."),
        ("Last activity", "No activity is recorded."),
        ("Open deal", "No deal is open."),
        ("Signal", "No signal is recorded."),
    ]


def test_a_company_shows_its_five_newest_activities_and_changes(owner):
    with tenant(owner.organization.pk):
        company, other = make_company(owner), make_company(owner, "Other")
        for number in range(8):
            make_activity(owner, company, f"Call {number}", happened_at=NOON + number * DAY)
            make_activity(owner, other, f"Elsewhere {number}", happened_at=NOON + number * DAY)
            make_change(owner, company, field="country", new=f"Country {number}", changed_at=NOON + number * DAY)

    projection = read_one(CompanyReader, owner, company)

    by_name = {
        name: [value for field, value, _ in facts(projection) if field == name] for name, _, _ in facts(projection)
    }
    assert by_name["Last activity"] == ["Call: “Call 7”."]
    assert by_name["Earlier activity"] == [f"Call: “Call {number}”." for number in (6, 5, 4, 3)]
    assert by_name["Last change"] == ["Country set to Country 7."]
    assert by_name["Earlier change"] == [f"Country set to Country {number}." for number in (6, 5, 4, 3)]


def test_dates_are_those_of_the_organizations_time_zone(owner):
    late = datetime.datetime(2026, 3, 10, 23, 30, tzinfo=datetime.UTC)
    owner.organization.time_zone = "Asia/Tokyo"
    owner.organization.save(update_fields=["time_zone"])
    with tenant(owner.organization.pk):
        activity = make_activity(owner, make_company(owner), happened_at=late)

    when = next(field for field in read_one(ActivityReader, owner, activity).fields if field.name == "When")

    assert (when.value, when.when) == ("11 March 2026.", datetime.date(2026, 3, 11))


def test_a_person_is_read_with_company_title_mail_owner_and_last_activity(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        person = make_contact(owner, company, title="Head of Growth", email="jane@x.example", owner=owner.user)
        make_activity(owner, company, "Old", person=person)
        newest = make_activity(owner, company, person=person, happened_at=NOON + DAY, kind=Activity.Kind.EMAIL)

    projection = read_one(PersonReader, owner, person)

    assert facts(projection) == [
        ("Company", "Lumenpay", None),
        ("Title", "Head of Growth", None),
        ("E-mail", "jane@x.example", None),
        ("Owner", "olivia", None),
        ("Last contact", "E-mail with Jane Doe: “Pricing”.", (NOON + DAY).date()),
        ("Last activity", "E-mail with Jane Doe: “Pricing”.", (NOON + DAY).date()),
    ]
    assert [ref.key for ref in projection.related] == [("company", str(company.pk)), ("activity", str(newest.pk))]


def test_a_prospect_is_read_with_its_review_score_evidence_finder_and_what_blocks_it(owner):
    with tenant(owner.organization.pk):
        prospect = make_prospect(
            owner,
            industry="Payments",
            contact_name="Jane Doe",
            contact_title="CFO",
            review_since=NOON,
            review_reason="The contact's e-mail could not be verified",
            score=50,
            found_at=NOON - DAY,
            found_by_label="Signals Search",
            found_by_run="0192f3a4-0000-7000-8000-000000000001",
        )
        make_prospect_evidence(owner, prospect, "Raised money", 20)
        make_prospect_evidence(owner, prospect, "Fits the ICP", 30)

    projection = read_one(ProspectReader, owner, prospect)

    assert projection.title == "Jane Doe at Peppercorn"
    assert facts(projection) == [
        ("Company", "Peppercorn (peppercorn.example, Payments)", None),
        ("Contact", "Jane Doe, CFO", None),
        ("Review state", "Review needed. Reason: The contact's e-mail could not be verified.", NOON.date()),
        ("Score", "50 of 100.", None),
        ("Score evidence", "Fits the ICP (+30 points, source: Press release).", NOON.date()),
        ("Score evidence", "Raised money (+20 points, source: Press release).", NOON.date()),
        ("Found by", "Signals Search.", (NOON - DAY).date()),
        (
            "May be promoted",
            "No, it may not be promoted yet. Its review state is “Review needed”; "
            "only an approved prospect may be promoted.",
            None,
        ),
        ("Owner", "Nobody owns this prospect yet.", None),
    ]
    assert [ref.key for ref in projection.related] == [("run", "0192f3a4-0000-7000-8000-000000000001")]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"review_state": "approved"}, "Yes, it may be promoted to the CRM now."),
        (
            {"review_state": "approved", "domain": ""},
            "No, it may not be promoted yet. It has no web domain, so it could not be told apart from companies "
            "already in the CRM.",
        ),
        (
            {"review_state": "approved", "domain": "lumenpay.example"},
            "No, it may not be promoted yet. Lumenpay is in the CRM already, in the stage “customer”.",
        ),
        ({"review_state": "promoted"}, "It has been promoted already, to a company that was deleted since."),
    ],
)
def test_a_prospect_says_whether_it_may_be_promoted(owner, fields, said):
    with tenant(owner.organization.pk):
        make_company(owner, lifecycle_stage=Company.LifecycleStage.CUSTOMER)
        prospect = make_prospect(owner, **fields)

    projection = read_one(ProspectReader, owner, prospect)

    assert values_of(projection, "May be promoted") == [said]


def test_a_deal_is_read_with_its_stage_amount_close_date_and_the_last_contact_with_its_company(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        deal = make_deal(
            owner,
            company,
            owner=owner.user,
            stage=Deal.Stage.PROPOSAL,
            stage_since=NOON,
            stage_cause="They asked for it.",
            amount="1200.50",
            currency="CHF",
            close_date=NOON.date(),
        )
        note = make_activity(owner, company, "Budget", deal=deal, kind=Activity.Kind.NOTE)
        call = make_activity(owner, company, by=owner.user, happened_at=NOON - DAY, body="She will sign.")

    projection = read_one(DealReader, owner, deal)

    assert facts(projection) == [
        ("Company", "Lumenpay", None),
        ("Owner", "olivia", None),
        ("Stage", "Proposal. Reason: They asked for it.", NOON.date()),
        ("Amount", "CHF 1,200.50", None),
        ("Close date", "Expected to close on 10 March 2026.", None),
        (
            "Last contact",
            "Call: “Pricing”, by olivia. She will sign. It was with Lumenpay and is not logged on this deal.",
            (NOON - DAY).date(),
        ),
        ("Last activity", "Note: “Budget”.", NOON.date()),
    ]
    assert [ref.key for ref in projection.related] == [
        ("company", str(company.pk)),
        ("activity", str(note.pk)),
        ("activity", str(call.pk)),
    ]


def test_a_deal_without_activities_of_its_own_says_so_beside_the_contact_with_its_company(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        deal = make_deal(owner, company)
        make_activity(owner, company, happened_at=NOON - DAY)

    projection = read_one(DealReader, owner, deal)

    assert values_of(projection, "Last contact") == [
        "Call: “Pricing”. It was with Lumenpay and is not logged on this deal."
    ]
    assert values_of(projection, "Last activity") == ["No activity is recorded on this deal itself."]


def test_a_contact_on_the_deal_needs_no_place(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        deal = make_deal(owner, company)
        make_activity(owner, company, deal=deal, happened_at=NOON - DAY)

    projection = read_one(DealReader, owner, deal)

    assert values_of(projection, "Last contact") == values_of(projection, "Last activity") == ["Call: “Pricing”."]


def test_an_opportunity_is_read_with_its_score_and_its_dated_evidence_strongest_first(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        opportunity = make_opportunity(owner, company, score=22, score_since=NOON)
        make_evidence(owner, opportunity, "No answer yet", -8, source="E-mail history")
        make_evidence(owner, opportunity, "Hires sellers", 30, observed_on=(NOON - DAY).date())

    projection = read_one(OpportunityReader, owner, opportunity)

    assert facts(projection) == [
        ("Company", "Lumenpay", None),
        ("Score", "22 of 100.", NOON.date()),
        ("Score evidence", "Hires sellers (+30 points, source: Careers page).", (NOON - DAY).date()),
        ("Score evidence", "No answer yet (-8 points, source: E-mail history).", NOON.date()),
        ("Owner", "Nobody owns this opportunity yet.", None),
    ]
    assert [ref.key for ref in projection.related] == [("company", str(company.pk))]


def test_the_evidence_of_a_score_is_bounded(owner):
    with tenant(owner.organization.pk):
        opportunity = make_opportunity(owner, make_company(owner))
        for weight in range(15):
            make_evidence(owner, opportunity, f"Item {weight}", weight)

    values = [
        value for name, value, _ in facts(read_one(OpportunityReader, owner, opportunity)) if name == "Score evidence"
    ]

    assert values == [f"Item {weight} ({weight:+d} points, source: Careers page)." for weight in range(14, 4, -1)]


def test_an_activity_is_read_with_kind_day_member_and_what_it_was_about(owner):
    with tenant(owner.organization.pk):
        company = make_company(owner)
        person = make_contact(owner, company)
        deal = make_deal(owner, company)
        activity = make_activity(owner, company, person=person, deal=deal, by=owner.user, body="She asked.")

    projection = read_one(ActivityReader, owner, activity)

    assert projection.title == "Call: Pricing"
    assert facts(projection) == [
        ("Kind", "Call", None),
        ("When", "10 March 2026.", NOON.date()),
        ("By", "olivia", None),
        ("About", "Jane Doe at Lumenpay, on the deal “Annual licence”", None),
        ("Subject", "Pricing", None),
        ("Details", "She asked.", None),
    ]
    assert [ref.kind for ref in projection.related] == ["company", "person", "deal"]


def test_a_deleted_record_is_absent(owner):
    with tenant(owner.organization.pk):
        company, gone = make_company(owner), make_company(owner, "Gone")
        refs = [ResourceRef("company", str(gone.pk)), ResourceRef("company", str(company.pk))]
        gone.delete()
        read = read_refs(owner.actor, refs)

    assert [projection.title for projection in read] == ["Lumenpay"]
