"""What may be done to the records, what is refused, and the history that each action leaves."""

import datetime

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agencycore.errors import ProductError, Refused
from agencycore.tenancy import tenant
from crm.actions import (
    Candidate,
    add_opportunity_evidence,
    add_prospect,
    change_deal_stage,
    change_lifecycle_stage,
    change_owner,
    log_activity,
    open_deal,
    promote_prospect,
    record_signal,
    review_prospect,
    set_icp_match,
)
from crm.models import Activity, Company, Deal, FieldChange, Person, Prospect, ProspectEvidence, Signal
from tests.crm.records import (
    NOON,
    make_company,
    make_contact,
    make_deal,
    make_evidence,
    make_icp,
    make_opportunity,
    make_prospect,
)

pytestmark = pytest.mark.django_db

STAGE = Company.LifecycleStage
REVIEW = Prospect.ReviewState


@pytest.fixture(autouse=True)
def _inside(owner):
    with tenant(owner.organization.pk):
        yield


def history():
    return [
        (change.object_kind, change.field, change.old, change.new, change.cause)
        for change in FieldChange.objects.order_by("id")
    ]


# --- companies ---------------------------------------------------------------------------------


def test_changing_the_lifecycle_stage_keeps_since_cause_and_history(owner):
    company = make_company(owner, stage_since=NOON)
    before = timezone.now()

    change_lifecycle_stage(actor=owner.actor, company=company, stage=STAGE.PROSPECT, cause="  It fits\nthe ICP. ")

    company.refresh_from_db()
    assert (company.lifecycle_stage, company.stage_cause) == ("prospect", "It fits the ICP.")
    assert company.stage_since >= before
    assert history() == [("company", "lifecycle_stage", "Lead", "Prospect", "It fits the ICP.")]
    assert FieldChange.objects.get().changed_by == owner.user


def test_the_lifecycle_stage_is_not_changed_to_what_it_is(owner):
    company = make_company(owner)

    with pytest.raises(Refused, match="Lumenpay is in the stage “Lead” already"):
        change_lifecycle_stage(actor=owner.actor, company=company, stage=STAGE.LEAD, cause="Why not")

    assert history() == []


def test_the_lifecycle_stage_is_not_changed_over_somebody_elses_change(owner):
    company = make_company(owner)
    Company.objects.filter(pk=company.pk).update(lifecycle_stage=STAGE.CUSTOMER)

    with pytest.raises(Refused, match="changed by somebody else"):
        change_lifecycle_stage(actor=owner.actor, company=company, stage=STAGE.PROSPECT, cause="It fits.")

    assert (Company.objects.get().lifecycle_stage, history()) == ("customer", [])


@pytest.mark.parametrize(("cause", "said"), [("  ", "Say why"), ("x" * 301, "longer than 300")])
def test_the_lifecycle_stage_is_not_changed_without_a_reason_that_can_be_kept(owner, cause, said):
    company = make_company(owner)

    with pytest.raises(ProductError, match=said):
        change_lifecycle_stage(actor=owner.actor, company=company, stage=STAGE.PROSPECT, cause=cause)

    assert Company.objects.get().lifecycle_stage == "lead"


def test_a_company_that_stops_matching_the_icp_keeps_since_when_and_why(owner):
    company, icp = make_company(owner), make_icp(owner)
    set_icp_match(actor=owner.actor, company=company, icp=icp, matches=True, reason="All criteria hold.")

    set_icp_match(actor=owner.actor, company=company, icp=icp, matches=False, reason="Headcount fell below 51.")

    company.refresh_from_db()
    assert (company.icp_match, company.icp_reason) == (False, "Headcount fell below 51.")
    assert history() == [
        ("company", "icp_match", "", "Matches Growth-stage SaaS", "All criteria hold."),
        (
            "company",
            "icp_match",
            "Matches Growth-stage SaaS",
            "Does not match Growth-stage SaaS",
            "Headcount fell below 51.",
        ),
    ]


def test_a_repeated_icp_verdict_keeps_its_first_date(owner):
    icp = make_icp(owner)
    company = make_company(owner, icp=icp, icp_match=True, icp_since=NOON, icp_reason="Old reason.")

    set_icp_match(actor=owner.actor, company=company, icp=icp, matches=True, reason="New reason.")

    company.refresh_from_db()
    assert (company.icp_since, company.icp_reason, history()) == (NOON, "New reason.", [])


def test_the_same_signal_twice_is_one(owner):
    company = make_company(owner)

    for _ in range(2):
        record_signal(
            actor=owner.actor, company=company, kind=Signal.Kind.FUNDING, text="Raised money", detected_at=NOON
        )

    assert Signal.objects.count() == 1


# --- owners ------------------------------------------------------------------------------------


def test_a_record_is_handed_to_a_teammate_and_to_nobody(owner, teammate):
    company = make_company(owner, owner=owner.user)

    change_owner(actor=owner.actor, record=company, owner=teammate.user, cause="Olivia is on leave.")
    change_owner(actor=owner.actor, record=company, owner=None)

    assert Company.objects.get().owner is None
    assert history() == [
        ("company", "owner", "olivia", "tom", "Olivia is on leave."),
        ("company", "owner", "tom", "", ""),
    ]


def test_a_stranger_cannot_be_made_an_owner(owner, stranger):
    company = make_company(owner)

    with pytest.raises(Refused, match="Only a member of the organization"):
        change_owner(actor=owner.actor, record=company, owner=stranger.user)

    assert (Company.objects.get().owner, history()) == (None, [])


def test_handing_a_record_to_its_owner_is_refused(owner):
    with pytest.raises(Refused, match="olivia owns Lumenpay already"):
        change_owner(actor=owner.actor, record=make_company(owner, owner=owner.user), owner=owner.user)


# --- activities --------------------------------------------------------------------------------


def test_an_activity_logged_on_a_deal_belongs_to_its_company_too(owner):
    company = make_company(owner)
    deal = make_deal(owner, company)

    log_activity(
        actor=owner.actor,
        kind=Activity.Kind.CALL,
        subject=" Pricing ",
        happened_at=NOON,
        body=" She asked. ",
        deal=deal,
    )

    activity = Activity.objects.get()
    assert (activity.company, activity.deal, activity.by) == (company, deal, owner.user)
    assert (activity.subject, activity.body) == ("Pricing", "She asked.")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"subject": " "}, "needs a subject"),
        ({"happened_at": timezone.now() + datetime.timedelta(days=1)}, "Only a task can lie in the future"),
        ({"company": None}, "Say which company"),
    ],
)
def test_an_activity_that_says_too_little_is_not_logged(owner, changes, said):
    fields = {"subject": "Pricing", "happened_at": NOON, "company": make_company(owner), **changes}

    with pytest.raises(ProductError, match=said):
        log_activity(actor=owner.actor, kind=Activity.Kind.CALL, **fields)

    assert Activity.objects.count() == 0


def test_a_task_may_lie_in_the_future(owner):
    tomorrow = timezone.now() + datetime.timedelta(days=1)
    person = make_contact(owner, make_company(owner))

    log_activity(actor=owner.actor, kind=Activity.Kind.TASK, subject="Call back", happened_at=tomorrow, person=person)

    assert Activity.objects.get().happened_at == tomorrow


def test_an_activity_is_not_logged_on_another_companys_deal(owner):
    deal = make_deal(owner, make_company(owner))
    other = make_company(owner, "Other")

    with pytest.raises(ProductError, match="another company"):
        log_activity(
            actor=owner.actor, kind=Activity.Kind.CALL, subject="Call", happened_at=NOON, company=other, deal=deal
        )


# --- deals -------------------------------------------------------------------------------------


def test_opening_a_deal_makes_a_prospect_an_opportunity(owner):
    company = make_company(owner, lifecycle_stage=STAGE.PROSPECT)

    deal = open_deal(actor=owner.actor, company=company, name="Annual licence", owner=owner.user)

    company.refresh_from_db()
    assert (deal.stage, company.lifecycle_stage) == ("qualification", "opportunity")
    assert history() == [
        ("deal", "stage", "", "Qualification", "Opened."),
        ("company", "lifecycle_stage", "Prospect", "Opportunity", "The deal “Annual licence” was opened."),
    ]


def test_opening_a_deal_leaves_a_customer_a_customer(owner):
    company = make_company(owner, lifecycle_stage=STAGE.CUSTOMER)

    open_deal(actor=owner.actor, company=company, name="Second")

    company.refresh_from_db()
    assert company.lifecycle_stage == "customer"


def test_two_deals_of_one_company_do_not_share_a_name(owner):
    company = make_company(owner)
    make_deal(owner, company, "Annual licence")

    with pytest.raises(Refused, match="has a deal “Annual licence” already"):
        open_deal(actor=owner.actor, company=company, name="Annual licence")


def test_winning_a_deal_closes_it_today_and_makes_its_company_a_customer(owner):
    company = make_company(owner, lifecycle_stage=STAGE.OPPORTUNITY)
    deal = make_deal(owner, company, stage=Deal.Stage.NEGOTIATION)

    change_deal_stage(actor=owner.actor, deal=deal, stage=Deal.Stage.WON, cause="They signed.")

    company.refresh_from_db()
    deal.refresh_from_db()
    assert (deal.stage, deal.stage_cause, deal.close_date) == ("won", "They signed.", timezone.now().date())
    assert (company.lifecycle_stage, company.stage_cause) == ("customer", "The deal “Annual licence” was won.")
    assert history() == [
        ("deal", "stage", "Negotiation", "Won", "They signed."),
        ("company", "lifecycle_stage", "Opportunity", "Customer", "The deal “Annual licence” was won."),
    ]


def test_losing_a_deal_leaves_its_company_where_it_is(owner):
    company = make_company(owner, lifecycle_stage=STAGE.OPPORTUNITY)

    change_deal_stage(actor=owner.actor, deal=make_deal(owner, company), stage=Deal.Stage.LOST, cause="Too dear.")

    company.refresh_from_db()
    assert company.lifecycle_stage == "opportunity"


# --- opportunities -----------------------------------------------------------------------------


@pytest.mark.parametrize(("weight", "score"), [(25, 55), (90, 100), (-90, 0)])
def test_a_score_is_the_sum_of_its_evidence_between_0_and_100(owner, weight, score):
    opportunity = make_opportunity(owner, make_company(owner), score=30, score_since=NOON)
    make_evidence(owner, opportunity, "Hires sellers", 30)

    changed = add_opportunity_evidence(
        actor=owner.actor, opportunity=opportunity, text="More", weight=weight, observed_on=NOON.date(), source="Blog"
    )

    assert changed.score == score
    assert changed.score_since > NOON
    assert history() == [("opportunity", "score", "30", str(score), "More")]


def test_evidence_without_weight_moves_neither_score_nor_date(owner):
    opportunity = make_opportunity(owner, make_company(owner), score=30, score_since=NOON)
    make_evidence(owner, opportunity, "Hires sellers", 30)

    changed = add_opportunity_evidence(
        actor=owner.actor, opportunity=opportunity, text="Seen", weight=0, observed_on=NOON.date(), source="Blog"
    )

    assert (changed.score, changed.score_since, history()) == (30, NOON, [])


# --- prospects ---------------------------------------------------------------------------------


def test_a_found_candidate_waits_for_review_with_the_score_of_its_evidence(owner):
    evidence = [
        ProspectEvidence(text="Fits", weight=40, observed_on=NOON.date(), source="Register"),
        ProspectEvidence(text="No mail", weight=-10, observed_on=NOON.date(), source="Check"),
    ]

    prospect = add_prospect(
        actor=owner.actor,
        candidate=Candidate("Peppercorn", "peppercorn.example"),
        evidence=evidence,
        reason="It is new.",
        found_by_label="Signals Search",
    )

    assert (prospect.review_state, prospect.review_reason, prospect.score) == ("pending", "It is new.", 30)
    assert [item.text for item in prospect.evidence.all()] == ["Fits", "No mail"]


def test_a_candidate_on_the_list_already_is_that_prospect(owner):
    known = make_prospect(owner)
    rejected = make_prospect(owner, "Other", review_state=REVIEW.REJECTED)

    again = add_prospect(
        actor=owner.actor,
        candidate=Candidate("Peppercorn Ltd", known.domain),
        evidence=[],
        reason="It is new.",
        found_by_label="Import",
    )
    second_chance = add_prospect(
        actor=owner.actor, candidate=Candidate("Other", rejected.domain), evidence=[], reason="New.", found_by_label="x"
    )

    assert again == known
    assert second_chance != rejected


MOVES = [(before, after) for before in REVIEW for after in REVIEW]


@pytest.mark.parametrize(("before", "after"), MOVES)
def test_a_review_moves_a_prospect_only_where_the_model_says(owner, before, after):
    prospect = make_prospect(owner, review_state=before, review_since=NOON)

    if after in Prospect.REVIEW_MOVES[before]:
        review_prospect(actor=owner.actor, prospect=prospect, state=after, reason="Because.")
        expected = after, [("prospect", "review_state", before.label, after.label, "Because.")]
    else:
        with pytest.raises(Refused, match=f"“{before.label}” cannot be moved to “{after.label}”"):
            review_prospect(actor=owner.actor, prospect=prospect, state=after, reason="Because.")
        expected = before, []

    assert (Prospect.objects.get().review_state, history()) == expected


def test_a_rejection_says_who_and_why_and_reopening_forgets_who(owner):
    prospect = make_prospect(owner)

    review_prospect(actor=owner.actor, prospect=prospect, state=REVIEW.REJECTED, reason="Too small.")
    rejected = (prospect.reviewed_by, prospect.review_reason)
    review_prospect(actor=owner.actor, prospect=prospect, state=REVIEW.PENDING, reason="It grew.")

    assert rejected == (owner.user, "Too small.")
    assert (prospect.reviewed_by, prospect.review_reason) == (None, "It grew.")


def test_promoting_makes_a_company_in_the_stage_prospect_and_a_person(owner):
    prospect = make_prospect(
        owner,
        review_state=REVIEW.APPROVED,
        review_reason="It fits.",
        industry="Payments",
        contact_name="Jane Doe",
        contact_title="CFO",
        contact_email="jane@peppercorn.example",
    )

    company = promote_prospect(actor=owner.actor, prospect=prospect)

    prospect.refresh_from_db()
    assert (company.name, company.domain, company.industry) == ("Peppercorn", "peppercorn.example", "Payments")
    assert (company.lifecycle_stage, company.owner) == ("prospect", owner.user)
    assert company.stage_cause == "It was promoted from the prospect list: It fits."
    assert [(person.name, person.title, person.company) for person in Person.objects.all()] == [
        ("Jane Doe", "CFO", company)
    ]
    assert (prospect.review_state, prospect.company, prospect.person.name) == ("promoted", company, "Jane Doe")
    assert ("prospect", "review_state", "Approved", "Promoted", "Promoted to Peppercorn.") in history()


def test_promoting_uses_the_company_and_person_that_exist(owner):
    company = make_company(owner, "Peppercorn", lifecycle_stage=STAGE.OPPORTUNITY)
    person = make_contact(owner, company, email="jane@peppercorn.example")
    prospect = make_prospect(
        owner, review_state=REVIEW.APPROVED, contact_name="J. Doe", contact_email="jane@peppercorn.example"
    )

    promoted_to = promote_prospect(actor=owner.actor, prospect=prospect)

    prospect.refresh_from_db()
    company.refresh_from_db()
    assert (promoted_to, prospect.person) == (company, person)
    assert (Company.objects.count(), Person.objects.count(), company.lifecycle_stage) == (1, 1, "opportunity")


@pytest.mark.parametrize(
    ("state", "domain", "stage", "said"),
    [
        (REVIEW.PENDING, "x.example", None, "only an approved prospect"),
        (REVIEW.REJECTED, "x.example", None, "“Rejected”"),
        (REVIEW.APPROVED, "", None, "no web domain"),
        (REVIEW.APPROVED, "x.example", STAGE.CUSTOMER, "in the stage “customer”"),
        (REVIEW.APPROVED, "x.example", STAGE.DISQUALIFIED, "in the stage “disqualified”"),
        (REVIEW.PROMOTED, "x.example", None, "has been promoted already"),
    ],
)
def test_a_prospect_that_may_not_be_promoted_is_refused_with_the_reason(owner, state, domain, stage, said):
    if stage:
        make_company(owner, "X", domain=domain, lifecycle_stage=stage)
    prospect = make_prospect(owner, review_state=state, domain=domain)
    companies = Company.objects.count()

    with pytest.raises(Refused, match=said):
        promote_prospect(actor=owner.actor, prospect=prospect)

    prospect.refresh_from_db()
    assert (prospect.review_state, Company.objects.count(), history()) == (state, companies, [])


# --- the wall between organizations ------------------------------------------------------------


def test_a_stranger_changes_nothing(owner, stranger):
    company = make_company(owner)
    deal = make_deal(owner, company)
    prospect = make_prospect(owner, review_state=REVIEW.APPROVED)
    opportunity = make_opportunity(owner, company)
    attempts = [
        lambda: change_lifecycle_stage(actor=stranger.actor, company=company, stage=STAGE.CUSTOMER, cause="Mine."),
        lambda: change_owner(actor=stranger.actor, record=company, owner=stranger.user),
        lambda: change_deal_stage(actor=stranger.actor, deal=deal, stage=Deal.Stage.WON, cause="Mine."),
        lambda: review_prospect(actor=stranger.actor, prospect=prospect, state=REVIEW.REJECTED, reason="Mine."),
        lambda: promote_prospect(actor=stranger.actor, prospect=prospect),
        lambda: add_opportunity_evidence(
            actor=stranger.actor, opportunity=opportunity, text="x", weight=1, observed_on=NOON.date(), source="x"
        ),
    ]

    with tenant(stranger.organization.pk):
        for attempt in attempts:
            with pytest.raises((Refused, ObjectDoesNotExist)):
                attempt()

    company.refresh_from_db()
    prospect.refresh_from_db()
    assert (company.lifecycle_stage, prospect.review_state, history()) == ("lead", "approved", [])


def test_no_row_points_into_another_organization_whatever_the_code_does(owner, stranger):
    company = make_company(owner)

    with tenant(stranger.organization.pk), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(IntegrityError, match="in_organization"), transaction.atomic():
            Person.objects.create(organization=stranger.organization, company=company, name="Jane")
