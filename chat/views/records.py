"""Records to choose from while a message is written: "@" and the first letters."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from crm.search import find_records
from organizations.access import MemberRequest, member_required


@member_required
@require_GET
def records(request: MemberRequest) -> HttpResponse:
    words = request.GET.get("q", "").replace("\0", "").strip()[:80]
    return render(request, "chat/_records.html", {"found": find_records(request.actor, words), "words": words})
