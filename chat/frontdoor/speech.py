"""Sentences of the product itself: handing over, stopping, refusing. Never written by a model.

They are speech acts and hold no facts beyond the names that are passed in.
"""

from collections.abc import Sequence

from agencycore.ai.types import SourceName
from chat.frontdoor.characters import on_one_line
from chat.frontdoor.markdown import harmless_markdown

QUESTION_LENGTH = 120
GOAL_LENGTH = 100

SOURCE_WORDS: dict[SourceName, str] = {
    "conversation": "this conversation’s earlier messages",
    "application": "the records",
    "runs": "recent runs",
    "definitions": "the agents and workflows",
    "knowledge": "the documents",
    "memory": "your preferences",
    "capabilities": "what can be started here",
}
MODEL_FAILED = "I could not work out an answer just now. Nothing was changed; please try again."
LIMIT_REACHED = "Today’s limit for the language model is reached, so this reply was made without it."
CUT_SHORT = "The rest of this answer: it was cut short."
WHICH_ONE = "Which one do you mean?"
NOT_AVAILABLE = "That record is not available."
WORK_NOT_STARTED = "I could not start that just now. Nothing was changed; use Retry to try again."


def handoff(capability: str, *, refs: Sequence[str] = ()) -> str:
    """Said when a run of ``capability`` was started."""
    about = f" for {_listed(refs)}" if refs else ""
    return f"I handed this to {capability}{about}. Its progress and its report appear here."


def question_along(questions: Sequence[str]) -> str:
    """Said after a handoff whose task holds a question as well."""
    return f"{_asked(questions)} went along with it; I have not answered that here."


def question_open(questions: Sequence[str]) -> str:
    """Said where a message also asked something that its one outcome leaves open."""
    return f"{_asked(questions)} is still open: please send it by itself."


def work_open(requests: Sequence[str]) -> str:
    """Said where a message also asked for something to be done that its one outcome leaves undone."""
    asked = " and ".join(_quoted(request, GOAL_LENGTH) for request in requests)
    return f"I have not done this: {asked}. Please send it by itself."


def with_offer(text: str, offer: str) -> str:
    """``text``, and the sentence that offers work beside it where it does not hold that sentence itself."""
    return f"{text}\n\n{offer}" if offer and offer not in text else text


def run_stopped(run: str, *, goal: str = "", step: str = "") -> str:
    """Said when a live run was cancelled; ``goal`` is what it was for, ``step`` the one that had begun."""
    what = _quoted(goal, GOAL_LENGTH) if goal.strip() else ""
    possibly = f" The step “{step}” had begun and may be done." if step else ""
    return f"I stopped {run}{f' ({what})' if what else ''}.{possibly}"


def run_had_ended(run: str, how: str) -> str:
    """Said when there was nothing left to stop; ``how`` is the run's state in product words."""
    return f"{run} had already ended: {how}. Nothing was stopped."


def run_failed(run: str) -> str:
    """The first sentence of a failed run's report, whatever a model writes after it."""
    return f"{run} could not finish."


def which_question() -> str:
    """Asked where several runs wait for an answer and a message may be for any of them."""
    return "Several runs are waiting for an answer. Which of their questions is this for?"


def capability_gone(capability: str) -> str:
    return f"{capability} cannot be started here any more, so nothing was started."


def runs_limit_reached() -> str:
    return "Today’s limit for runs is reached, so I did not start this. It can be started again tomorrow."


def could_not_check(sources: Sequence[SourceName]) -> str:
    return f"I could not check {_listed([SOURCE_WORDS[source] for source in sources])} just now."


def made_without(sources: Sequence[SourceName]) -> str:
    """Shown under a reply."""
    return f"Could not be read for this answer: {_listed([SOURCE_WORDS[source] for source in sources])}."


def not_checked(source: SourceName) -> str:
    """An entry of ``unresolved``."""
    words = SOURCE_WORDS[source]
    return f"{words[0].upper()}{words[1:]} could not be checked just now"


def record_not_available(phrase: str) -> str:
    """An entry of ``unresolved``."""
    return f"The record meant by “{on_one_line(phrase, 80)}” is not available" if phrase else NOT_AVAILABLE


def not_started(message: str) -> str:
    """An entry of ``unresolved``: what was asked for, where the reply itself says why not."""
    return f"Nothing was started for “{on_one_line(message, 120)}”"


def not_answered(message: str) -> str:
    """An entry of ``unresolved``."""
    return f"No answer could be made to “{on_one_line(message, 120)}”"


def _asked(questions: Sequence[str]) -> str:
    return f"Your question {_listed([_quoted(question, QUESTION_LENGTH) for question in questions])}"


def _quoted(text: str, length: int) -> str:
    """The person's own words inside a sentence of ours, with nothing left that a page could follow."""
    return f"“{on_one_line(harmless_markdown(text, lambda url: False), length).rstrip(' .')}”"


def _listed(parts: Sequence[str]) -> str:
    *head, last = parts
    return f"{', '.join(head)} and {last}" if head else last
