"""What a demo organization is told from: names, and sentences with the record's own facts filled in."""

from dataclasses import dataclass

from crm.models import Activity, Company, Signal, SizeBand


@dataclass(frozen=True, slots=True)
class Colleague:
    username: str
    first_name: str
    last_name: str
    can_log_in: bool = False
    is_staff: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """An ICP, and the sentences that say why a company matches it, or no longer does.

    ``industries`` and ``size_bands`` are those of its criteria, empty where these name none.
    """

    name: str
    criteria: str
    match_reasons: tuple[str, ...]
    mismatch_reasons: tuple[str, ...]
    approval: str
    industries: frozenset[str] = frozenset()
    size_bands: tuple[str, ...] = ()
    other_industry: str = "Its industry is “{industry}”."
    too_small: str = "It has fewer employees than this profile asks for."
    too_large: str = "It has more employees than this profile asks for."

    def is_about(self, industry: str) -> bool:
        return not self.industries or industry in self.industries

    def misfit(self, industry: str, size_band: str) -> str:
        """Which criterion such a company fails by what it is, in words; "" for none."""
        if not self.is_about(industry):
            return self.other_industry.format(industry=industry)
        if not self.size_bands or size_band in self.size_bands:
            return ""
        bands = [band.value for band in SizeBand]
        return self.too_small if bands.index(size_band) < bands.index(self.size_bands[0]) else self.too_large


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
