"""What the actor may start: the shortlist a request is handed over from."""

import json
from dataclasses import replace

from agencycore.ai.types import BriefItem, SourceName
from chat.context.items import make_item
from chat.context.pointing import plain
from chat.context.port import ITEM_LIMITS, ContextRequest, Skipped
from chat.context.ranking import fitness
from chat.context.tokens import count_tokens
from runs.capabilities import Capability, startable

NAMED = 10.0


class CapabilitiesSource:
    """Routing context, never evidence. Cut by permission first, ranked after."""

    name: SourceName = "capabilities"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        if not request.query:
            raise Skipped
        capabilities = startable(request.actor, request.list_published())
        scores = fitness(request.query, [f"{c.name}. {c.description}" for c in capabilities])
        ranked = sorted(
            ((score + _named(c, request.message), c) for score, c in zip(scores, capabilities, strict=True)),
            key=lambda pair: (-pair[0], pair[1].slug),
        )
        return [_item(capability, score) for score, capability in ranked[: ITEM_LIMITS[self.name]]]


def _named(capability: Capability, message: str) -> float:
    return NAMED if plain(capability.name) in plain(message) else 0.0


def _item(capability: Capability, score: float) -> BriefItem:
    schema = dict(capability.input_schema)
    item = make_item(
        "capabilities",
        "capability",
        str(capability.definition_id),
        label=capability.name,
        text=capability.description,
        score=score,
        payload={
            "slug": capability.slug,
            "kind": capability.kind,
            "description": capability.description,
            "input_schema": schema,
        },
    )
    # The prompt shows the schema too.
    return replace(item, tokens=item.tokens + count_tokens(json.dumps(schema)))
