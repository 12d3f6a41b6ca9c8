"""The two demo organizations: complete, plausible, different, the same on every machine."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agencycore.tenancy import tenant
from crm.demo import meridian, northwind
from crm.models import (
    Activity,
    Company,
    Deal,
    FieldChange,
    IdealCustomerProfile,
    Opportunity,
    Person,
    Prospect,
    Signal,
)
from crm.readers import CompanyReader
from crm.scores import score_of
from organizations.models import Membership, Organization, User

pytestmark = pytest.mark.django_db

SLUGS = ("northwind", "meridian")


@pytest.fixture
def demo(db):
    call_command("load_demo", stdout=StringIO())
    return {slug: Organization.objects.get(slug=slug) for slug in SLUGS}


@pytest.mark.parametrize("slug", SLUGS)
def test_a_demo_organization_has_records_of_every_kind(demo, slug):
    with tenant(demo[slug].pk):
        counts = {model.__name__: model.objects.count() for model in (Company, Person, Prospect, IdealCustomerProfile)}
        few = [
            model.__name__ for model in (Deal, Opportunity, Activity, FieldChange, Signal) if model.objects.count() < 25
        ]

    assert counts == {"Company": 60, "Person": 120, "Prospect": 24, "IdealCustomerProfile": 2}
    assert few == []


@pytest.mark.parametrize("slug", SLUGS)
def test_every_stage_and_state_occurs_with_its_reason(demo, slug):
    with tenant(demo[slug].pk):
        assert set(Company.objects.values_list("lifecycle_stage", flat=True)) == set(Company.LifecycleStage)
        assert set(Prospect.objects.values_list("review_state", flat=True)) == set(Prospect.ReviewState)
        assert set(Deal.objects.values_list("stage", flat=True)) == set(Deal.Stage)
        assert set(Activity.objects.values_list("kind", flat=True)) == set(Activity.Kind)
        assert set(Company.objects.values_list("icp_match", flat=True)) == {True, False, None}
        assert Company.objects.filter(stage_cause="").count() == 0
        assert Company.objects.filter(icp_match=False, icp_reason="").count() == 0
        assert Prospect.objects.filter(review_reason="").count() == 0


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_happened_in_the_future_and_every_score_is_that_of_its_evidence(demo, slug):
    now = timezone.now()
    with tenant(demo[slug].pk):
        assert Activity.objects.filter(happened_at__gt=now).count() == 0
        assert FieldChange.objects.filter(changed_at__gt=now).count() == 0
        assert Company.objects.filter(stage_since__gt=now).count() == 0
        for scored in (
            *Opportunity.objects.prefetch_related("evidence"),
            *Prospect.objects.prefetch_related("evidence"),
        ):
            assert scored.score == score_of(scored.evidence.all())


@pytest.mark.parametrize("slug", SLUGS)
def test_a_company_stands_where_its_newest_change_put_it(demo, slug):
    with tenant(demo[slug].pk):
        newest = FieldChange.objects.filter(field="lifecycle_stage").order_by("object_id", "-changed_at")
        for change in newest.distinct("object_id"):
            company = Company.objects.get(pk=change.object_id)
            assert (change.new, change.changed_at, change.cause) == (
                company.get_lifecycle_stage_display(),
                company.stage_since,
                company.stage_cause,
            )


@pytest.mark.parametrize("world", [northwind.WORLD, meridian.WORLD], ids=lambda world: world.slug)
def test_a_company_is_compared_with_an_icp_about_its_industry_and_matches_none_it_cannot(demo, world):
    stories = {profile.name: profile for profile in world.profiles}
    with tenant(demo[world.slug].pk):
        compared = list(Company.objects.exclude(icp=None).select_related("icp"))
        stopped = set(FieldChange.objects.filter(field="icp_match").values_list("object_id", flat=True))

    for company in compared:
        story = stories[company.icp.name]
        misfit = story.misfit(company.industry, company.size_band)
        assert not (company.icp_match and misfit), company.name
        if not story.is_about(company.industry):
            assert not [each for each in stories.values() if each.is_about(company.industry)], company.name
            # It never matched, so it never stopped.
            assert (company.icp_reason, company.pk in stopped) == (misfit, False)
    assert sum(bool(company.icp_match) for company in compared) > 20


def test_a_maker_of_robots_is_no_fintech_company(demo):
    with tenant(demo["northwind"].pk):
        acme = Company.objects.select_related("icp").get(name="Acme Robotics")
        payments = Company.objects.select_related("icp").get(name="Wharf Payments")

    assert (acme.icp.name, acme.icp_match) == ("Growth-stage SaaS", False)
    assert acme.icp_reason == "It sells no software to businesses: its industry is “Industrial automation”."
    assert (payments.icp.name, payments.icp_match) == ("Fintech scale-up", True)


@pytest.mark.parametrize("world", [northwind.WORLD, meridian.WORLD], ids=lambda world: world.slug)
def test_a_prospect_is_approved_for_its_own_icp_and_promoted_to_the_company_it_is(demo, world):
    facts = ("industry", "country", "size_band", "domain", "icp_id")
    approvals = {profile.name: profile.approval for profile in world.profiles}
    with tenant(demo[world.slug].pk):
        prospects = list(Prospect.objects.select_related("icp", "company"))

    for prospect in prospects:
        others = {words for name, words in approvals.items() if name != prospect.icp.name}
        assert prospect.review_reason not in others, prospect.company_name
    promoted = [prospect for prospect in prospects if prospect.company]
    assert len({prospect.company_id for prospect in promoted}) == len(promoted) == 4
    for prospect in promoted:
        assert [getattr(prospect, fact) for fact in facts] == [getattr(prospect.company, fact) for fact in facts]
        assert prospect.company.icp_match


def test_the_two_organizations_share_no_company(demo):
    names = {}
    for slug in SLUGS:
        with tenant(demo[slug].pk):
            names[slug] = set(Company.objects.values_list("name", flat=True))

    assert names["northwind"] & names["meridian"] == set()


def test_the_ids_are_the_same_on_every_machine(demo):
    with tenant(demo["northwind"].pk):
        assert str(Company.objects.get(name="Acme Robotics").pk) == "6d3b5211-f402-5ac3-aea4-3f6b9237e4ba"


def test_the_members_can_log_in_where_the_readme_says_so(demo, client):
    for name, slug in (("demo", "northwind"), ("auditor", "northwind"), ("rival", "meridian")):
        assert client.login(username=name, password="demo-agencycore")
        assert Membership.objects.get(user__username=name).organization == demo[slug]
    assert list(User.objects.filter(is_staff=True).values_list("username", flat=True)) == ["auditor"]
    assert not User.objects.get(username="maya.lindqvist").has_usable_password()


def test_loading_the_demo_again_keeps_what_members_changed(demo):
    with tenant(demo["northwind"].pk):
        Company.objects.filter(name="Acme Robotics").update(country="Norway")
        Company.objects.filter(name="Lumenpay").delete()
    out = StringIO()

    call_command("load_demo", stdout=out)

    assert out.getvalue().splitlines()[:2] == ["northwind: is there already", "meridian: is there already"]
    with tenant(demo["northwind"].pk):
        assert (Company.objects.count(), Company.objects.get(name="Acme Robotics").country) == (59, "Norway")


def list_records(*arguments):
    out = StringIO()
    call_command("list_records", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_records_are_listed_as_refs_that_the_reader_reads(demo):
    (line,) = list_records("--org", "northwind", "--kind", "company", "--search", "acme")

    kind, _, rest = line.partition(":")
    company_id, _, label = rest.partition("  ")
    member = Membership.objects.get(user__username="demo")
    with tenant(member.organization_id):
        (projection,) = CompanyReader().read(member.actor, [company_id])
    assert (kind, label, projection.title) == ("company", "Acme Robotics", "Acme Robotics")


@pytest.mark.parametrize("kind", ["company", "person", "prospect", "deal", "opportunity", "activity"])
def test_records_of_every_kind_are_listed_for_their_organization_only(demo, kind):
    northwind, meridian = (list_records("--org", slug, "--kind", kind, "--limit", "1000") for slug in SLUGS)

    assert len(northwind) > 20
    assert set(northwind) & set(meridian) == set()


def test_listing_an_unknown_organization_fails_in_words(db):
    with pytest.raises(CommandError, match="There is no organization “nowhere”"):
        list_records("--org", "nowhere", "--kind", "company")
