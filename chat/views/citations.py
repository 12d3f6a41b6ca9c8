"""The passage behind a marker."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agencycore.refs import ResourceRef, read_refs, readers
from agencycore.tenancy import Actor
from chat.queries import get_citation_for
from chat.views.answers import asks_for_part, explained
from conversations.models import Citation
from organizations.access import MemberRequest, member_required


@member_required
@explained
@require_GET
def citation(request: MemberRequest, citation_id: int) -> HttpResponse:
    found = get_citation_for(request.actor, citation_id)
    template = "chat/_citation.html" if asks_for_part(request) else "chat/citation.html"
    is_gone = found.deleted_at is not None or is_withdrawn(request.actor, found)
    return render(request, template, {"citation": found, "is_gone": is_gone})


def is_withdrawn(actor: Actor, citation: Citation) -> bool:
    """Whether the cited record is no longer one the person may see; kinds without a reader are not."""
    return citation.kind in readers() and not read_refs(actor, [ResourceRef(citation.kind, citation.resource_id)])
