"""Fixed wording: speech acts, refusals, and what is said when nothing can be said.

Nothing here states a fact about the product, a record or a document.
"""

import re
from collections.abc import Sequence

from agencycore.ai.builtin.blocks import harmless
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
_BRACKETED = re.compile(r"[\[\]()*<>`]+")
NOT_BY_CHAT = "I do not do that from chat."
SMALLTALK = "I am here for your records, documents and runs. What would you like to know or have done?"

# What a person may write anywhere and software must not answer as if it were a question.
_DISTRESS = re.compile(
    r"\b(?:kill(?:ing)? myself|end(?:ing)? my (?:own )?life|tak(?:e|ing) my (?:own )?life|hurt(?:ing)? myself|"
    r"harm(?:ing)? myself|suicid\w*|self[- ]harm\w*|(?:want|wish) to die|don[’']?t want to live)\b",
    re.IGNORECASE,
)
SUPPORT = answer(
    "I am sorry that you feel this way. I am software and cannot help with this, but people can: please talk to "
    "somebody you trust, or call your local emergency number or a crisis line now.",
    unresolved=["Help that only people can give"],
)

SOURCE_WORDS: dict[SourceName, str] = {
    "conversation": "this conversation",
    "application": "your records",
    "runs": "recent runs",
    "definitions": "the agents and workflows",
    "knowledge": "the documents",
    "memory": "your preferences",
    "capabilities": "what can be started here",
}


def gap_of(question: Question) -> str:
    """What is missing, in the person's words without their markup."""
    return _BRACKETED.sub(" ", harmless(question.gap)).strip()


def is_distress(message: str) -> bool:
    """Whether the person speaks of harming themselves."""
    return bool(_DISTRESS.search(message))


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
        unresolved=[f"{capital} could not be checked just now"],
    )


def nothing_covers(question: Question) -> WireAnswer:
    about = f"anything about “{question.topic}”" if question.topic else "an answer to that"
    return answer(
        f"I could not find {about}: no ready document and no record that I can see covers it. "
        "If you upload a document about it, I can answer from that.",
        unresolved=[
            f"No ready document covers: {gap_of(question)}" if gap_of(question) else "No ready document covers this"
        ],
    )


def english_only(question: Question) -> WireAnswer:
    """Asked in another language, and no document in it has an answer that the search is sure of."""
    return answer(
        "I understand questions in English only, and this one seems to be in another language. "
        "Please ask it in English.",
        unresolved=[f"Not asked in English: {gap_of(question)}" if gap_of(question) else "Not asked in English"],
    )


def half_a_request(message: str) -> WireAnswer:
    """Where the message only changes a request that does not stand right before it."""
    said = _BRACKETED.sub(" ", harmless(message)).strip(" .!?")
    return answer(
        f"I have not started anything for “{said}”: please send the whole request.",
        unresolved=[f"What is to be done: {said}"],
    )


def nothing_to_do() -> WireAnswer:
    return answer("Then I leave it at that.", unresolved=["Our question before stays unanswered"])


def nothing_more(question: Question) -> WireAnswer:
    """Asked for more than the sources have, or than was told of them."""
    about = f" about “{question.topic}”" if question.topic else " about that"
    return answer(
        f"I have nothing more{about}: no other ready document and no record that I can see says more.",
        unresolved=[f"Nothing more is known of: {gap_of(question)}"],
    )


def not_from_chat(question: Question) -> WireAnswer:
    """For things outside the product: general facts, entertainment, advice."""
    covers = f"covers “{question.topic}”" if question.topic else "covers that"
    return answer(
        "I cannot answer this from chat: I answer only from your records, runs and documents, "
        f"and none of them {covers}.",
        unresolved=[f"No source here covers: {gap_of(question)}" if gap_of(question) else "No source here covers this"],
    )


def not_at_hand(*names: str) -> WireAnswer:
    """Records are named that the conversation has not got."""
    named, are = listed([f"“{name}”" for name in names]), "is" if len(names) == 1 else "are"
    one, it = ("record", "it") if len(names) == 1 else ("records", "them")
    page = "its page" if len(names) == 1 else "a page"
    return answer(
        f"{named} {are} not among the records that I have here. Open {page}, or pick {it} with @ in the message box, "
        "and ask again.",
        unresolved=[f"The {one} {named} {are} not open and {'was' if len(names) == 1 else 'were'} not sent along"],
    )


def no_lists(question: Question, noun: str) -> WireAnswer:
    return answer(
        f"I cannot count or list {noun} from chat: I read only the records that are open or sent along. "
        f"The page “{noun.capitalize()}” lists them, with search and filters.",
        unresolved=[f"A list of {noun}: {gap_of(question)}"],
    )


def no_changes(request: str) -> WireAnswer:
    return answer(
        "I do not create, change or delete records from chat.",
        unresolved=[f"A change to a record: {request}"],
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
    says = "says" if len(records) == 1 else "say"
    return answer(
        cited(f"The {'record' if len(records) == 1 else 'records'} of {named} {says} nothing {about}.", records),
        unresolved=[
            f"{named}: {gap_of(question)} is not recorded" if question.topic else f"{named}: {gap_of(question)}"
        ],
    )


def no_run_fits(*, has_runs: bool) -> WireAnswer:
    which = (
        "None of the recent runs that I can see fits your question." if has_runs else "I see no recent run of yours."
    )
    return answer(which, unresolved=["No run that fits the question was found"])
