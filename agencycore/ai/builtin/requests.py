"""Whether a message asks for something to be done: work costs money, so it is started on a request alone."""

import re
from collections.abc import Iterable

from agencycore.ai.builtin.language import content_stems, stems, words

_COURTESY = (
    r"(?:(?:hi|hello|hey|ok|okay|please|pls|now|then|also|and|so|great|thanks|just|first|next|yes|actually)[,!.]? +)*"
)
_ASKED_OF_US = (
    r"(?:(?:can|could|would|will) (?:you|we)(?: please| kindly)?(?: (?:help|go|try)(?: me| us)?(?: to| and)?)?|"
    r"(?:i|we) (?:want|need|would like|wish)(?: you)? to|i[’']d like(?: you)? to|help (?:me|us)(?: to)?|let[’']?s|"
    r"go(?: ahead)? and|i need (?:someone|somebody|an? agent) to|it would be (?:great|nice) if you(?: could)?) +"
    r"(?:please )?(?:also )?"
)
_VERBS = (
    "find|search|look|google|detect|research|investigate|get|fetch|collect|gather|scan|scrape|crawl|draft|write|"
    "compose|prepare|"
    "qualify|score|rank|prioriti[sz]e|compare|analy[sz]e|evaluate|assess|review|check|verify|screen|enrich|identify|"
    "discover|source|generate|create|build|make|run|start|launch|kick|trigger|execute|perform|monitor|track|watch|"
    "summari[sz]e|suggest|recommend|propose|give|show|list|bring|send|schedule|set|plan|contact|reach|onboard|process|"
    "calculate|compute|count|plot|forecast|estimate|translate|extract|import|export|update|add|change|edit|remove|"
    "delete|publish|handle|take|pull|push|dig|map|outline|assemble|produce|turn|convert|match|locate|spot|hunt|use|"
    "ask|file|submit|request|order|book|arrange|organi[sz]e|redo|repeat|rerun|continue|reply|answer|respond|assign|"
    "reassign|promote|log|move|begin|mark|invite|notify|forward|cancel|go|design|define|modify|rename|duplicate|copy|"
    r"do(?! (?:not|you|we|they|i|any|all|these|those|people)\b)|"
    "automate|insert|replace|extend|adapt|adjust|swap|automatically|let(?! [mu][es] know)"
)
_IMPERATIVE = re.compile(rf"^{_COURTESY}(?:{_ASKED_OF_US})?(?P<verb>{_VERBS})\b", re.IGNORECASE)
_WANTED = re.compile(
    rf"^{_COURTESY}(?:(?:i|we) (?:need|want|would like|require)|i[’']d like|looking for|any chance of|time for|"
    r"more (?:of|like)|another|\d{1,4}) ",
    re.IGNORECASE,
)
# What work may find more of, also where it is called ours: "our best leads".
_SOUGHT_ANEW = (
    r"crm|pipeline|database|records?|compan\w+|customers?|clients?|leads?|prospects?|deals?|people|contacts|"
    r"competitors?"
)
_LOOKS_UP = re.compile(
    rf"^{_COURTESY}(?:{_ASKED_OF_US})?(?:search|look|find|get|fetch|show|check|locate|dig|give)"
    r"(?: me| us| up| for| out| in)* "
    rf"(?:(?:our|my|its|his|her|their) (?!.*\b(?:{_SOUGHT_ANEW})\b)|"
    r"the (?:last|latest|newest|most recent|next|current|previous) "
    r"(?:contact|activity|call|e-?mail|meeting|message|note|task|change|version)\b|"
    r"the (?:[\w-]+ ){0,2}(?:documents?|pages?|files?|polic(?:y|ies)|handbook|guide|manual|notes?|passages?)\b)",
    re.IGNORECASE,
)
_TELLS = re.compile(r"\b(?:right|correct|isn[’']?t it|didn[’']?t i|don[’']?t you)\s*\?\s*$", re.IGNORECASE)

_ELLIPSIS = re.compile(r"^(?:and|or|but|what about|how about|and what about|also)\b", re.IGNORECASE)
_ELLIPSIS_WORDS = 6

_AGAIN = frozenset(
    stems("again rerun re-run redo repeat retry restart once more same another round try over second time")
)
_WORK_WORDS = frozenset(
    stems("run running runs job search workflow agent task process execution request report previous last failed start")
)

_SAYS_AGAIN = re.compile(
    r"\b(?:again|re-?run|redo|repeat|retry|restart|same|once more|one more time|a second time|"
    r"another (?:time|try|round))\b",
    re.IGNORECASE,
)

_COUNTS_OFF = re.compile(
    rf"{_COURTESY}(?:and |what about )?(?:the )?(?:first|second|third|fourth|fifth|last|next|other)(?: one)?"
    r"(?: please)?\W*",
    re.IGNORECASE,
)

_STARTS = re.compile(
    rf"^{_COURTESY}(?:{_ASKED_OF_US})?(?:run|use|start|launch|try|take|execute|trigger|kick off)\b", re.IGNORECASE
)


def starts_it(message: str) -> bool:
    """Whether the message asks that what it points at be started: “run the second one”."""
    return bool(_STARTS.match(message.strip()))


def is_request(message: str) -> bool:
    """Whether the message is in the form of a request: “find …”, “can you draft …”, “I need …”."""
    text = message.strip()
    if _TELLS.search(text):
        return False
    return bool(_IMPERATIVE.match(text) or _WANTED.match(text))


def looks_up(message: str) -> bool:
    """Whether something that is already there is wanted: “search for our refund policy”, “find the last contact”.

    Work finds what is not known yet; what the organization has is told from documents and records.
    """
    return bool(_LOOKS_UP.match(message.strip()))


def verb_of(message: str) -> str:
    """ "promote" of “Please promote it now”; "" where the message is no request of that form."""
    asked = _IMPERATIVE.match(message.strip())
    return asked["verb"].lower() if asked else ""


def is_ellipsis(message: str) -> bool:
    """Whether the message leaves its verb to what was said before: “and Dovetail Hiring?”."""
    text = message.strip()
    return bool(_ELLIPSIS.match(text)) and len(words(text)) <= _ELLIPSIS_WORDS and not is_request(text)


def asks_again(message: str, names: Iterable[str]) -> bool:
    """Whether the message says nothing but that a run be repeated; ``names`` are those of runs and their work."""
    return not _beside(message, _AGAIN | _WORK_WORDS, names)


def counts_off(message: str) -> bool:
    """Whether the message is nothing but a place in a list: “the second one”."""
    return _COUNTS_OFF.fullmatch(message.strip()) is not None


def says_again(message: str) -> bool:
    """Whether the message has a word for once more."""
    return _SAYS_AGAIN.search(message) is not None


def _beside(message: str, allowed: frozenset[str], names: Iterable[str]) -> set[str]:
    named = {stem for name in names for stem in stems(name)}
    return set(content_stems(message)) - allowed - named
