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


def answer_faults(answer: WireAnswer, brief: ContextBrief) -> list[str]:
    """Why an answer with these citations and gaps cannot stand, whatever its text says."""
    items = citable_items(brief)
    cited = [items[key] for key in answer.citations if key in items]
    if cited:
        return _source_faults(cited, named_gaps(answer.unresolved), brief)
    if brief.message_class in FREE_OF_CITATIONS or named_gaps(answer.unresolved):
        return []
    if items:
        return [
            "The answer cites nothing. Cite the evidence with its keys, in `citations` and as [r1] in the text, "
            "or name in `unresolved` what the evidence does not say."
        ]
    return ["The answer cites nothing and `unresolved` names nothing. Say what is missing."]


def _source_faults(cited: list[BriefItem], gaps: tuple[str, ...], brief: ContextBrief) -> list[str]:
    sources = {item.source for item in cited}
    if sources == {"memory"} and not is_about_preferences(brief.message):
        return ["A preference is not evidence of a fact. Cite a record, run, definition or document."]
    if gaps:
        return []
    offered = {item.source for item in citable_items(brief).values()}
    if asks_about_product(brief) and not sources & PRODUCT_SOURCES and offered & PRODUCT_SOURCES:
        return ["What the product means or does is told from documents or definitions. Cite those."]
    wanted = {ref.key for ref in brief.reference.refs} if brief.reference.status == "resolved" else set()
    is_at_hand = any(item.ref.key in wanted for item in citable_items(brief).values())
    if is_at_hand and not sources & BUSINESS_SOURCES:
        return ["The message is about a record of the brief. Say what that record holds, and cite it."]
    return []
