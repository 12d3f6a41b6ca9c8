"""Sending a message, and what can be done with it afterwards."""

import uuid
from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from agencycore.errors import NotFound, ProductError
from agencycore.page_requests import asks_for_part
from agencycore.refs import ResourceRef, parse_ref
from chat.actions import accept_message, retry_turn, stop_turn
from chat.documents import find_documents
from chat.models import Turn
from chat.new_messages import MAX_REFS
from chat.queries import find_shown_under, get_conversation_for, get_exchange_for
from chat.recipients import foresee
from chat.views.answers import error_response, exchange_part, exchange_response, explained
from chat.views.conversations import conversation_page, new_composer, with_documents
from chat.views.documents import parsed_ids
from conversations.feedback import find_feedback, get_judged_for, give_feedback
from conversations.models import Feedback
from organizations.access import MemberRequest, member_required


@member_required
@explained
@require_POST
def send(request: MemberRequest, conversation_id: uuid.UUID | None = None) -> HttpResponse:
    """201 with the new exchange to the script; without script a redirect to the conversation."""
    try:
        turn = _accept(request, conversation_id)
    except NotFound:
        raise
    except ProductError as error:
        return _refused(request, conversation_id, error)
    return exchange_response(request, turn.message, status=201)


@member_required
@explained
@require_GET
def exchange(request: MemberRequest, message_id: uuid.UUID) -> HttpResponse:
    return exchange_part(request, request.actor, get_exchange_for(request.actor, message_id).message)


@member_required
@explained
@require_POST
def recipient(request: MemberRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """To whom the composer's text would go; empty where no run waits. Posted, because addresses are logged."""
    found = get_conversation_for(request.actor, conversation_id)
    foreseen = foresee(found, request.actor, text=request.POST.get("text", ""), refs=_posted_refs(request))
    return render(request, "chat/_recipient.html", {"recipient": foreseen})


@member_required
@explained
@require_POST
def stop(request: MemberRequest, turn_id: uuid.UUID) -> HttpResponse:
    return exchange_response(request, stop_turn(actor=request.actor, turn_id=turn_id).message)


@member_required
@explained
@require_POST
def retry(request: MemberRequest, turn_id: uuid.UUID) -> HttpResponse:
    return exchange_response(request, retry_turn(actor=request.actor, turn_id=turn_id).message)


@member_required
@explained
def feedback(request: MemberRequest, message_id: uuid.UUID) -> HttpResponse:
    reply = get_judged_for(request.actor, message_id)
    rating = request.POST.get("rating") or request.GET.get("rating", "")
    if rating not in Feedback.Rating.values:
        raise ProductError("Choose whether the reply was helpful.")
    if request.method != "POST":
        template = "chat/_feedback.html" if asks_for_part(request) else "chat/feedback.html"
        given = find_feedback(request.actor, reply)
        return render(request, template, {"reply": reply, "rating": rating, "comment": given.comment if given else ""})
    comment = request.POST.get("comment", "").replace("\0", "")[:2000]
    give_feedback(actor=request.actor, message_id=reply.id, rating=rating, comment=comment)
    return exchange_response(request, find_shown_under(reply))


def _accept(request: MemberRequest, conversation_id: uuid.UUID | None) -> Turn:
    page = request.POST.get("page", "")
    return accept_message(
        actor=request.actor,
        conversation_id=conversation_id,
        text=request.POST.get("text", ""),
        client_message_id=request.POST.get("client_message_id", ""),
        refs=_posted_refs(request),
        page=parse_ref(page) if page else None,
        run_id=_posted_run(request),
        for_chat=request.POST.get("to") == "chat",
        documents=() if conversation_id else _posted_documents(request),
    )


def _posted_documents(request: MemberRequest) -> list[uuid.UUID]:
    """The documents chosen before the conversation began; one that is gone meanwhile is left out."""
    return [source.id for source in find_documents(request.actor, parsed_ids(request.POST.getlist("document")))]


def _posted_run(request: MemberRequest) -> uuid.UUID | None:
    """The run whose question the message answers; a malformed id is one that does not exist."""
    run = request.POST.get("run", "")
    try:
        return uuid.UUID(run) if run else None
    except ValueError:
        raise NotFound("This run does not exist.") from None


def _posted_refs(request: MemberRequest) -> list[ResourceRef]:
    return [parse_ref(ref) for ref in request.POST.getlist("ref") if ref]


def _refused(request: MemberRequest, conversation_id: uuid.UUID | None, error: ProductError) -> HttpResponse:
    """The same page with the text still in the composer."""
    if asks_for_part(request):
        return error_response(error)
    found = get_conversation_for(request.actor, conversation_id) if conversation_id else None
    fresh = new_composer(request, request.POST.get("page", ""), *request.POST.getlist("ref")[:MAX_REFS])
    if found is None:
        fresh = with_documents(request, fresh, request.POST.getlist("document"))
    composer = replace(fresh, text=request.POST.get("text", ""), error=str(error))
    return conversation_page(request, found, composer, status=error.status)
