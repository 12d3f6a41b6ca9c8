"""“Did you send the e-mail?”: the chat does no work itself, and says so plainly before anything else."""

import re
from collections.abc import Mapping

from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import answer
from agencycore.ai.builtin.runs import run_items, tell_runs
from agencycore.ai.builtin.speech import unavailable_words
from agencycore.ai.types import ContextBrief
from agencycore.ai.wire import WireAnswer

# What a person may believe that we did: the verb as in "did you …", and as in "have you …".
_DONE: Mapping[str, str] = {
    "send": "sent", "write": "written", "make": "made", "tell": "told", "put": "put", "set up": "set up", "do": "done",
    "pay": "paid", "buy": "bought", "submit": "submitted", "notify": "notified", "reply to": "replied to",
} | {
    verb: f"{verb}d" for verb in
    ("create", "update", "change", "delete", "remove", "move", "schedule", "save", "approve", "promote", "invite",
     "publish", "merge", "archive", "share", "close", "rename", "reassign", "qualify")
} | {
    verb: f"{verb}ed" for verb in
    ("email", "e-mail", "mail", "add", "edit", "book", "assign", "import", "export", "upload", "reject", "draft",
     "call", "contact", "post", "order", "forward", "log", "mark", "order", "message", "refund", "answer")
}  # fmt: skip
_OPENING = r"^\W*(?:(?:and|but|so|ok|wait|hey|hi)\W+)*"
_ADVERBS = r"(?:(?:already|just|now|really|actually|also|then|ever|even|not)\s+)*"
_PARTICIPLES = "|".join(sorted(_DONE.values(), key=len, reverse=True))
_DID = re.compile(rf"{_OPENING}did(?:n['’]t)? you\s+{_ADVERBS}(?P<verb>{'|'.join(_DONE)})\b", re.IGNORECASE)
_HAVE = re.compile(
    rf"{_OPENING}(?:have|has|had)(?:n['’]t)? you\s+{_ADVERBS}(?P<done>{_PARTICIPLES})\b",
    re.IGNORECASE,
)
_MAIL = re.compile(
    rf"{_OPENING}(?:has|have|was|were|is|are) (?:the|that|this|my|our|an?|any|those|these) (?:\w+ ){{0,2}}"
    r"(?:e-?mails?|messages?|invitations?|invites?) (?:already |now )?(?:been )?(?P<done>sent|e?-?mailed)\b",
    re.IGNORECASE,
)


def asked_done(message: str) -> str:
    """The participle of work that the message asks us to have done ("sent"), or ""."""
    if did := _DID.match(message):
        return _DONE[did["verb"].lower()]
    found = _HAVE.match(message) or _MAIL.match(message)
    return found["done"].lower() if found else ""


def deny_work(done: str, brief: ContextBrief) -> WireAnswer:
    """Nothing was done by chat; the runs that this conversation has started are told, each from its own record."""
    denial = f"No, nothing was {done} by chat: it does no such work itself."
    own = [item for item in run_items(brief) if item.payload.get("in_conversation") is not False]
    if down := unavailable_words(brief, "runs"):
        text = f"{denial} I could not check {down} just now."
    elif not own:
        text = f"{denial} This conversation has no run that could have done it either."
    else:
        text = f"{denial} What this conversation has started:\n\n{tell_runs(Question('which runs'), own).text}"
    return answer(text, unresolved=[f"Whether anything was {done} outside of this conversation"])
