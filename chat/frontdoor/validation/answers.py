"""What must hold of an answer before its text is read: its sources, its gaps."""

from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireAnswer
from chat.frontdoor.citations import citable_items
from chat.frontdoor.facts import (
    BUSINESS_SOURCES,
    FREE_OF_CITATIONS,
    PRODUCT_SOURCES,
    asks_about_product,
    is_about_preferences,
    named_gaps,
)


def answer_faults(answer: WireAnswer, brief: ContextBrief, *, is_last: bool = False) -> list[str]:
    """Why an answer with these citations and gaps cannot stand, whatever its text says.

    ``is_last`` is for a reply that nothing better can follow: cited beside the point beats none.
    """
    items = citable_items(brief)
    cited = [items[key] for key in answer.citations if key in items]
    if cited:
        return _preference_faults(cited, brief) or ([] if is_last else _fit_faults(answer, cited, brief))
    if brief.message_class in FREE_OF_CITATIONS or named_gaps(answer.unresolved):
        return []
    if items:
        return [
            "The answer cites nothing. Cite the evidence with its keys, in `citations` and as [r1] in the text, "
            "or name in `unresolved` what the evidence does not say."
        ]
    return ["The answer cites nothing and `unresolved` names nothing. Say what is missing."]


def _preference_faults(cited: list[BriefItem], brief: ContextBrief) -> list[str]:
    if {item.source for item in cited} != {"memory"} or is_about_preferences(brief.message):
        return []
    return ["A preference is not evidence of a fact. Cite a record, run, definition or document."]


def _fit_faults(answer: WireAnswer, cited: list[BriefItem], brief: ContextBrief) -> list[str]:
    """The product is told from documents and definitions, the person's business from records and runs."""
    if named_gaps(answer.unresolved):
        return []
    sources = {item.source for item in cited}
    items = citable_items(brief).values()
    if asks_about_product(brief):
        has_better = any(item.source in PRODUCT_SOURCES for item in items)
        is_off = has_better and not sources & PRODUCT_SOURCES
        return ["What the product means or does is told from documents or definitions. Cite those."] if is_off else []
    wanted = {ref.key for ref in brief.reference.refs} if brief.reference.status == "resolved" else set()
    if any(item.ref.key in wanted for item in items) and not sources & BUSINESS_SOURCES:
        return ["The message is about a record of the brief. Say what that record holds, and cite it."]
    return []
