"""What a demo organization is told from: names, and sentences with the record's own facts filled in."""

from dataclasses import dataclass

from crm.models import Activity, Company, Signal


@dataclass(frozen=True, slots=True)
class Colleague:
    username: str
    first_name: str
    last_name: str
    can_log_in: bool = False
    is_staff: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """An ICP, and the sentences that say why a company matches it, or no longer does."""

    name: str
    criteria: str
    match_reasons: tuple[str, ...]
    mismatch_reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """An opportunity: its name, and its evidence as (text, weight, source)."""

    name: str
    evidence: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class World:
    slug: str
    name: str
    time_zone: str
    currency: str
    colleagues: tuple[Colleague, ...]
    # name | industry | country | size band, one company a line
    companies: str
    first_names: str
    last_names: str
    titles: tuple[str, ...]
    profiles: tuple[Profile, ...]
    stage_causes: dict[Company.LifecycleStage, tuple[str, ...]]
    deal_names: tuple[str, ...]
    deal_amounts: tuple[int, ...]
    lost_reasons: tuple[str, ...]
    won_reasons: tuple[str, ...]
    activities: tuple[tuple[Activity.Kind, str, str], ...]
    signals: tuple[tuple[Signal.Kind, str], ...]
    themes: tuple[Theme, ...]
    # name | industry | country | size band, one candidate a line
    candidates: str
    pending_reasons: tuple[str, ...]
    in_review_reasons: tuple[str, ...]
    approved_reasons: tuple[str, ...]
    rejected_reasons: tuple[str, ...]
    candidate_evidence: tuple[tuple[str, int, str], ...]
    found_by: tuple[str, ...]
