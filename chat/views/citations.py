"""The passage behind a marker."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agencycore.page_requests import asks_for_part
from agencycore.refs import ResourceRef, read_refs, readers
from agencycore.tenancy import Actor
from chat.citation_states import CHUNK_KIND, CitationState, source_of, states_for
from chat.presentation import ShownSource
from chat.queries import get_citation_for
from chat.views.answers import explained
from conversations.models import Citation
from organizations.access import MemberRequest, member_required


@member_required
@explained
@require_GET
def citation(request: MemberRequest, citation_id: int) -> HttpResponse:
    found = get_citation_for(request.actor, citation_id)
    template = "chat/_citation.html" if asks_for_part(request) else "chat/citation.html"
    shown = ShownSource(found, _state(request.actor, found))
    return render(request, template, {"citation": found, "shown": shown, "source_id": source_of(found)})


def _state(actor: Actor, citation: Citation) -> CitationState:
    if citation.kind == CHUNK_KIND or citation.deleted_at is not None:
        return states_for(actor, [citation])[citation.pk]
    return "withdrawn" if _is_withdrawn(actor, citation) else "as cited"


def _is_withdrawn(actor: Actor, citation: Citation) -> bool:
    """Whether the cited record is no longer one the person may see; kinds without a reader are not."""
    return citation.kind in readers() and not read_refs(actor, [ResourceRef(citation.kind, citation.resource_id)])
