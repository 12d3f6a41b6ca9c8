"""What was asked to be done before a message, where the message goes on from it: “and in Spain?”, “run that again”.

Work is started for a person's own request, so what a message leaves out is looked for in their messages alone.
"""

import re

from agencycore.ai.asked import is_question
from agencycore.ai.builtin.history import said
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.requests import asks_again, counts_off, is_ellipsis, is_request, says_again
from agencycore.ai.builtin.runs import definition_of, goal_of, run_items
from agencycore.ai.run_asks import asks_after_work
from agencycore.ai.stop_requests import asks_to_stop, names_of_work
from agencycore.ai.types import BriefItem, ContextBrief

_OPENING = re.compile(r"^(?:(?:and|or|but|also)\b[\s,]*)*(?:(?:what|how) about\b\s*)?", re.IGNORECASE)


def earlier_request(brief: ContextBrief) -> str:
    """The request right before the message, whatever changes of it stand between; "" where anything else does."""
    asked = next((text for text in reversed(said(brief, "user")) if not is_ellipsis(text)), "")
    return asked if is_request(asked) and not asks_to_stop(asked, names_of_work(brief)) else ""


def goes_on(brief: ContextBrief) -> bool:
    """Whether the message is searched together with what was said before it."""
    before, found, _ = brief.query.partition(" ".join(brief.message.split()))
    return bool(found and before.strip())


def given_run(brief: ContextBrief) -> BriefItem | None:
    """The run that the newest message before that names something started, stopped or asked after; else None."""
    names = names_of_work(brief)
    asked = (text for text in reversed(said(brief, "user")) if not is_ellipsis(text))
    before = next((text for text in asked if asks_to_stop(text, names) or _says_what(text)), "")
    if not (is_request(before) or asks_to_stop(before, names) or asks_after_work(before)):
        return None
    pointed = {ref.id for ref in brief.reference.refs if ref.kind == "run"}
    own = [item for item in brief.of("runs") if item.payload.get("in_conversation") is not False]
    return next((item for item in own if item.id in pointed), None) or next(iter(own), None)


def _says_what(text: str) -> bool:
    return bool(Question(text).terms) and not counts_off(text)


def changes_request(brief: ContextBrief) -> bool:
    """Whether the message leaves its verb to the request right before it: “and in Spain?”."""
    return names_change(brief.message) and bool(earlier_request(brief))


def names_change(message: str) -> bool:
    """Whether the message names something and no verb for it: “and Spain?”, not “and why?”."""
    rest = _OPENING.sub("", message.strip())
    return is_ellipsis(message) and bool(Question(rest).terms) and not is_question(rest.rstrip(" ?"))


def repeated_run(brief: ContextBrief, definition: str) -> BriefItem | None:
    """The run of ``definition`` that the message asks for once more; None where it asks for anything else."""
    if not says_again(brief.message) or not asks_again(brief.message, words_of_work(brief)):
        return None
    run = run_to_repeat(brief)
    return run if run is not None and definition_of(run) == definition else None


def run_to_repeat(brief: ContextBrief) -> BriefItem | None:
    """The run that the message points at, else the newest."""
    known = run_items(brief)
    pointed = [item for item in known if item.id in {ref.id for ref in brief.reference.refs}]
    return next(iter(pointed or known), None)


def words_of_work(brief: ContextBrief) -> list[str]:
    """What "again" may be said with: the names of work, and what runs were for."""
    runs = [item for item in brief.items if item.kind == "run"]
    return [*names_of_work(brief), *map(goal_of, runs), *(run.label for run in runs)]
