"""The ledger: every vendor call is a row, reserved before the call and settled after it.

The reservation is also the day limit's. Reserving and settling are short transactions of their own, never part of
one in which a model is waited for.
"""

import datetime
import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from django.db import connection
from django.utils import timezone

from agencycore.ai.ports import Responder
from agencycore.ai.types import CallOwner, ModelError, ModelReply, Usage
from agencycore.dispatch.seats import waiting_for_a_model
from agencycore.tenancy import tenant
from organizations.limits import tokens_of_day
from organizations.models import ModelCall, Organization

logger = logging.getLogger(__name__)

# A call that ends at its timeout is settled a little later than it.
SETTLING_SECONDS = 30
# What a vendor says of itself and of its counts must fit the columns.
PROVIDER_CHARACTERS = 40
NAME_CHARACTERS = 120
CALL_TOKENS = 100_000_000


class DayLimitReached(ModelError):
    """The organization's tokens of today are spent, or reserved by calls that are being made."""

    def __init__(self, organization: Organization) -> None:
        super().__init__(
            "limit",
            f"{organization.name} has used its {organization.daily_token_limit:,} model tokens of today.",
            retryable=False,
            reached_vendor=False,
        )


def metered(
    *,
    owner: CallOwner,
    responder: Responder,
    tokens: int,
    timeout_seconds: float,
    call: Callable[[], ModelReply],
    is_repair: bool = False,
) -> ModelReply:
    """Make ``call`` to ``responder`` as one row of the ledger; ``tokens`` is the most it is expected to cost.

    Raises ModelError, with code "limit" where the day's tokens do not allow the call. A responder that is no
    language model reserves nothing. Others may work while one is waited for.
    """
    row = reserve(
        owner=owner,
        provider=responder.name,
        model=responder.model,
        tokens=tokens if responder.is_language_model else 0,
        timeout_seconds=timeout_seconds,
        is_repair=is_repair,
    )
    waiting = waiting_for_a_model if responder.is_language_model else nullcontext
    try:
        with waiting():
            reply = call()
    except ModelError as error:
        fail(row, error)
        raise
    except Exception as error:
        fail(row, _broken_off(row, error))
        raise
    settle(row, reply)
    return reply


def reserve(
    *, owner: CallOwner, provider: str, model: str, tokens: int, timeout_seconds: float, is_repair: bool = False
) -> ModelCall:
    """Open the row of a call that is about to be made. Raises DayLimitReached; exact however many reserve at once."""
    now = timezone.now()
    with tenant(owner.organization_id, durable=True):
        # One reservation of an organization at a time; rows that refer to it are not held up.
        organization = Organization.objects.select_for_update(no_key=True).get(id=owner.organization_id)
        if tokens and tokens_of_day(organization, now).total + tokens > organization.daily_token_limit:
            raise DayLimitReached(organization)
        return ModelCall.objects.create(
            organization=organization,
            owner_id=owner.owner_id,
            purpose=owner.purpose,
            provider=provider,
            model=model,
            reserved_tokens=tokens,
            is_repair=is_repair,
            expires_at=now + datetime.timedelta(seconds=timeout_seconds + SETTLING_SECONDS),
        )


def settle(call: ModelCall, reply: ModelReply) -> None:
    """Close the row of a call that gave a reply, of whatever kind."""
    _close(
        call,
        ModelCall.State.SETTLED,
        reply.usage,
        provider=_name(reply.provider, PROVIDER_CHARACTERS),
        model=_name(reply.model, NAME_CHARACTERS),
        request_id=_name(reply.request_id, NAME_CHARACTERS),
    )


def fail(call: ModelCall, error: ModelError) -> None:
    """Close the row of a call that gave none; one that never reached the vendor cost nothing."""
    usage = error.usage if error.reached_vendor else Usage()
    _close(call, ModelCall.State.FAILED, usage, error_code=error.code)


# Rows still reserved are of calls whose worker died: nobody knows what they cost.
RECORD_USAGE_SQL = """
WITH lost AS (
    UPDATE organizations_modelcall SET state = 'failed', error_code = 'lost', settled_at = %(now)s
    WHERE organization_id = %(organization)s AND owner_id = %(owner)s AND purpose = %(purpose)s AND state = 'reserved')
INSERT INTO organizations_usagerecord (owner_id, purpose, organization_id, user_id, provider, model, created_at,
    calls, input_tokens, cached_input_tokens, output_tokens)
SELECT %(owner)s, %(purpose)s, %(organization)s, %(user)s, %(provider)s, %(model)s, %(now)s,
    count(*), coalesce(sum(input_tokens), 0), coalesce(sum(cached_input_tokens), 0), coalesce(sum(output_tokens), 0)
FROM organizations_modelcall
WHERE organization_id = %(organization)s AND owner_id = %(owner)s AND purpose = %(purpose)s
ON CONFLICT (owner_id, purpose) DO NOTHING
"""


def record_usage(*, owner: CallOwner, user_id: int | None, provider: str, model: str) -> None:
    """Write the one usage row of ``owner``: the sum of its ledger rows, zero where it made no call.

    Runs in the caller's transaction; the first row stands if there is one. ``provider`` and ``model`` are those
    that the outcome came from.
    """
    values: dict[str, Any] = {
        "owner": owner.owner_id,
        "purpose": owner.purpose,
        "organization": owner.organization_id,
        "user": user_id,
        "provider": provider,
        "model": model,
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(RECORD_USAGE_SQL, values)


def _close(call: ModelCall, state: ModelCall.State, usage: Usage, **facts: str) -> None:
    with tenant(call.organization_id, durable=True):
        closed = ModelCall.objects.filter(id=call.id, state=ModelCall.State.RESERVED).update(
            state=state,
            input_tokens=min(usage.input, CALL_TOKENS),
            cached_input_tokens=min(usage.cached_input, CALL_TOKENS),
            output_tokens=min(usage.output, CALL_TOKENS),
            settled_at=timezone.now(),
            **facts,
        )
    if not closed:
        # Another worker went on with the work meanwhile and gave this call up as lost.
        logger.warning("Model call %s ended after its row was closed", call.id)


def _name(text: str, characters: int) -> str:
    return "".join(character for character in text if character.isprintable())[:characters]


def _broken_off(call: ModelCall, error: Exception) -> ModelError:
    """A call that ended by an error of ours counts as what was reserved for it: it may have been charged."""
    return ModelError(
        "broken_off", str(error), retryable=False, reached_vendor=True, usage=Usage(input=call.reserved_tokens)
    )
