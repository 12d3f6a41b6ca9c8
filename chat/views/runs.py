"""What a person does on the card of a run."""

import uuid

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from chat import actions
from chat.queries import get_handed_over_for
from chat.views.answers import exchange_response, explained
from organizations.access import MemberRequest, member_required


@member_required
@explained
@require_POST
def stop_run(request: MemberRequest, run_id: uuid.UUID) -> HttpResponse:
    """No message: the card says who stopped it, and when."""
    message = get_handed_over_for(request.actor, run_id)
    actions.stop_run(actor=request.actor, run_id=run_id)
    return exchange_response(request, message)
