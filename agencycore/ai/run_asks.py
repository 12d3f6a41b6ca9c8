"""What a message asks about runs, by its form alone and whatever runs there are.

Either about running in general ("how many runs can we start a day?"), or which of the person's own runs
are in a state ("what is running?", "did anything fail today?"), or neither: then it may mean one run.
The context and the built-in responder both read a message by this, so that they mean the same runs.
"""

import datetime
import re
from dataclasses import dataclass

LIVE = frozenset({"queued", "running", "waiting"})
ENDED = frozenset({"succeeded", "failed", "cancelled"})

_NOUN = r"(?:runs?|workflows?|agents?|search(?:es)?|tasks?|jobs?)"
_NOUNS = r"(?:runs|workflows|agents|searches|tasks|jobs)"
_ONE = r"(?:run|workflow|agent|search|task|job)"

# The words for each state, and what they are told as.
_STATES: tuple[tuple[str, frozenset[str], str], ...] = (
    (r"queued|in the queue|pending", frozenset({"queued"}), "is queued"),
    (r"waiting|stuck|hanging|blocked|paused", frozenset({"waiting"}), "is waiting"),
    (r"running|run|open|in progress|going(?: on)?|live|active|ongoing|under ?way|working", LIVE, "is live"),
    (r"fail(?:ed|ing|ures?)?|crash(?:ed)?|go(?:ne|ing)? wrong|went wrong|broken?|errors?", frozenset({"failed"}),
     "failed"),
    (r"succeed(?:ed)?|successful(?:ly)?|work(?:ed)?(?: out)?|go(?:ne)? through|went through", frozenset({"succeeded"}),
     "succeeded"),
    (r"cancell?ed|aborted|terminated", frozenset({"cancelled"}), "was cancelled"),
    (r"stop(?:ped)?|halted", frozenset({"failed", "cancelled"}), "stopped"),
    (r"finish(?:ed)?|done|complete(?:d)?|end(?:ed)?|over|ready", ENDED, "ended"),
)  # fmt: skip
_STATE = rf"(?P<state>{'|'.join(words for words, _, _ in _STATES)})"
_OPENER = r"(?:(?:and|but|so|ok|okay|please|hi|hello|hey|then|now|(?:can|could|would) you|tell me|show me) )*"
_ADVERBS = r"(?: (?:currently|still|already|just|now|right now|been|also|all|there|actually|have|has|are|is|not))*"
_PERIOD = r"(?P<period>today|yesterday|tonight|this (?:morning|afternoon|evening|week|month)|last (?:night|week))"
_TAIL = (
    rf"(?: (?:right now|now|just now|currently|at the moment|at present|still|already|yet|so far|lately|recently|"
    rf"for me|on me|of mine|here|in (?:this|other|my|the other) (?:chats?|conversations?)|in the background|"
    rf"(?:of|with|among|in) my {_NOUNS}|{_PERIOD}))*"
)
_ASKED = r"(?:is|are|was|were|did|do|does|has|have|had)(?:n't)?(?: there)?(?: been)?"
_ANY = (
    rf"(?:anything|something|everything|any(?: (?:of )?(?:my|the))?(?: [\w-]+){{0,3}}? {_NOUN}|"
    rf"any of (?:my|the) {_NOUNS}|an? {_ONE})"
)
_LISTS = tuple(
    re.compile(rf"{_OPENER}{form}{_TAIL}")
    for form in (
        rf"what(?:'s| is| are| has| have| was)?{_ADVERBS} (?!going|open|work\b|run\b|end\b|stop\b){_STATE}",
        rf"(?:which|what)(?: of)?(?: my| our| the)?(?: \w+)? ?{_NOUNS}(?: that)?"
        rf"(?: (?:is|are|was|were|has|have|had|did))?{_ADVERBS} {_STATE}",
        rf"{_ASKED} {_ANY}{_ADVERBS} {_STATE}",
        rf"any(?:thing|(?: [\w-]+){{0,3}}? {_NOUN}){_ADVERBS} {_STATE}",
        rf"{_ASKED} {_NOUNS}{_ADVERBS} {_STATE}",
        rf"(?:show|list|give)(?: me)?(?: all| of)*(?: my| our| the)? {_STATE} {_NOUNS}",
        rf"(?:what|which|where) are(?: all)? (?:my|our|the) {_STATE} {_NOUNS}",
    )
)

# Whatever their state.
_ALL_RUNS = tuple(
    re.compile(rf"{_OPENER}{form}{_TAIL}")
    for form in (
        r"(?:what|which) runs (?:are there|exist|do (?:i|we) have|have (?:i|we)(?: got)?|did (?:i|we) start|"
        r"(?:have|has|had) (?:i|we|you) started|(?:have been|were|got) started)",
        r"(?:show|list|give)(?: me)?(?: all| of)*(?: my| our| the) runs",
        r"(?:are there|do (?:i|we) have|have (?:i|we) got)(?: any)? runs",
        r"(?:what (?:are|were) )?(?:all )?my runs",
    )
)
_FIND = "(?:find|found|find out|found out|got|come up with|produced?|discover|discovered)"
_WORK = rf"(?:the|my|our|that|this) (?:{_NOUN}|work|research)"
_WORKER = rf"(?:you|they|it|{_WORK})"
_ASKS_AFTER = re.compile(
    rf"{_OPENER}(?:how(?:'s| is| are) (?:it|that|this|they|things|everything|{_WORK}) (?:all )?"
    r"(?:going|doing|progressing|coming (?:along|on)|getting on|looking)|"
    r"(?:is there |are there |do you have |have you got )?any (?:progress|luck|updates?|results?|findings)|"
    r"what(?:'s| is) the (?:status|progress|state)|"
    rf"what (?:did|have|has) {_WORKER} {_FIND}|(?:did|have|has) {_WORKER} {_FIND} (?:anything|something)|"
    r"found anything)(?: (?:so far|yet|now|up to now|until now|by now))*"
)
_ABOUT_RUNS = re.compile(rf"\b(?:{_NOUN}|running|ran)\b")
_DUMMY = re.compile(
    r"\b(?:is|was|would|will|does|can|could|should) it (?:be )?(?:possible|ok|okay|make sense|matter|allowed|safe|"
    r"take|cost)\b"
)
# One run in particular: of such a one also "can I see" asks how it went.
_POINTS = re.compile(
    rf"\b(?:this|that|these|those|it|its)\b|"
    rf"\b(?:my|the|our) (?:last|latest|newest|current|previous|first|second|other) |"
    rf"\b(?:my|the) (?:[\w-]+ ){{0,2}}{_ONE}\b"
)
_TOLD_OF_ONE = re.compile(
    r"\b(?:did|was|were|has|have|had|yesterday|today|tonight|just|still|yet|ago|so far|right now|failed|stopped|"
    r"finished|succeeded|ended|crashed)\b"
)
_ANYBODY = r"(?:i|we|you|one|they|he|she|people|anyone|anybody|someone|somebody|everyone|members?|users?|teammates?|" \
           r"colleagues?|others?|others|admins?|administrators?|(?:an?|the|my|our) [\w-]+|other [\w-]+)"  # fmt: skip
# General by themselves, also with a pointing word beside them.
_ALWAYS_GENERAL = re.compile(
    r"\bdifferen(?:t|ces?) (?:from|between|than|to)\b|\bdiffers?\b|\bversus\b|\bvs\b|"
    r"\b(?:limits?|quota|maximum|at most|at once|at the same time|in parallel|per (?:day|hour|week|month)|"
    r"an? (?:day|hour|week|month)|pric(?:e|es|ing)|billed|charged?|allowed|permitted|permissions?|visible|private|"
    r"public)\b|"
    r"\bwho (?:can|may|could|is able|is allowed|sees|gets|has access)\b|"
    r"^(?:and |but |so |ok )*(?:how|where) "
    r"(?:to|(?:do|can|could|should|would|must) (?:i|we|you|one|people|members?))\b|"
    rf"\b(?:can|could|may|do|will) (?:others?|anyone(?: else)?|anybody|teammates?|colleagues?|(?:my|our|other) [\w-]+) "
    r"(?:see|read|open|view|stop|cancel|start|run)\b|"
    rf"^(?:and |but |so |ok )*what (?:is|are|does|do) (?:an? )?(?:\w+ )?{_NOUN}(?: mean| do)?$"
)
_GENERAL = re.compile(
    rf"\b(?:can|could|may|should|must|would|might|will) (?!you\b){_ANYBODY}\b|"
    rf"\b(?:do|does|are|is|can|could|may|should|must|would|will|if|when|what) "
    rf"(?:(?!my|our|the|these|those|any)\w+ )?{_NOUNS}\b(?! (?:do|did|have) i\b)|"
    rf"\brun(?:ning)? (?:an?|one|two|three|several|many|multiple|more(?: than \w+)?|the same|\w+)? ?{_NOUN}\b|"
    r"\b(?:costs?|free|means?)\b"
)
_QUESTION = re.compile(
    rf"{_OPENER}(?:what|who|whose|which|when|where|why|how|is|are|do|does|can|could|will|would|should|may|must)\b"
)
_INDEFINITE = re.compile(rf"\b(?:an?|each|every) (?:[\w-]+ )?{_ONE}\b")
_OF_ANY_RUN = re.compile(
    rf"^(?:and |but |so |ok )*(?:can|could|does|do|how|why|what|when|where|who|is|are|will|would|should|may|must)\b.*"
    rf"{_INDEFINITE.pattern}"
)
_NOT_WORDS = re.compile(r"[^\w']+")


@dataclass(frozen=True, slots=True)
class AskedRuns:
    """The runs in one of ``states`` are asked for; ``told`` says the state, ``period`` since when, both in words."""

    states: frozenset[str]
    told: str
    period: str = ""

    def holds(self, state: str, changed_at: datetime.datetime, now: datetime.datetime) -> bool:
        """Whether a run fits that came to its state then; days begin where ``now`` is."""
        if state not in self.states:
            return False
        if not self.period or state in LIVE:
            return True
        first, last = _days(self.period, now.date())
        return first <= changed_at.astimezone(now.tzinfo).date() <= last


def asked_runs(message: str) -> AskedRuns | None:
    """Which of the person's runs the message asks for, by their state; None where it asks something else."""
    text = _plain(message)
    if (every := next((found for form in _ALL_RUNS if (found := form.fullmatch(text))), None)) is not None:
        return AskedRuns(LIVE | ENDED, "is from", every["period"] or "")
    match = next((found for form in _LISTS if (found := form.fullmatch(text))), None)
    if match is None or (match["state"] == "open" and not _ABOUT_RUNS.search(text)):
        return None
    states, told = _of_words(match["state"])
    return AskedRuns(states, told, match["period"] or "")


def asks_after_work(message: str) -> bool:
    """ "How is it going?", "What did you find?": how the work stands that was handed over in this conversation."""
    return _ASKS_AFTER.fullmatch(_plain(message)) is not None


def asks_of_running(message: str) -> bool:
    """Whether the message asks about runs in general: what one may, what there is, who sees them, how it is done."""
    text = _DUMMY.sub("does", _plain(message))
    if not _ABOUT_RUNS.search(text) or asked_runs(message) is not None:
        return False
    if _ALWAYS_GENERAL.search(text):
        return True
    if _INDEFINITE.search(text):
        return _OF_ANY_RUN.search(text) is not None and re.search(r"\b(?:did|has|had)\b", text) is None
    is_general = _QUESTION.match(text) is not None and _GENERAL.search(text) is not None
    return is_general and not _POINTS.search(text) and not _TOLD_OF_ONE.search(text)


def _of_words(said: str) -> tuple[frozenset[str], str]:
    return next((states, told) for words, states, told in _STATES if re.fullmatch(words, said))


def _days(period: str, today: datetime.date) -> tuple[datetime.date, datetime.date]:
    """The first and the last day of a period."""
    day = datetime.timedelta(days=1)
    monday = today - today.weekday() * day
    match period:
        case "yesterday":
            return today - day, today - day
        case "last night":
            return today - day, today
        case "this week":
            return monday, today
        case "last week":
            return monday - 7 * day, monday - day
        case "this month":
            return today.replace(day=1), today
        case _:
            return today, today


def _plain(message: str) -> str:
    return " ".join(_NOT_WORDS.sub(" ", message.lower().replace("’", "'")).split())
