"""Every model call of a turn goes through the ledger: reserved before it, settled after it."""

from dataclasses import replace

from agencycore.ai.output_limits import DECISION_OUTPUT_TOKENS
from agencycore.ai.ports import get_responder
from agencycore.ai.types import CallOwner, DecisionRequest, ModelReply, Purpose
from chat.models import Turn
from organizations.ledger import metered

BYTES_PER_TOKEN = 4


def call_owner(turn: Turn, purpose: Purpose) -> CallOwner:
    return CallOwner(organization_id=turn.organization_id, owner_id=turn.id, purpose=purpose)


class MeteredCaller:
    """Asks the configured responder on behalf of one turn."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def decide(self, request: DecisionRequest, *, is_repair: bool) -> ModelReply:
        """One call and one ledger row; raises ModelError, with code "limit" where the day's tokens are spent."""
        responder = get_responder()
        # One organization's prompts share a vendor's cache, and with nobody else's.
        keyed = replace(request, cache_key=f"{request.prompt.version}:{self._turn.organization_id}")
        return metered(
            owner=call_owner(self._turn, "decision"),
            responder=responder,
            tokens=estimate_tokens(request),
            timeout_seconds=request.timeout_seconds,
            is_repair=is_repair,
            call=lambda: responder.decide(keyed),
        )


def estimate_tokens(request: DecisionRequest) -> int:
    """What is reserved: the prompt by its length, and the longest reply. The true figures are settled."""
    prompt, repair = request.prompt, request.repair
    texts = [prompt.prefix, *(message.text for message in prompt.messages)]
    if repair is not None:
        texts += [repair.refused_reply, *repair.reasons]
    return sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN + DECISION_OUTPUT_TOKENS
