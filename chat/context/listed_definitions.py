"""Which agents and workflows a reply told that cites the list of them, in the order told.

A list is one thing to cite, so its entries are no citations: they are found by their names in the reply,
whatever has been published since.
"""

import re
from collections.abc import Callable, Sequence

from agencycore.refs import ResourceRef
from chat.context.history import PastMessage
from chat.context.pointing import plain
from chat.context.reference import Told
from chat.context.sources.definitions import LIST_KIND
from runs.models import DefinitionVersion

_LINE_MARK = re.compile(r"^[\s>*•-]*(?:\d+[.)]\s*)?[\s*_“\"]*")


def told_definitions(messages: Sequence[PastMessage], published: Callable[[], Sequence[DefinitionVersion]]) -> Told:
    """By message. What is published is read only where one of them cites the list."""
    lists = [message for message in messages if any(ref.kind == LIST_KIND for ref in message.cited)]
    if not lists:
        return {}
    names = {version.definition.name: str(version.definition_id) for version in published()}
    return {
        message.id: tuple(ResourceRef("definition", names[name]) for name in told_names(message.text, list(names)))
        for message in lists
    }


def told_names(text: str, names: Sequence[str]) -> list[str]:
    """The names in the order of the lines that begin with one; where none does, in the order they are said."""
    lines = [plain(_LINE_MARK.sub("", line)) for line in text.splitlines()]
    begun = [name for line in lines if (name := _beginning(line, names))]
    if begun:
        return list(dict.fromkeys(begun))
    said = {name: found.start() for name in names if (found := _find(name, plain(text)))}
    return sorted(said, key=said.__getitem__)


def _beginning(line: str, names: Sequence[str]) -> str:
    """The longest name that the line begins with."""
    fitting = [name for name in names if (found := _find(name, line)) and found.start() == 0]
    return max(fitting, key=len, default="")


def _find(name: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-]){re.escape(plain(name))}(?![\w-])", text)
