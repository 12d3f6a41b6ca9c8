"""The options of a question back, as their reader may see them now: records under their readers' labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from agencycore.refs import InvalidRef, ResourceRef, parse_ref, read_labels
from agencycore.tenancy import Actor
from conversations.models import Message

StoredOption: TypeAlias = Mapping[str, str]
Labels: TypeAlias = Mapping[tuple[str, str], ResourceRef]
# These options quote what the run asked, beside its name.
WORDED_KIND = "run"
# An option keeps its place: "the second one" is the second that was shown.
GONE_LABEL = "No longer available"


def read_option_labels(actor: Actor, messages: Iterable[Message]) -> Labels:
    """For the options of all of ``messages``: one call per kind of record, none where there are no records."""
    return read_labels(actor, [ref for message in messages for option in message.options if (ref := ref_in(option))])


def shown_options(options: Sequence[StoredOption], labels: Labels) -> list[dict[str, str]]:
    """A record that its reader may not see, or that is gone, has no name."""
    return [{**option, "label": _label(option, labels)} for option in options]


def is_gone(option: StoredOption, labels: Labels) -> bool:
    ref = ref_in(option)
    return ref is not None and ref.key not in labels


def ref_in(option: StoredOption) -> ResourceRef | None:
    """The record that the option stands for; None where it is words alone."""
    try:
        return parse_ref(option["ref"]) if option.get("ref") else None
    except InvalidRef:
        return None


def _label(option: StoredOption, labels: Labels) -> str:
    if is_gone(option, labels):
        return GONE_LABEL
    ref = ref_in(option)
    if ref is None or ref.kind == WORDED_KIND:
        return option["label"]
    # While the record goes by the name that was stored, what told it apart from another of that name stays.
    name = labels[ref.key].label
    return option["label"] if option["label"].startswith(f"{name}: ") else name
