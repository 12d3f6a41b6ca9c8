"""Writing a demo organization into the database."""

from django.db import transaction
from django.utils import timezone

from agencycore.tenancy import tenant
from crm.demo.companies import tell_companies, tell_people, tell_profiles, tell_signals
from crm.demo.sales import tell_activities, tell_deals, tell_opportunities, tell_prospects
from crm.demo.teller import Teller
from crm.demo.world import Colleague, World
from crm.models import (
    Activity,
    Company,
    Deal,
    FieldChange,
    IdealCustomerProfile,
    Opportunity,
    OpportunityEvidence,
    Person,
    Prospect,
    ProspectEvidence,
    Signal,
)
from organizations.models import Membership, Organization, User

DEMO_PASSWORD = "demo-agencycore"  # noqa: S105 -- printed at every start; the demo holds nothing real


@transaction.atomic
def load_world(*, world: World) -> bool:
    """Make the demo organization of ``world``; False if it has companies already, which stay as they are."""
    organization, _ = Organization.objects.get_or_create(
        slug=world.slug, defaults={"name": world.name, "time_zone": world.time_zone}
    )
    members = [_make_member(organization, colleague) for colleague in world.colleagues]
    with tenant(organization.pk):
        if Company.objects.filter(organization=organization).exists():
            return False
        sellers = [member for member in members if not member.is_staff]
        _write(Teller(world, organization, sellers, timezone.now()))
    return True


def _make_member(organization: Organization, colleague: Colleague) -> User:
    user, created = User.objects.get_or_create(
        username=colleague.username,
        defaults={
            "first_name": colleague.first_name,
            "last_name": colleague.last_name,
            "email": f"{colleague.username}@{organization.slug}.example",
            "is_staff": colleague.is_staff,
        },
    )
    if created:
        _prepare_log_in(user, colleague)
    Membership.objects.get_or_create(organization=organization, user=user)
    return user


def _prepare_log_in(user: User, colleague: Colleague) -> None:
    if colleague.can_log_in:
        user.set_password(DEMO_PASSWORD)
    else:
        user.set_unusable_password()
    user.save(update_fields=["password"])


def _write(teller: Teller) -> None:
    tell_profiles(teller)
    tell_companies(teller)
    tell_people(teller)
    tell_deals(teller)
    opportunities, opportunity_evidence = tell_opportunities(teller)
    prospects, prospect_evidence = tell_prospects(teller)
    IdealCustomerProfile.objects.bulk_create(teller.profiles)
    Company.objects.bulk_create(teller.companies)
    Person.objects.bulk_create(teller.people)
    Signal.objects.bulk_create(tell_signals(teller))
    Deal.objects.bulk_create(teller.deals)
    Activity.objects.bulk_create(tell_activities(teller))
    Opportunity.objects.bulk_create(opportunities)
    OpportunityEvidence.objects.bulk_create(opportunity_evidence)
    Prospect.objects.bulk_create(prospects)
    ProspectEvidence.objects.bulk_create(prospect_evidence)
    FieldChange.objects.bulk_create(teller.changes)
