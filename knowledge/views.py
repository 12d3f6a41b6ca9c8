"""The knowledge page, its parts, and the page of one document."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agencycore.errors import NotFound, ProductError
from agencycore.file_response import StreamedFileResponse
from agencycore.page_requests import asks_for_part
from agencycore.streams.events import last_number
from knowledge.actions import create_upload, delete_source, retry_ingestion
from knowledge.events import stream_of
from knowledge.models import PASSAGES_PER_PAGE, KnowledgeSource
from knowledge.passage_parts import parts_of
from knowledge.queries import count_in_progress, get_source_for, list_passages, list_platform_pages, list_sources
from organizations.access import MemberRequest, member_required

P = ParamSpec("P")

SOURCES_PER_PAGE = 50
MAXIMUM_FILES = 50


def explained(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[MemberRequest, P], HttpResponseBase]:
    """Answer a ProductError in its words: as JSON to the page's script, as a notice otherwise."""

    @wraps(view)
    def answered(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except ProductError as error:
            if asks_for_part(request):
                return JsonResponse({"code": error.code, "detail": str(error)}, status=error.status)
            if isinstance(error, NotFound):
                raise Http404 from error
            messages.error(request, str(error))
            return redirect("knowledge")

    return answered


@require_GET
@member_required
def knowledge(request: MemberRequest) -> HttpResponse:
    """The whole page, or to its script the list alone."""
    # Before the list is read: an event in between is replayed, which does no harm.
    number = last_number(stream_of(request.actor.organization_id))
    search = request.GET.get("q", "")
    sources = Paginator(list_sources(request.actor, search), SOURCES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": sources,
        "search": search,
        "sources": [_shown(source, request) for source in sources],
        "in_progress": count_in_progress(request.actor),
        "stream_number": number,
    }
    if asks_for_part(request):
        response = render(request, "knowledge/_sources.html", context)
        response["Cache-Control"] = "no-store"
        return response
    context |= {"platform_pages": list_platform_pages(), "maximum_megabytes": settings.UPLOAD_MAX_BYTES // 1024**2}
    return render(request, "knowledge/knowledge.html", context)


def _shown(source: KnowledgeSource, request: MemberRequest) -> dict[str, object]:
    return {"source": source, "may_change": source.may_be_changed_by(request.actor)}


@require_POST
@member_required
@explained
def upload(request: MemberRequest) -> HttpResponse:
    files = request.FILES.getlist("files")[:MAXIMUM_FILES]
    if not files:
        raise ProductError("Choose a file first.")
    uploaded = [create_upload(actor=request.actor, file=file, filename=file.name or "") for file in files]
    if asks_for_part(request):
        return JsonResponse({"sources": [str(source.id) for source in uploaded]}, status=201)
    messages.success(request, f"{len(uploaded)} file{'' if len(uploaded) == 1 else 's'} uploaded.")
    return redirect("knowledge")


@require_GET
@member_required
@explained
def knowledge_source(request: MemberRequest, source_id: uuid.UUID) -> HttpResponse:
    source = get_source_for(request.actor, source_id)
    passages = Paginator(list_passages(request.actor, source), PASSAGES_PER_PAGE).get_page(request.GET.get("page"))
    shown = [{"passage": passage, "parts": parts_of(passage.text)} for passage in passages]
    context = {**_shown(source, request), "page": passages, "passages": shown}
    return render(request, "knowledge/source.html", context)


@require_GET
@member_required
@explained
def download(request: MemberRequest, source_id: uuid.UUID) -> HttpResponseBase:
    """The original, never shown by the browser inside our origin."""
    source = get_source_for(request.actor, source_id)
    if not source.file or source.state == KnowledgeSource.State.DELETING:
        raise NotFound("There is no such file.")
    response = StreamedFileResponse(
        source.file.open("rb"),
        as_attachment=True,
        filename=source.filename,
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox"
    response["Cache-Control"] = "private, no-store"
    return response


@require_POST
@member_required
@explained
def retry(request: MemberRequest, source_id: uuid.UUID) -> HttpResponse:
    retry_ingestion(actor=request.actor, source_id=source_id)
    return redirect("knowledge")


@require_POST
@member_required
@explained
def delete(request: MemberRequest, source_id: uuid.UUID) -> HttpResponse:
    receipt = delete_source(actor=request.actor, source_id=source_id)
    messages.success(request, _deletion_words(receipt.title, receipt.chunks_removed))
    return redirect("knowledge")


def _deletion_words(title: str, passages: int) -> str:
    match passages:
        case 0:
            return f"“{title}” was deleted."
        case 1:
            return f"“{title}” and its one passage were deleted."
        case _:
            return f"“{title}” and its {passages} passages were deleted."
