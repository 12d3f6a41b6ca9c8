"""The chat page and the list beside it."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from agencycore.ai.ports import get_responder
from agencycore.page_requests import asks_for_part
from agencycore.refs import InvalidRef, ResourceRef, parse_ref, read_refs
from agencycore.streams.events import last_number
from chat import export
from chat.actions import delete_conversation
from chat.documents import chosen_documents, find_documents
from chat.new_messages import MAX_REFS, check_sent_ref
from chat.presentation import Chip, ShownExchange, chip_of, show_exchanges
from chat.queries import get_conversation_for, list_conversations, list_exchanges
from chat.recipients import Recipient, foresee
from chat.views.answers import explained
from chat.views.documents import parsed_ids
from conversations.actions import rename_conversation
from conversations.models import Conversation
from knowledge.models import KnowledgeSource
from organizations.access import MemberRequest, member_required

LISTED_CONVERSATIONS = 60
EXCHANGES_PER_PAGE = 50
# Without the message's fragment in the address, with which a browser would scroll and load nothing.
NO_SCRIPT_REFRESH_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Composer:
    """What stands in the composer: fresh, or as it was sent and refused."""

    client_message_id: str
    page: Chip | None = None
    refs: tuple[Chip, ...] = ()
    documents: tuple[KnowledgeSource, ...] = ()
    recipient: Recipient | None = None
    text: str = ""
    error: str = ""
    notice: str = ""


@member_required
@explained
@require_GET
def chat(request: MemberRequest) -> HttpResponse:
    """A new conversation; ``?ref=kind:id`` puts a record in front of it, ``?document=id`` chooses a document."""
    composer = new_composer(request, *request.GET.getlist("ref")[:MAX_REFS])
    return conversation_page(request, None, with_documents(request, composer, request.GET.getlist("document")))


@member_required
@explained
@require_GET
def conversation(request: MemberRequest, conversation_id: uuid.UUID) -> HttpResponse:
    found = get_conversation_for(request.actor, conversation_id)
    return conversation_page(request, found, new_composer(request, *request.GET.getlist("ref")[:MAX_REFS]))


@member_required
@require_GET
def conversation_list(request: MemberRequest) -> HttpResponse:
    return render(request, "chat/_conversations.html", _list_context(request))


@member_required
@explained
@require_GET
def manage(request: MemberRequest, conversation_id: uuid.UUID) -> HttpResponse:
    """Rename, export, delete: a dialog over the page, or a page of its own."""
    found = get_conversation_for(request.actor, conversation_id)
    template = "chat/_manage.html" if asks_for_part(request) else "chat/manage.html"
    return render(request, template, {"conversation": found} | _list_context(request))


@member_required
@explained
@require_POST
def rename(request: MemberRequest, conversation_id: uuid.UUID) -> HttpResponse:
    rename_conversation(actor=request.actor, conversation_id=conversation_id, title=request.POST.get("title", ""))
    return redirect("conversation", conversation_id=conversation_id)


@member_required
@explained
@require_POST
def delete(request: MemberRequest, conversation_id: uuid.UUID) -> HttpResponse:
    delete_conversation(actor=request.actor, conversation_id=conversation_id)
    return redirect("chat")


@member_required
@explained
@require_GET
def download(request: MemberRequest, conversation_id: uuid.UUID, form: str) -> HttpResponse:
    if form not in export.FORMS:
        raise Http404
    found = get_conversation_for(request.actor, conversation_id)
    content_type, write = export.FORMS[form]
    response = HttpResponse(write(export.read_export(request.actor, found)), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="conversation-{found.id}.{form}"'
    return response


def conversation_page(
    request: MemberRequest, found: Conversation | None, composer: Composer, *, status: int = 200
) -> HttpResponse:
    before = _ordinal(request.GET.get("before"))
    # Before the exchanges are read: an event in between is replayed, which does no harm.
    number = last_number(found.stream_name) if found else 0
    exchanges, has_earlier = _exchanges(request, found, before)
    if found is not None:
        composer = replace(
            composer,
            documents=tuple(chosen_documents(request.actor, found)),
            recipient=None if before else foresee(found, request.actor, text=composer.text, refs=_refs_of(composer)),
        )
    context = {
        "conversation": found,
        "stream_number": number,
        "exchanges": exchanges,
        "is_working": before is None and any(exchange.is_running for exchange in exchanges),
        "no_script_refresh_seconds": NO_SCRIPT_REFRESH_SECONDS,
        "has_earlier": has_earlier,
        "is_earlier_page": before is not None,
        "composer": composer,
        "has_language_model": get_responder().is_language_model,
    }
    return render(request, "chat/conversation.html", context | _list_context(request), status=status)


def new_composer(request: MemberRequest, page: str = "", *refs: str) -> Composer:
    """A fresh composer with those records that exist for the person; ``page`` is the one they come from."""
    wanted = [ref for ref in (page, *refs) if ref]
    found = {
        f"{record.ref.kind}:{record.ref.id}": record for record in read_refs(request.actor, _parsed(request, wanted))
    }
    chips = {ref: chip_of(found[ref]) for ref in wanted if ref in found}
    return Composer(
        str(uuid.uuid4()),
        page=chips.get(page),
        refs=tuple(chip for ref, chip in chips.items() if ref != page),
        notice="" if len(chips) == len(set(wanted)) else "A record could not be found, so it was left out.",
    )


def with_documents(request: MemberRequest, composer: Composer, ids: Sequence[str]) -> Composer:
    """``composer`` of a conversation that begins, with those documents that exist for the person."""
    found = tuple(find_documents(request.actor, parsed_ids(ids)))
    missing = "" if len(found) == len(set(ids)) else "A document could not be found, so it was left out."
    return replace(composer, documents=found, notice=composer.notice or missing)


def _refs_of(composer: Composer) -> list[ResourceRef]:
    return [parse_ref(chip.ref) for chip in composer.refs]


def _parsed(request: MemberRequest, refs: Sequence[str]) -> list[ResourceRef]:
    """Those of ``refs`` that can be sent with a message."""
    parsed = []
    for ref in refs:
        with suppress(InvalidRef):
            found = parse_ref(ref)
            check_sent_ref(request.actor, found)
            parsed.append(found)
    return parsed


def _exchanges(
    request: MemberRequest, found: Conversation | None, before: int | None
) -> tuple[list[ShownExchange], bool]:
    if found is None:
        return [], False
    exchanges = list_exchanges(request.actor, found, before_ordinal=before, limit=EXCHANGES_PER_PAGE + 1)
    shown = exchanges[-EXCHANGES_PER_PAGE:]
    return show_exchanges(request.actor, shown), len(exchanges) > len(shown)


def _list_context(request: MemberRequest) -> dict[str, QuerySet[Conversation] | str]:
    search = request.GET.get("q", "").replace("\0", "").strip()[:200]
    return {"conversations": list_conversations(request.actor, search)[:LISTED_CONVERSATIONS], "search": search}


def _ordinal(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise Http404
    return int(value)
