"""Fixed wording: speech acts, refusals, and what is said when nothing can be said.

Nothing here states a fact about the product, a record or a document.
"""

from collections.abc import Sequence

from agencycore.ai.builtin.language import listed
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import answer, cited
from agencycore.ai.types import BriefItem, ContextBrief, MessageClass, SourceName
from agencycore.ai.wire import WireAnswer

SPEECH_ACTS: dict[MessageClass, str] = {
    "greeting": "Hello! Ask me about your records, your documents or your runs, or tell me what you would like done.",
    "thanks": "You are welcome.",
    "farewell": "Goodbye. This conversation stays here for when you come back.",
    "about_assistant": (
        "I am the AgencyCore assistant: software, not a person. I answer from your records, documents and runs, "
        "and I pass work on to agents and workflows."
    ),
}
SMALLTALK = "I am here for your records, documents and runs. What would you like to know or have done?"

SOURCE_WORDS: dict[SourceName, str] = {
    "conversation": "this conversation",
    "application": "your records",
    "runs": "recent runs",
    "definitions": "the agents and workflows",
    "knowledge": "the documents",
    "memory": "your preferences",
    "capabilities": "what can be started here",
}


def speech_act(message_class: MessageClass) -> WireAnswer:
    return answer(SPEECH_ACTS[message_class])


def unavailable_words(brief: ContextBrief, *names: SourceName) -> str:
    """ "the documents and recent runs": those of the named sources that could not be read; "" for none."""
    down = [SOURCE_WORDS[report.name] for report in brief.sources if report.state == "unavailable"]
    wanted = [SOURCE_WORDS[name] for name in names]
    return listed([words for words in down if words in wanted])


def could_not_check(words: str) -> WireAnswer:
    capital = words[:1].upper() + words[1:]
    return answer(
        f"I could not check {words} just now, so I cannot say. Please try again in a moment.",
        unresolved=[f"{capital} could not be checked"],
    )


def nothing_covers(question: Question) -> WireAnswer:
    about = f"anything about “{question.topic}”" if question.topic else "an answer to that"
    return answer(
        f"I could not find {about}: no ready document and no record that I can see covers it. "
        "If you upload a document about it, I can answer from that.",
        unresolved=[f"No ready document covers: {question.gap}" if question.gap else "No ready document covers this"],
    )


def not_from_chat(question: Question) -> WireAnswer:
    """For things outside the product: general facts, entertainment, advice."""
    covers = f"covers “{question.topic}”" if question.topic else "covers that"
    return answer(
        "I cannot answer this from chat: I answer only from your records, runs and documents, "
        f"and none of them {covers}.",
        unresolved=[f"No source here covers: {question.gap}" if question.gap else "No source here covers this"],
    )


def refused_instructions() -> WireAnswer:
    return answer(
        "I cannot do that. How I work, what I may see and what needs an approval cannot be changed from a message. "
        "I can answer from your records, runs and documents.",
        unresolved=["A request to change or reveal how the assistant works"],
    )


def record_absent(phrase: str) -> WireAnswer:
    named = f" that “{phrase}” refers to" if phrase else ""
    return answer(
        f"The record{named} is not available to you. It may have been deleted, or the link may be wrong.",
        unresolved=["The record that was asked about is not available"],
    )


def not_recorded(question: Question, records: Sequence[BriefItem]) -> WireAnswer:
    named = listed([item.label for item in records])
    about = f"about “{question.topic}”" if question.topic else "about that"
    return answer(
        cited(f"The record of {named} says nothing {about}.", records),
        unresolved=[f"{named}: {question.gap} is not recorded" if question.topic else f"{named}: {question.gap}"],
    )


def no_run_fits(*, has_runs: bool) -> WireAnswer:
    which = (
        "None of the recent runs that I can see fits your question." if has_runs else "I see no recent run of yours."
    )
    return answer(which, unresolved=["No run that fits the question was found"])
