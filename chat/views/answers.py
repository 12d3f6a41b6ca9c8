"""How the page's own requests are answered: a partial to its script, a page or a redirect to a browser without."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from agencycore.errors import NotFound, ProductError, RateLimited
from agencycore.page_requests import asks_for_part
from agencycore.tenancy import Actor
from chat.presentation import show_exchange
from chat.queries import get_exchange_for
from conversations.models import Message
from organizations.access import MemberRequest

P = ParamSpec("P")


def explained(
    view: Callable[Concatenate[MemberRequest, P], HttpResponse],
) -> Callable[Concatenate[MemberRequest, P], HttpResponse]:
    """Answer a ProductError in its words: as JSON to the script, as a notice on the page otherwise."""

    @wraps(view)
    def answered(request: MemberRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ProductError as error:
            return _explain(request, error)

    return answered


def error_response(error: ProductError) -> JsonResponse:
    response = JsonResponse({"code": error.code, "detail": str(error)}, status=error.status)
    if isinstance(error, RateLimited):
        response["Retry-After"] = str(error.retry_after_seconds)
    return response


def exchange_response(request: MemberRequest, message: Message, *, status: int = 200) -> HttpResponse:
    """The exchange that ``message`` begins; without script, the conversation at that place."""
    if not asks_for_part(request):
        return redirect(conversation_url(message))
    return exchange_part(request, request.actor, message, status=status)


def exchange_part(request: HttpRequest, actor: Actor, message: Message, *, status: int = 200) -> HttpResponse:
    exchange = show_exchange(actor, get_exchange_for(actor, message.id))
    response = render(request, "chat/_exchange.html", {"exchange": exchange}, status=status)
    response["Location"] = conversation_url(message)
    response["Cache-Control"] = "no-store"
    return response


def conversation_url(message: Message) -> str:
    return f"{reverse('conversation', args=[message.conversation_id])}#m-{message.id}"


def _explain(request: MemberRequest, error: ProductError) -> HttpResponse:
    if asks_for_part(request):
        return error_response(error)
    if isinstance(error, NotFound):
        raise Http404(str(error)) from error
    messages.error(request, str(error))
    return redirect("chat")
