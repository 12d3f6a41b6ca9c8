"""What was said before, as far as it answers the message: recaps, reworks, an open question or offer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agencycore.ai.asked import asks_more, is_question, names_topic
from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import sentences, shortened, words
from agencycore.ai.builtin.replies import answer, cited, full_stop
from agencycore.ai.builtin.requests import is_ellipsis
from agencycore.ai.builtin.speech import SPEECH_ACTS
from agencycore.ai.builtin.unable import OWN_WORDS, unable_to
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireAnswer

RECAP_QUESTIONS = 8
QUOTE_LENGTH = 160
# Less is no sentence.
MAIN_CLAUSE_WORDS = 6
STAND_ALONE_WORDS = 4

_WHOLE = re.compile(
    r"(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|"
    r"show|tell|list|give|find|create|make|explain|describe|run|start|stop|cancel)\b"
)
_BEFORE_QUESTION = re.compile(r"(?:(?:so|ok|okay|well|hm+|thanks)\b\W*)+")

_FIRST = re.compile(r"\b(?:first|at the start|at the beginning|originally|to begin with)\b")
_OWN_QUESTION = re.compile(r"\b(?:i|my)\b")
_YOUR_ANSWER = re.compile(r"\b(?:you|your)\b")
_RECAP = re.compile(
    r"\b(?:summar\w+|recap|sum up|overview|talk\w* about|discuss\w*|covered|so far|questions|were we|"
    r"conversation|chat)\b"
)
_SHORTER = re.compile(r"\b(?:short\w*|brief\w*|one sentence|condense|concise|tl ?dr|summar\w+|simpl\w+)\b")
_BULLETS = re.compile(r"\b(?:bullets?|bulleted|list|points?)\b")
_SOURCES = re.compile(
    r"\b(?:sources?|based on|(?:get|got|have|take) (?:that|this|it)|know (?:that|this)|do you know|come from|"
    r"come up with|documents? did you|why did you|makes you|sure|certain)\b"
)
_ADDED = re.compile(r",\s+(?=(?:with|which|where|and|so|because|but|while)\b)|;\s+")
_MARKS = re.compile(r"\s*\[\d+\]")
# How what is said about the conversation itself begins.
YOUR_MESSAGE = {"first": "Your first message was:", "last": "Your last message was:"}
FIRST_KEPT = "The first message of yours that I have kept is:"
OUR_QUESTION = "My last message was a question"
NO_SOURCE = "My last reply cited no source."
BASED_ON = "My last reply was based on:"
ASKED_SO_FAR = "So far you asked:"
_ASIDES = (*YOUR_MESSAGE.values(), FIRST_KEPT, OUR_QUESTION, NO_SOURCE, BASED_ON, ASKED_SO_FAR, OWN_WORDS)
# How ``summary`` begins its lines.
_ASKED_LINE = re.compile(r"- The member asked: (?P<asked>.+?)(?: → .*)?$")
_THE_MEMBER = re.compile(r"(?<=^- )The member(?= asked:)")
_THE_ASSISTANT = re.compile(r"(?<=^- )The assistant(?= said:)")


@dataclass(frozen=True, slots=True)
class Pending:
    """A question of ours that the message may answer, and the request it was asked about.

    ``is_picked``: the message is one of the choices that were offered.
    """

    question: str
    original: str
    item: BriefItem
    is_picked: bool = False


def pending_clarify(brief: ContextBrief) -> Pending | None:
    """None also where the message leaves our question aside: it asks something whole and picks no option."""
    item = next((item for item in brief.of("conversation") if item.kind == "pending_clarify"), None)
    if item is None:
        return None
    is_picked = _picks_option(brief, item)
    if _stands_alone(brief.message) and not is_picked:
        return None
    return Pending(str(item.payload.get("question", "")), str(item.payload.get("original", "")), item, is_picked)


def _stands_alone(message: str) -> bool:
    lowered = _BEFORE_QUESTION.sub("", message.strip().lower())
    return len(words(lowered)) >= STAND_ALONE_WORDS and bool(_WHOLE.match(lowered))


def _picks_option(brief: ContextBrief, item: BriefItem) -> bool:
    options = item.payload.get("options")
    offered = (
        [(str(option.get("label", "")), option.get("ref")) for option in options] if isinstance(options, list) else []
    )
    meant = {f"{ref.kind}:{ref.id}" for ref in brief.reference.refs}
    said = brief.message.lower()
    is_meant = bool(meant) and meant <= {str(ref) for _, ref in offered} and brief.reference.status == "resolved"
    return is_meant or any(label and label.lower() in said for label, _ in offered)


def open_offer(brief: ContextBrief) -> str:
    """The words of work that the last reply offered, or ""."""
    item = next((item for item in brief.of("conversation") if item.kind == "offer"), None)
    return item.text.strip() if item else ""


def said(brief: ContextBrief, role: str) -> list[str]:
    """What one side said, oldest first."""
    return [
        item.text.strip()
        for item in brief.of("conversation")
        if item.payload.get("role") == role and item.kind not in ("summary", "pending_clarify", "offer")
    ]


def question_before(brief: ContextBrief) -> str:
    """The newest question before the message that says what it asks: “and the other one?” asks it of another record."""
    asked = (text for text in reversed(said(brief, "user")) if names_topic(text) and not asks_more(text))
    return next((text for text in asked if not is_ellipsis(text) or is_question(text.rstrip(" ?"))), "")


def told_before(brief: ContextBrief) -> str:
    """What our replies said, without their marks."""
    return " ".join(_MARKS.sub("", reply) for reply in said(brief, "assistant"))


def answer_about_conversation(brief: ContextBrief) -> WireAnswer:
    """A recap, a quotation, or the last reply in other form with the sources it was based on."""
    asked, replied = said(brief, "user"), said(brief, "assistant")
    lowered = brief.message.lower()
    if not asked:
        return answer("Nothing has been said in this conversation before your message.")
    pending = pending_clarify(brief)
    if pending is not None and _asks_rework(lowered):
        return _explain_question(pending)
    if _asks_rework(lowered) and replied:
        if (unable := unable_to(lowered)) is not None:
            return unable
        return _rework(lowered, _newest_told(replied), brief)
    if _RECAP.search(lowered) and not _FIRST.search(lowered):
        return answer(_recap(brief, asked))
    if _YOUR_ANSWER.search(lowered) and not re.search(r"\bi\b", lowered) and replied:
        return _rework(lowered, replied[-1], brief)
    if _FIRST.search(lowered) and _has_summary(brief):
        first = _first_in_summary(brief)
        return answer(f"{FIRST_KEPT} “{first}”" if first else _recap(brief, asked))
    quoted, which = (asked[0], "first") if _FIRST.search(lowered) else (asked[-1], "last")
    return answer(f"{YOUR_MESSAGE[which]} “{shortened(quoted, QUOTE_LENGTH)}”")


def _newest_told(replies: Sequence[str]) -> str:
    """The newest reply that told something: courtesies and what was said about replies are not meant by "shorter"."""
    told = [reply for reply in replies if reply not in SPEECH_ACTS.values() and not reply.startswith(_ASIDES)]
    return (told or replies)[-1]


def _first_in_summary(brief: ContextBrief) -> str:
    """The first message of the member's that the summary has kept, where it is a list of them."""
    summary = next((item.text for item in brief.of("conversation") if item.kind == "summary"), "")
    asked = next((_ASKED_LINE.match(line) for line in summary.splitlines() if line.strip()), None)
    return harmless(asked["asked"]) if asked else ""


def _explain_question(pending: Pending) -> WireAnswer:
    """Our last message was a question: there is nothing in it to shorten or to found."""
    about = f" to answer “{shortened(pending.original, QUOTE_LENGTH)}”" if pending.original else ""
    return answer(f"{OUR_QUESTION} that I need answered{about}: “{pending.question}”")


def _asks_rework(lowered: str) -> bool:
    is_recap = bool(re.search(r"\b(?:conversation|chat|discussion|thread|everything|we|our)\b", lowered))
    asks_own = bool(re.search(r"\b(?:did i|have i|my)\b", lowered))
    return not is_recap and not asks_own


def _has_summary(brief: ContextBrief) -> bool:
    return any(item.kind == "summary" for item in brief.of("conversation"))


def _recap(brief: ContextBrief, asked: Sequence[str]) -> str:
    summary = next((item.text.strip() for item in brief.of("conversation") if item.kind == "summary"), "")
    lines = [f"- {shortened(question, QUOTE_LENGTH)}" for question in asked[-RECAP_QUESTIONS:]]
    head = ASKED_SO_FAR if not summary else "After that you asked:"
    return "\n".join([*([*_retold(summary), ""] if summary else []), head, *lines])


def _retold(summary: str) -> list[str]:
    """The summary's lines, each a line still, said to the person that it speaks of."""
    lines = [harmless(line) for line in summary.splitlines()]
    return [_THE_ASSISTANT.sub("I", _THE_MEMBER.sub("You", line)) for line in lines if line]


def _rework(lowered: str, reply: str, brief: ContextBrief) -> WireAnswer:
    """The last reply shortened, as bullets, or again; its offer and the sources that are still there come along."""
    offer = open_offer(brief)
    reply = reply.removesuffix(offer)
    kept = [line for line in (_MARKS.sub("", line).strip() for line in reply.splitlines()) if line]
    # Pinned is what the reply cited; anything else in the brief was no source of it.
    sources = [item for item in brief.evidence if item.key and item.pinned and _MARKS.search(reply)]
    if _SOURCES.search(lowered):
        return _tell_sources(sources, " ".join(kept))
    lines = [sentence for line in kept for sentence in ([line] if line.startswith(("-", "*")) else sentences(line))]
    if _SHORTER.search(lowered):
        # A line that announces a list says nothing without its first entry.
        lines = lines[:1] if len(lines) < 4 and not lines[0].endswith(":") else lines[:2]
        lines = [_main_clause(lines[0])] if lines == kept and len(lines) == 1 else lines
    if _BULLETS.search(lowered):
        bullets = [line if line.startswith(("-", "*")) else f"- {line}" for line in lines]
        return answer("\n".join([*bullets[:-1], cited(bullets[-1], sources)]), offer=offer)
    text = " ".join(lines) if not any(line.startswith(("-", "*")) for line in lines) else "\n".join(lines)
    return answer(cited(full_stop(text), sources), offer=offer)


def _main_clause(sentence: str) -> str:
    """A sentence that is all there is, without what it adds after a comma."""
    main, *added = _ADDED.split(sentence, maxsplit=1)
    return main if added and len(words(main)) >= MAIN_CLAUSE_WORDS else sentence


def _tell_sources(sources: Sequence[BriefItem], reply: str) -> WireAnswer:
    if not sources:
        return answer(f"{NO_SOURCE} It was: “{shortened(reply, QUOTE_LENGTH)}”")
    lines = [cited(f"- {item.label}{f', {item.position}' if item.position else ''}", [item]) for item in sources]
    return answer("\n".join([BASED_ON, *lines]))
