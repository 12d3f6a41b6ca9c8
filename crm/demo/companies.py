"""The companies of a demo organization, their people, and how both came to be what they are."""

import itertools

from crm.demo.teller import Teller, domain_of, lines_of
from crm.models import Company, IdealCustomerProfile, Person, Signal

STAGE = Company.LifecycleStage
# One stage a company, over and over: the mix of a CRM in use.
STAGE_CYCLE = (
    STAGE.PROSPECT, STAGE.CUSTOMER, STAGE.OPPORTUNITY, STAGE.LEAD, STAGE.PROSPECT, STAGE.OPPORTUNITY,
    STAGE.LEAD, STAGE.CUSTOMER, STAGE.PROSPECT, STAGE.FORMER_CUSTOMER, STAGE.LEAD, STAGE.DISQUALIFIED,
)  # fmt: skip
PATHS = {
    STAGE.LEAD: (STAGE.LEAD,),
    STAGE.PROSPECT: (STAGE.LEAD, STAGE.PROSPECT),
    STAGE.OPPORTUNITY: (STAGE.LEAD, STAGE.PROSPECT, STAGE.OPPORTUNITY),
    STAGE.CUSTOMER: (STAGE.PROSPECT, STAGE.OPPORTUNITY, STAGE.CUSTOMER),
    STAGE.FORMER_CUSTOMER: (STAGE.OPPORTUNITY, STAGE.CUSTOMER, STAGE.FORMER_CUSTOMER),
    STAGE.DISQUALIFIED: (STAGE.LEAD, STAGE.DISQUALIFIED),
}
PEOPLE_PER_COMPANY = 2


def tell_profiles(teller: Teller) -> None:
    teller.profiles = [
        IdealCustomerProfile(
            id=teller.id("icp", profile.name),
            organization=teller.organization,
            name=profile.name,
            criteria=profile.criteria,
        )
        for profile in teller.world.profiles
    ]


def tell_companies(teller: Teller) -> None:
    stages = itertools.cycle(STAGE_CYCLE)
    for position, (name, industry, country, size_band) in enumerate(lines_of(teller.world.companies)):
        company = Company(
            id=teller.id("company", name),
            organization=teller.organization,
            name=name,
            domain=domain_of(name),
            industry=industry,
            country=country,
            size_band=size_band,
            owner=None if position % 11 == 10 else teller.members[position % len(teller.members)],
            lifecycle_stage=next(stages),
        )
        _tell_stages(teller, company)
        _tell_icp_match(teller, company, position)
        _tell_change_of_owner(teller, company, position)
        teller.companies.append(company)


def _tell_stages(teller: Teller, company: Company) -> None:
    path = PATHS[STAGE(company.lifecycle_stage)]
    days = teller.random.randrange(60 * len(path), 120 * len(path))
    before = ""
    for stage in path:
        company.stage_since = teller.ago(days)
        company.stage_cause = teller.one_of(teller.world.stage_causes[stage])
        label = str(stage.label)
        if before:
            teller.change(company, "lifecycle_stage", before, label, at=company.stage_since, cause=company.stage_cause)
        before = label
        days = max(days - teller.random.randrange(30, 110), teller.random.randrange(3, 30))


def _tell_icp_match(teller: Teller, company: Company, position: int) -> None:
    """Two of ten were never compared. Of the others match those that fit, but for three of ten that stopped."""
    if position % 10 in (3, 8):
        return
    company.icp = teller.icp_for(company.industry, position)
    profile = teller.story_of(company.icp)
    misfit = profile.misfit(company.industry, company.size_band)
    company.icp_match = not misfit and position % 10 not in (0, 4, 7)
    company.icp_since = teller.ago(teller.random.randrange(4, 90))
    reasons = profile.match_reasons if company.icp_match else profile.mismatch_reasons
    company.icp_reason = misfit or teller.one_of(reasons)
    if not company.icp_match and profile.is_about(company.industry):
        before, after = f"Matches {profile.name}", f"Does not match {profile.name}"
        teller.change(company, "icp_match", before, after, at=company.icp_since, cause=company.icp_reason)


def _tell_change_of_owner(teller: Teller, company: Company, position: int) -> None:
    if position % 4 or company.owner is None:
        return
    before = teller.members[(position + 1) % len(teller.members)]
    at = teller.ago(teller.random.randrange(6, 70))
    cause = f"{before.first_name} handed over some accounts."
    teller.change(company, "owner", before.get_full_name(), company.owner.get_full_name(), at=at, cause=cause)


def tell_people(teller: Teller) -> None:
    first, last = teller.world.first_names.split(), teller.world.last_names.split()
    for position, company in enumerate(teller.companies):
        for number in range(PEOPLE_PER_COMPANY):
            index = position * PEOPLE_PER_COMPANY + number
            # 7 and the list lengths share no factor, so no pair of names comes twice.
            name = f"{first[index % len(first)]} {last[index * 7 % len(last)]}"
            teller.people.append(_person(teller, company, name, index))


def _person(teller: Teller, company: Company, name: str, index: int) -> Person:
    mailbox = domain_of(name.replace(" ", "")).removesuffix(".example")
    return Person(
        id=teller.id("person", company.name, name),
        organization=teller.organization,
        company=company,
        name=name,
        title=teller.world.titles[index % len(teller.world.titles)],
        email=f"{mailbox}@{company.domain}",
        owner=company.owner,
    )


def tell_signals(teller: Teller) -> list[Signal]:
    return [
        Signal(
            id=teller.id("signal", company.name, text),
            organization=teller.organization,
            company=company,
            kind=kind,
            text=text,
            detected_at=teller.ago(teller.random.randrange(2, 120)),
            source_url=f"https://{company.domain}/news",
        )
        for position, company in enumerate(teller.companies)
        for kind, text in teller.some_of(teller.world.signals, position % 4)
    ]
