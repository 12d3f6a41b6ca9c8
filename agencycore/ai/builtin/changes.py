"""A record that is to be made, changed or deleted: chat does not do it, and tells what the pages say of doing it."""

from agencycore.ai.builtin.passages import COVERED, answer_from_passages
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import Found, found_answer
from agencycore.ai.builtin.speech import no_changes
from agencycore.ai.types import ContextBrief
from agencycore.ai.wire import WireAnswer


def decline_change(request: str, brief: ContextBrief) -> WireAnswer:
    declined = no_changes(request.strip(" .!"))
    asked = Question(f"How do I {request[:1].lower()}{request[1:]}", tuple(ref.label for ref in brief.reference.refs))
    told = answer_from_passages(asked, brief.of("knowledge"), threshold=COVERED, brief=True)
    if told is None:
        return declined
    return found_answer(Found(f"{declined.text} {told.text}", told.strength, tuple(declined.unresolved)))
