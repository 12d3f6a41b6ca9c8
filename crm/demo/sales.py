"""What a demo organization works on: deals, activities, opportunities and prospects."""

import datetime
import itertools
from decimal import Decimal

from crm.demo.teller import Teller, domain_of, lines_of
from crm.models import (
    Activity,
    Company,
    Deal,
    IdealCustomerProfile,
    Opportunity,
    OpportunityEvidence,
    Person,
    Prospect,
    ProspectEvidence,
)
from crm.scores import score_of

STAGE = Company.LifecycleStage
OPEN_STAGES = (Deal.Stage.QUALIFICATION, Deal.Stage.DISCOVERY, Deal.Stage.PROPOSAL, Deal.Stage.NEGOTIATION)
# The stages of a company's deals, by the company's own stage.
DEALS = {
    STAGE.OPPORTUNITY: (None,),
    STAGE.CUSTOMER: (Deal.Stage.WON, None),
    STAGE.FORMER_CUSTOMER: (Deal.Stage.WON, Deal.Stage.LOST),
    STAGE.DISQUALIFIED: (Deal.Stage.LOST,),
}
REVIEW = Prospect.ReviewState
REVIEW_CYCLE = (REVIEW.PENDING, REVIEW.APPROVED, REVIEW.IN_REVIEW, REVIEW.REJECTED, REVIEW.PENDING, REVIEW.PROMOTED)
OPPORTUNITY_STAGES = (STAGE.PROSPECT, STAGE.OPPORTUNITY, STAGE.CUSTOMER)


def people_of(teller: Teller, company: Company) -> list[Person]:
    return [person for person in teller.people if person.company is company]


def tell_deals(teller: Teller) -> None:
    open_stages = itertools.cycle(OPEN_STAGES)
    for company in teller.companies:
        names = teller.some_of(teller.world.deal_names, 2)
        for name, closed in zip(names, DEALS.get(STAGE(company.lifecycle_stage), ()), strict=False):
            teller.deals.append(_deal(teller, company, f"{company.name}: {name}", closed or next(open_stages)))


def _deal(teller: Teller, company: Company, name: str, stage: Deal.Stage) -> Deal:
    closed = stage in Deal.CLOSED_STAGES
    since = teller.ago(teller.random.randrange(30, 200) if closed else teller.random.randrange(2, 45))
    deal = Deal(
        id=teller.id("deal", name),
        organization=teller.organization,
        company=company,
        person=people_of(teller, company)[0],
        name=name,
        owner=company.owner,
        stage=stage,
        stage_since=since,
        amount=Decimal(teller.one_of(teller.world.deal_amounts)),
        currency=teller.world.currency,
        close_date=since.date() if closed else teller.now.date() + datetime.timedelta(teller.random.randrange(7, 120)),
    )
    _tell_deal_stage(teller, deal)
    return deal


def _tell_deal_stage(teller: Teller, deal: Deal) -> None:
    stage = Deal.Stage(deal.stage)
    if stage is Deal.Stage.WON:
        before, deal.stage_cause = Deal.Stage.NEGOTIATION, teller.one_of(teller.world.won_reasons)
    elif stage is Deal.Stage.LOST:
        before, deal.stage_cause = Deal.Stage.PROPOSAL, teller.one_of(teller.world.lost_reasons)
    elif stage is Deal.Stage.QUALIFICATION:
        return
    else:
        before = OPEN_STAGES[OPEN_STAGES.index(stage) - 1]
        deal.stage_cause = f"{before.label} is done."
    teller.change(deal, "stage", before.label, stage.label, at=deal.stage_since, cause=deal.stage_cause)


def tell_activities(teller: Teller) -> list[Activity]:
    deals = {deal.company_id: deal for deal in teller.deals}
    return [
        activity
        for position, company in enumerate(teller.companies)
        for activity in _activities(teller, company, deals.get(company.pk), count=_activity_count(company, position))
    ]


def _activity_count(company: Company, position: int) -> int:
    if company.lifecycle_stage in (STAGE.LEAD, STAGE.DISQUALIFIED):
        return position % 2
    return 3 + position % 5


def _activities(teller: Teller, company: Company, deal: Deal | None, *, count: int) -> list[Activity]:
    people = people_of(teller, company)
    days = teller.random.randrange(1, 20)
    activities = []
    for number, (kind, subject, body) in enumerate(teller.some_of(teller.world.activities, count)):
        activities.append(
            Activity(
                id=teller.id("activity", company.name, number),
                organization=teller.organization,
                kind=kind,
                happened_at=teller.ago(days),
                by=company.owner or teller.members[0],
                company=company,
                person=people[number % len(people)],
                deal=deal if deal and number % 3 == 0 else None,
                subject=subject,
                body=body,
            )
        )
        days += teller.random.randrange(4, 28)
    return activities


def tell_opportunities(teller: Teller) -> tuple[list[Opportunity], list[OpportunityEvidence]]:
    opportunities, evidence = [], []
    fitting = [company for company in teller.companies if company.lifecycle_stage in OPPORTUNITY_STAGES]
    for company, theme in zip(fitting, itertools.cycle(teller.world.themes), strict=False):
        items = [
            OpportunityEvidence(
                organization=teller.organization,
                text=text,
                weight=weight,
                observed_on=teller.ago(teller.random.randrange(3, 100)).date(),
                source=source,
            )
            for text, weight, source in theme.evidence
        ]
        opportunity = Opportunity(
            id=teller.id("opportunity", company.name, theme.name),
            organization=teller.organization,
            company=company,
            name=f"{company.name}: {theme.name}",
            owner=company.owner,
            score=score_of(items),
            score_since=teller.ago(teller.random.randrange(1, 40)),
        )
        for item in items:
            item.opportunity = opportunity
        opportunities.append(opportunity)
        evidence.extend(items)
    return opportunities, evidence


def tell_prospects(teller: Teller) -> tuple[list[Prospect], list[ProspectEvidence]]:
    prospects, evidence = [], []
    for position, (name, *facts) in enumerate(lines_of(teller.world.candidates)):
        items = [
            ProspectEvidence(
                organization=teller.organization,
                text=text,
                weight=weight,
                observed_on=teller.ago(teller.random.randrange(3, 60)).date(),
                source=source,
            )
            for text, weight, source in teller.some_of(teller.world.candidate_evidence, 2 + position % 3)
        ]
        prospect = _prospect(teller, name, facts, position, score_of(items))
        for item in items:
            item.prospect = prospect
        prospects.append(prospect)
        evidence.extend(items)
    return prospects, evidence


def _prospect(teller: Teller, name: str, facts: list[str], position: int, score: int) -> Prospect:
    state = REVIEW_CYCLE[position % len(REVIEW_CYCLE)]
    company = _promoted_company(teller, position) if state is REVIEW.PROMOTED else None
    industry, country, size_band = (company.industry, company.country, company.size_band) if company else facts
    icp = (company.icp if company else None) or teller.icp_for(industry, position)
    first, last = teller.world.first_names.split(), teller.world.last_names.split()
    contact = f"{first[position * 3 % len(first)]} {last[position * 5 % len(last)]}"
    since = teller.ago(teller.random.randrange(2, 30))
    prospect = Prospect(
        id=teller.id("prospect", name),
        organization=teller.organization,
        company_name=name,
        # One of the approved has no domain: it may not be promoted, and the page says why.
        domain="" if position == 1 else domain_of(name),
        industry=industry,
        country=country,
        size_band=size_band,
        contact_name=contact,
        contact_title=teller.world.titles[position % len(teller.world.titles)],
        contact_email=f"{domain_of(contact).removesuffix('.example')}@{domain_of(name)}",
        icp=icp,
        owner=teller.members[position % len(teller.members)],
        review_state=state,
        review_since=since,
        review_reason=_review_reason(teller, state, position, icp),
        score=score,
        found_at=since - datetime.timedelta(days=2 + position % 6),
        found_by_label=teller.one_of(teller.world.found_by),
    )
    if state in (REVIEW.APPROVED, REVIEW.REJECTED, REVIEW.PROMOTED):
        prospect.reviewed_by = teller.members[(position + 1) % len(teller.members)]
    if company:
        _link_to_company(teller, prospect, company)
    return prospect


def _review_reason(teller: Teller, state: Prospect.ReviewState, position: int, icp: IdealCustomerProfile) -> str:
    world, approval = teller.world, teller.story_of(icp).approval
    reasons = {
        REVIEW.PENDING: world.pending_reasons,
        REVIEW.IN_REVIEW: world.in_review_reasons,
        REVIEW.APPROVED: (approval, *world.approved_reasons),
        REVIEW.REJECTED: world.rejected_reasons,
        REVIEW.PROMOTED: (approval,),
    }[state]
    return reasons[position // 2 % len(reasons)]


def _promoted_company(teller: Teller, position: int) -> Company:
    """A promoted prospect has become one of the companies that match their ICP and stand in the stage “prospect”."""
    stand = [company for company in teller.companies if company.lifecycle_stage == STAGE.PROSPECT]
    promoted = [company for company in stand if company.icp_match]
    return promoted[position // len(REVIEW_CYCLE) % len(promoted)]


def _link_to_company(teller: Teller, prospect: Prospect, company: Company) -> None:
    prospect.company = company
    prospect.person = people_of(teller, company)[0]
    prospect.company_name, prospect.domain = company.name, company.domain
    prospect.contact_name, prospect.contact_title = prospect.person.name, prospect.person.title
    prospect.contact_email = prospect.person.email
