"""The published agents and workflows a message asks about: steps, approvals, tools, data, memory."""

import re
from collections.abc import Sequence

from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import Projection
from chat.context.items import make_item, record_item
from chat.context.pointing import plain
from chat.context.port import ITEM_LIMITS, ContextRequest, Skipped
from chat.context.ranking import fitness
from chat.context.tokens import one_line
from runs.readers import project_definition

# Words and meaning together; below it a definition has nothing to do with the message.
FITS_FROM = 0.6
LIST_ID = "available"
LIST_KIND = "definition_list"
LINE_LENGTH = 160
_ASKS_FOR_LIST = re.compile(
    r"\b(?:which|what|list|show|all|any|how many)\b.{0,30}\b(?:agents|workflows|capabilities|automations)\b|"
    r"\bwhat can (?:i|you) (?:run|start|do for me)\b"
)


class DefinitionsSource:
    """Evidence. The definition meant comes first and stays; others only as far as they fit."""

    name: SourceName = "definitions"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        if not request.query:
            raise Skipped
        definitions = [project_definition(version) for version in request.list_published()]
        asks_for_list = _ASKS_FOR_LIST.search(plain(request.message)) is not None
        items = [_list_item(definitions, _kind_asked(request.message))] if asks_for_list else []
        meant = [definition for definition in definitions if _is_meant(definition, request)]
        fitting = [] if meant else _fitting(request.query, definitions)
        return [
            *items,
            *(record_item(d, source=self.name, score=100.0 - i, pinned=True) for i, d in enumerate(meant)),
            *(record_item(d, source=self.name, score=score, pinned=False) for score, d in fitting),
        ][: ITEM_LIMITS[self.name]]


def _is_meant(definition: Projection, request: ContextRequest) -> bool:
    """It is what the words point at, or its name is said."""
    if definition.ref.key in {ref.key for ref in request.reference.refs}:
        return True
    return re.search(rf"\b{re.escape(plain(definition.title))}\b", plain(request.message)) is not None


def _fitting(query: str, definitions: Sequence[Projection]) -> list[tuple[float, Projection]]:
    scores = fitness(query, [f"{d.title}. {_description(d)}" for d in definitions])
    ranked = sorted(zip(scores, definitions, strict=True), key=lambda pair: (-pair[0], pair[1].title))
    return [(score, definition) for score, definition in ranked if score >= FITS_FROM]


def _kind_asked(message: str) -> str:
    """ "agent" or "workflow" where only the one is asked for, else ""."""
    asked = [kind for kind in ("agent", "workflow", "capabilitie") if f"{kind}s" in plain(message).split()]
    return asked[0] if len(asked) == 1 and asked[0] != "capabilitie" else ""


def _list_item(definitions: Sequence[Projection], kind: str) -> BriefItem:
    """All that are visible, one line each, with the total: one thing to cite."""
    shown = [d for d in definitions if not kind or _field(d, "Kind").lower() == kind]
    noun = f"{kind}s" if kind else "agents and workflows"
    lines = [f"- {d.title} ({_field(d, 'Kind').lower()}): {one_line(_description(d), LINE_LENGTH)}" for d in shown]
    return make_item(
        "definitions",
        LIST_KIND,
        LIST_ID,
        label=f"Available {noun}",
        text="\n".join([f"Available {noun}: {len(shown)}", *lines]),
        evidence=True,
        score=1_000.0,
        pinned=True,
    )


def _description(definition: Projection) -> str:
    return _field(definition, "Description")


def _field(definition: Projection, name: str) -> str:
    return next((field.value for field in definition.fields if field.name == name), "")
