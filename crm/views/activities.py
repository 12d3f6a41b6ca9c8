import uuid

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.models import Activity
from organizations.access import MemberRequest, member_required


@member_required
def activity_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    activities = Activity.objects.visible_to(request.actor)
    related = ("by", "company", "person", "deal", "organization")
    activity = get_object_or_404(activities.select_related(*related), pk=pk)
    return render(request, "crm/activity_detail.html", {"activity": activity})
