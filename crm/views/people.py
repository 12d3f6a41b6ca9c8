import uuid

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.forms import ActivityForm, OwnerForm
from crm.listing import make_listing, members_of, owner_filter, values_filter
from crm.models import FieldChange, Person
from crm.timeline import activities_about, changes_to
from organizations.access import MemberRequest, member_required


@member_required
def person_list(request: MemberRequest) -> HttpResponse:
    people = Person.objects.visible_to(request.actor)
    listing = make_listing(
        people.select_related("owner", "company"),
        parameters=request.GET.dict(),
        search_columns=("name", "email", "company__name"),
        filters=(owner_filter(members_of(request.actor)), values_filter("title", "Any title", "title", people)),
        order=("name", "id"),
    )
    return render(request, "crm/person_list.html", {"listing": listing})


@member_required
def person_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    people = Person.objects.visible_to(request.actor).select_related("owner", "company", "organization")
    person = get_object_or_404(people, pk=pk)
    context = {
        "person": person,
        "deals": person.deals.select_related("owner").order_by("close_date", "id"),
        "activities": activities_about(request.actor, person=person),
        "changes": changes_to(request.actor, FieldChange.ObjectKind.PERSON, person.pk),
        "owner_form": OwnerForm(members=members_of(request.actor), current=person.owner),
        "activity_form": ActivityForm(),
    }
    return render(request, "crm/person_detail.html", context)
