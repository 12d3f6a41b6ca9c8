"""The operator's view of context: what it costs, how turns end, how long they take, and what nothing covers."""

import datetime
import zoneinfo
from dataclasses import dataclass
from typing import get_args

from django import forms
from django.contrib import admin
from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from agencycore.ai.types import SourceName
from agencycore.tenancy import tenant
from chat import charts, context_report
from chat.context_report import Latency, Range, Summary, Topic
from organizations.models import Organization
from organizations.staff import get_staff_organization

DEFAULT_DAYS = 14
MAXIMUM_DAYS = 180
YEARS = range(2000, 2100)
SOURCES: tuple[str, ...] = get_args(SourceName)
PARTS = tuple(stage for stage in context_report.STAGES if stage != "total")
NOTHING_OPEN = "Nothing was left open in these days."
OUTCOMES = {
    "answer": "answered",
    "clarify": "asked back",
    "delegate": "delegated",
    "control_run": "run stopped",
    "replied": "passed to a run",
    "fallback": "fallback",
    "failed": "failed",
    "cancelled": "stopped",
}


@dataclass(frozen=True, slots=True)
class Report:
    range: Range
    now: Summary
    before: Summary
    charts: tuple[charts.Chart, ...]
    stages: list[Latency]
    topics: list[Topic]


class RangeForm(forms.Form):
    """The days to look at; without a choice the last fourteen."""

    first = forms.DateField(required=False, label="From", widget=forms.DateInput({"type": "date"}))
    last = forms.DateField(required=False, label="To", widget=forms.DateInput({"type": "date"}))

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("first"), cleaned.get("last")
        if any(day and day.year not in YEARS for day in (first, last)):
            raise forms.ValidationError(f"Choose days between {YEARS.start} and {YEARS.stop}.")
        if first and last and first > last:
            raise forms.ValidationError("The first day comes after the last.")
        if first and last and (last - first).days >= MAXIMUM_DAYS:
            raise forms.ValidationError(f"Choose at most {MAXIMUM_DAYS} days.")
        return cleaned


@staff_member_required
@require_GET
def context(request: HttpRequest) -> HttpResponse:
    organization = get_staff_organization(request)
    form = RangeForm(request.GET)
    range_ = _range(form, organization)
    with tenant(organization.id), timezone.override(organization.time_zone):
        shown = RangeForm(initial={"first": range_.first, "last": range_.last}) if form.is_valid() else form
        page = {"title": "Context report", "form": shown, "report": read_report(organization, range_)}
        return render(request, "admin/chat/context.html", admin.site.each_context(request) | page)


def read_report(organization: Organization, range_: Range) -> Report:
    """Nine statements, however many turns there are. Reads inside the staff member's tenant."""
    tokens = context_report.tokens_by_source(organization.id, range_)
    outcomes = context_report.outcomes_by_day(organization.id, range_)
    latency = context_report.latency_by_day(organization.id, range_)
    named = {day: {OUTCOMES[name]: count for name, count in counts.items()} for day, counts in outcomes.items()}
    medians, nineties = context_report.stage_latency_by_day(organization.id, range_)
    topics, unresolved = context_report.unresolved_by_day(organization.id, range_)
    days = range_.days
    return Report(
        range=range_,
        now=context_report.summarise(organization.id, range_),
        before=context_report.summarise(organization.id, range_.before),
        charts=(
            charts.stacked("Context of an average turn, by source", "tokens", days, SOURCES, tokens),
            charts.stacked("How turns ended", "turns", days, tuple(OUTCOMES.values()), named),
            charts.lines("From message to reply", "seconds", days, ("median", "95th percentile"), latency),
            charts.lines("Time by stage, median", "seconds", days, PARTS, medians),
            charts.lines("Time by stage, 95th percentile", "seconds", days, PARTS, nineties),
            charts.stacked("What answers could not say", "times", days, topics, unresolved, nothing=NOTHING_OPEN),
        ),
        stages=context_report.latency_by_stage(organization.id, range_),
        topics=context_report.unresolved_topics(organization.id, range_),
    )


def _range(form: RangeForm, organization: Organization) -> Range:
    """As asked for; where that makes no sense the last fourteen days, beside the reason."""
    today = timezone.now().astimezone(zoneinfo.ZoneInfo(organization.time_zone)).date()
    chosen = form.cleaned_data if form.is_valid() else {}
    last = chosen.get("last") or today
    first = chosen.get("first") or last - datetime.timedelta(days=DEFAULT_DAYS - 1)
    earliest = last - datetime.timedelta(days=MAXIMUM_DAYS - 1)
    return Range(min(max(first, earliest), last), last, organization.time_zone)
