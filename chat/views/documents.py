"""Choosing the documents a conversation reads, and adding a file to them."""

import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agencycore.errors import NotFound
from agencycore.page_requests import asks_for_part
from chat.documents import MAX_DOCUMENTS, add_documents, choose_documents, chosen_documents, find_documents
from chat.queries import get_conversation_for
from chat.views.answers import explained
from conversations.models import Conversation
from knowledge.actions import create_upload
from knowledge.models import KnowledgeSource
from knowledge.queries import list_sources
from organizations.access import MemberRequest, member_required

LISTED_DOCUMENTS = 50


@member_required
@explained
@require_http_methods(["GET", "POST"])
def documents(request: MemberRequest, conversation_id: uuid.UUID | None = None) -> HttpResponse:
    """A dialog over the chat, or a page of its own; without a conversation, the choice for one that begins."""
    found = get_conversation_for(request.actor, conversation_id) if conversation_id else None
    if request.method == "POST":
        return _answer(request, found, _choose(request, found))
    chosen = _asked_for(request, found)
    if request.GET.get("part") == "chips":
        return _chips(request, found, chosen)
    return _page(request, found, chosen)


def parsed_ids(values: Iterable[str]) -> list[uuid.UUID]:
    """What of ``values`` could be the id of a document."""
    ids = []
    for value in values:
        with suppress(ValueError):
            ids.append(uuid.UUID(value))
    return ids[:MAX_DOCUMENTS]


def _asked_for(request: MemberRequest, found: Conversation | None) -> list[KnowledgeSource]:
    """The choice as the form stands now, else the conversation's."""
    if found is not None and "chosen" not in request.GET:
        return chosen_documents(request.actor, found)
    return find_documents(request.actor, parsed_ids(request.GET.getlist("document")))


def _choose(request: MemberRequest, found: Conversation | None) -> list[KnowledgeSource]:
    uploaded = _upload(request)
    ids = [_exact(value) for value in request.POST.getlist("document")]
    without = request.POST.get("remove")
    wanted = [*(document for document in ids if str(document) != without), *uploaded]
    if found is None:
        return find_documents(request.actor, wanted)
    is_addition = bool(uploaded) and "form" not in request.POST
    act = add_documents if is_addition else choose_documents
    conversation = act(
        actor=request.actor, conversation_id=found.id, documents=list(uploaded) if is_addition else wanted
    )
    return chosen_documents(request.actor, conversation)


def _upload(request: MemberRequest) -> list[uuid.UUID]:
    """A file that is dropped into a chat is an ordinary upload."""
    files = request.FILES.getlist("file")[:MAX_DOCUMENTS]
    return [create_upload(actor=request.actor, file=file, filename=file.name or "").id for file in files]


def _exact(value: str) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except ValueError:
        raise NotFound("There is no such document.") from None


def _answer(request: MemberRequest, found: Conversation | None, chosen: Sequence[KnowledgeSource]) -> HttpResponse:
    if asks_for_part(request):
        return _chips(request, found, chosen)
    if found is not None:
        return redirect("conversation", conversation_id=found.id)
    query = urlencode([("document", str(source.id)) for source in chosen])
    return redirect(f"{reverse('chat')}?{query}")


def _chips(request: MemberRequest, found: Conversation | None, chosen: Sequence[KnowledgeSource]) -> HttpResponse:
    response = render(request, "chat/_documents.html", {"conversation": found, "documents": chosen})
    response["Cache-Control"] = "no-store"
    return response


def _page(request: MemberRequest, found: Conversation | None, chosen: Sequence[KnowledgeSource]) -> HttpResponse:
    search = request.GET.get("q", "").replace("\0", "")[:100]
    ids = [source.id for source in chosen]
    ready = list_sources(request.actor, search).filter(state=KnowledgeSource.State.READY).exclude(id__in=ids)
    others = list(ready[: LISTED_DOCUMENTS + 1])
    context = {
        "conversation": found,
        "documents": chosen,
        "others": others[:LISTED_DOCUMENTS],
        "has_more": len(others) > LISTED_DOCUMENTS,
        "document_search": search,
        "maximum": MAX_DOCUMENTS,
        "maximum_megabytes": settings.UPLOAD_MAX_BYTES // 1024**2,
    }
    return render(request, _template(request), context)


def _template(request: MemberRequest) -> str:
    if not asks_for_part(request):
        return "chat/documents.html"
    return "chat/_document_options.html" if request.GET.get("part") == "options" else "chat/_choose_documents.html"
