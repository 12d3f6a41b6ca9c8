"""What a record does not go on to tell: the rest of a list after “any more?”, and what belongs to one of its fields."""

from collections.abc import Sequence

from agencycore.ai.asked import of_named
from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.field_words import field_sentence
from agencycore.ai.builtin.language import listed, sentences, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import WEAK_FIELD, carried, families_of, list_of, same_family
from agencycore.ai.builtin.replies import Found, cited
from agencycore.ai.types import BriefItem
from agencycore.refs import ProjectedField


def rest_of_records(before: Question, items: Sequence[BriefItem], told: str) -> Found | None:
    """What the records have of what was asked before beside what was told, or that they have no more.

    None where none of them has such a field.
    """
    found = same_family(before, items, WEAK_FIELD)
    if not found:
        return None
    said = f" {' '.join(words(told))} "
    left = [(item, [field for field in family.fields if not _is_said(field, said)]) for item, family in found]
    name = found[0][1].name
    if lists := [list_of(name, fields, item) for item, fields in left if fields]:
        return Found("\n".join(lists), 1.0)
    labels = listed([harmless(item.label) for item, _ in left])
    records = "record" if len(left) == 1 else "records"
    text = cited(f"I have nothing more of that from the {records} of {labels}.", [item for item, _ in left])
    return Found(text, 1.0, (f"{labels}: more than was told ({name})",))


def _is_said(field: ProjectedField, said: str) -> bool:
    """Whether every sentence of the field stands in what was told; a date may stand between them."""
    return all(f" {' '.join(words(sentence))} " in said for sentence in sentences(harmless(field.value)))


def answer_of_named(question: Question, items: Sequence[BriefItem]) -> Found | None:
    """“The owner's phone number?”: who the owner is, and that the record has no such thing of them."""
    asked = of_named(question.text)
    for item in items if asked else ():
        named, thing = asked or ("", "")
        families = families_of(item)
        family = next((one for one in families if stems(one.name) == stems(named)), None)
        if family is not None and not carried(stems(thing), item):
            who = cited(field_sentence(harmless(item.label), family.first), [item])
            lacks = cited(f"The record of {harmless(item.label)} has no {thing} of the {named}.", [item])
            return Found(f"{who} {lacks}", 1.0, (f"{item.label}: {thing} of the {named}",))
    return None
