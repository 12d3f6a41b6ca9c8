"""What a message asks: its asks apart from each other, and the question of a long message without what surrounds it.

The search and the built-in responder both read a message by this, so that what is searched is what is answered.
"""

import re
from collections.abc import Sequence

from agencycore.ai.stop_words import STOP_WORDS

# Characters. A shorter message is read as a whole.
LONG_MESSAGE = 200
LONGEST_QUESTION = 300
# So many sentences at either end may ask; what stands between is what is told.
AT_EITHER_END = 2
# A pronoun further on means what the sentence itself has named.
OPENING_WORDS = 6
# A longer topic is no name that a sentence could hold in place of "it".
LONGEST_NAME = 4
# More are read as one message.
MOST_ASKS = 3

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？])|\s*\n\s*")
_ASKING_MARK = re.compile(r"[?？؟][\"”’)]*$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

_ASKING_WORDS = "what|who|whom|whose|when|where|why|how|which"
_ASKING_VERBS = "is|are|was|were|do|does|did|has|have|had|can|could|may|should|must|will|would"
_TOLD = (
    r"(?:tell (?:me|us)|let me know|say|show me|explain|describe|define|do you know|"
    r"i(?: want| would like|['’]d like) to know|i wonder|i(?: am|['’]m) wondering)"
)
_WORK_VERBS = (
    "find|search|look for|look up|research|investigate|draft|write|compose|prepare|create|build|make|run|start|launch|"
    "qualify|score|enrich|analyse|analyze|compare|list|get|send|schedule|add|update|change|set up|check|review"
)
_COURTESY = (
    r"(?:(?:hi|hello|hey|ok|okay|so|please|pls|and|but|also|then|now|first|next|finally|afterwards)\b[\s,.!:]*)*"
)
_ASKED_OF_US = (
    r"(?:(?:(?:can|could|would|will) you|(?:i|we) (?:want|need)(?: you)? to|(?:i|we)(?:['’]d| would) like(?: you)? to|"
    r"let['’]?s|go(?: ahead)? and|help me(?: to)?)\s+(?:please\s+)?(?:also\s+)?)?"
)
_JOINT = re.compile(
    rf"{_SENTENCE_END.pattern}|"
    rf"\s*[,;]?\s+(?:and|then|also|but)\s+(?:then\s+|also\s+)?(?=(?:please\s+)?(?:{_WORK_VERBS})\b)|"
    rf"\s*[,;]?\s+(?:and|then|also|but)\s+(?:then\s+|also\s+)?"
    rf"(?=(?:please\s+)?(?:(?:{_TOLD}\s+)?(?:{_ASKING_WORDS})|explain|describe|define)\b)|"
    rf"\s*[,;]\s+(?=(?:{_ASKING_WORDS}) (?:{_ASKING_VERBS})\b)",
    re.IGNORECASE,
)
# A number of a list, or a joint that a comma parts from what it joins.
_NO_PIECE = re.compile(r"\(?\d{1,2}[.)]|(?:and|but|also|then|afterwards|after that|finally|please)\W*", re.IGNORECASE)
_LEADING_JOINT = re.compile(
    r"^(?:(?:and|but|also|then|afterwards|after that|finally|please)\b[\s,]*)+(?=\S)", re.IGNORECASE
)
# Without a mark "when the deal was won" is no question, and "when was the deal won" is one.
_QUESTION = re.compile(
    rf"{_COURTESY}(?:(?:can|could|would) you (?:please )?)?(?:{_TOLD}|what|who|whom|whose|why|how|"
    rf"which(?! (?:is|was|means)\b)|(?:when|where)(?= (?:{_ASKING_VERBS})\b)|{_ASKING_VERBS})\b",
    re.IGNORECASE,
)
_ASKS_TO_BE_TOLD = re.compile(
    rf"^{_COURTESY}(?:(?:can|could|would) you (?:please )?)?{_TOLD}"
    r"(?: (?:more|something|everything|me|us|to me|to us))*(?: about)?[\s,:]+",
    re.IGNORECASE,
)
_WORK = re.compile(rf"{_COURTESY}{_ASKED_OF_US}(?:please )?(?:{_WORK_VERBS})\b", re.IGNORECASE)

_DENIED_WORK = re.compile(
    rf"{_COURTESY}(?:don['’]?t|do not|no need to|there(?:['’]s| is) no need to|"
    rf"(?:you|i) (?:don['’]?t|do not) (?:need|have|want)(?: you)? to) (?:please )?(?:{_WORK_VERBS}|do|go)\b[^.!?;,\n]*"
    r"(?:[.!;,\n]+\s*|$)(?:(?:just|but|only|instead|rather|please)\b[\s,]*)*",
    re.IGNORECASE,
)
# "… for an agency like ours": who asks is no part of what is asked.
_FOR_ASKERS = re.compile(r" for (?:[\w-]+ ){0,4}?(?:such as|like) (?:us|ours|me|mine)\b", re.IGNORECASE)
_MORE_THING = r"(?:more|something else|anything else|what else|something more|anything more)"
_MORE = re.compile(
    rf"{_COURTESY}(?:(?:can|could|would|will) you |i(?:['’]d| would) like to )?(?:please )?"
    r"(?:(?:(?:tell|give|show) (?:me|us)|say|hear|know|is there|have you got|do you have)"
    r"(?: a (?:bit|little)| some| any)? "
    rf"{_MORE_THING}|"
    r"(?:explain|describe) (?:it|that|this|them)(?: (?:more|further|in (?:more |greater )?detail|to me))+|"
    rf"elaborate|{_MORE_THING}(?=(?: details?| info\w*| about (?:it|that|this|them))?(?: please)?[\s.!?]*$))"
    r"(?: details?| info(?:rmation)?)?(?: (?:about|on|of) (?:it|that|this|them|these|those))?(?: please)?[\s.!?]*",
    re.IGNORECASE,
)
# After a list: whether it goes on.
_FURTHER = re.compile(
    rf"{_COURTESY}(?:(?:(?:are|is) there|have you got|do you have) )?(?:any|some) ?more"
    r"(?: of (?:it|that|them|these|those))?(?: please)?[\s.!?]*|"
    rf"{_COURTESY}(?:is|was|are|were) (?:that|those|these|they) (?:all|everything)(?: of (?:it|them))?[\s.!?]*",
    re.IGNORECASE,
)
# "The owner's phone number": something of what a record names.
_OF_NAMED = re.compile(
    r"\b(?:the|its|their) (?P<named>[a-z][a-z -]{1,30}?)(?:'s|(?<=s)') (?P<asked>[a-z][a-z -]{1,40}?)\W*$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^(?:(?:shall|should|can|may) i|(?:would you like|do you want) me to|want me to) (?:(?:also|now|then) )*",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\bdifferences? between (?P<one>.+?) and (?P<two>.+)|\bcompare (?P<one2>.+?) (?:and|with|to) (?P<two2>.+)|"
    r"^(?:what is |what's )?(?P<one3>.+?) (?:vs\.?|versus) (?P<two3>.+)|"
    r"\bhow (?:is|are|does|do) (?P<one4>.+?) (?:different|differ) from (?P<two4>.+)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|each|every)\s+", re.IGNORECASE)
# Where a question opens with one of these, what follows is the name of its topic.
_NAMING = re.compile(
    r"^(?:please )?(?:what(?:'s| is| are| was| were)|whats|who(?:'s| is| are)|define|describe|explain|"
    r"(?:tell|show|give) me|do you have|is there|are there|what does|what do) (?!(?:you|i|we|it|they)\b)",
    re.IGNORECASE,
)
# Taken off the front again and again, until the name is left.
_LEADING = re.compile(
    r"^(?:please|(?:can|could|would) you|(?:tell|show|give) me|explain|describe|define|do you know|i want to know|"
    r"(?:what|who|when|where|why|how|which)(?:'s| is| are| was| were| does| do| did| can| to| many| much| long)?|"
    r"(?:everything|something|anything|all)(?= (?:there is )?(?:about|on)\b)|"
    r"is there|are there|is|are|was|were|does|do|did|have|can|could|should|will|would|i|we|you|me|us|an?|the|any|some|"
    r"about|its|their|his|her|your|our|my|this|that|of|to)\s+",
    re.IGNORECASE,
)
# "… what an ICP is": the name stands before its verb.
_NAMED_FIRST = re.compile(r"^what (?P<topic>.+?) (?:is|are|was|were|means?|stands for)$", re.IGNORECASE)
# Words for the topic of the ask before: "What is a prospect and how do I promote it?"
_IT = re.compile(r"\b(?:it|they|them)\b(?!['’])", re.IGNORECASE)
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
# "What is an ICP and how do I change ours?"
_OURS = re.compile(r"\b(?P<whose>our|your)s\b|\b(?P<mine>mine)\b", re.IGNORECASE)
# "Who owns the account?": the sentence before names it.
_THE_ONE = re.compile(
    r"\b(?:the|this|that|these|those) (?:compan(?:y|ies)|accounts?|customers?|deals?|person|people|contacts?|"
    r"prospects?|opportunit(?:y|ies)|ones?)\b|\b(?:this|that|these|those)(?=\W*$)",
    re.IGNORECASE,
)


def asked_part(message: str) -> str:
    """What a long ``message`` asks at its ends, each once; the whole of it where nothing is asked there.

    A question that leans on the sentence before it takes that along, a request for work what is said after it.
    Work that is not to be done is left out before anything else that is asked.
    """
    message = _without_denied(message)
    if len(message) <= LONG_MESSAGE:
        return message
    parts = [part.strip() for part in _SENTENCE_END.split(message) if part.strip()]
    kept: set[int] = set()
    is_told_of_work = False
    for place, part in enumerate(parts):
        is_at_end = min(place, len(parts) - 1 - place) < AT_EITHER_END
        is_asked = is_at_end and len(part) <= LONGEST_QUESTION and (is_question(part) or asks_for_work(part))
        is_told_of_work = asks_for_work(part) if is_asked else is_told_of_work
        if is_asked or is_told_of_work:
            kept.add(place)
        if is_asked and place and is_question(part) and _leans(part) and len(parts[place - 1]) <= LONGEST_QUESTION:
            kept.add(place - 1)
    return " ".join(dict.fromkeys(parts[place] for place in sorted(kept))) or message


def denies_work(text: str) -> bool:
    """Whether ``text`` says nothing but that work is not to be done: “don't find anything yet”."""
    denied = _DENIED_WORK.match(text)
    return denied is not None and not text[denied.end() :].strip(" .!,;")


def _without_denied(message: str) -> str:
    """ "Explain how it works" of “Don't find companies, just explain how it works”."""
    denied = _DENIED_WORK.match(message)
    rest = message[denied.end() :].strip() if denied else ""
    return f"{rest[:1].upper()}{rest[1:]}" if is_question(rest) or asks_for_work(rest) else message


def split_asks(message: str) -> tuple[str, ...]:
    """The two or three asks of one message, each to be understood alone; the message as it is where it holds one.

    What follows an ask and asks nothing belongs to it; what stands before the first is left out.
    """
    asks: list[str] = []
    for piece in pieces_of(message):
        if _is_ask(piece) and not (asks and _is_about_work(piece, asks[-1])):
            asks.append(piece)
        elif asks:
            asks[-1] = f"{asks[-1]} {piece}"
    if not 1 < len(asks) <= MOST_ASKS:
        return (message,)
    return tuple(_naming_topic(ask, asks[:place]) for place, ask in enumerate(asks))


def questions_beside_work(message: str) -> tuple[str, ...]:
    """The questions of a message that asks for something to be done as well; none of any other message."""
    asks = split_asks(message)
    questions = tuple(ask for ask in asks if is_question(ask))
    return questions if len(questions) < len(asks) else ()


def pieces_of(message: str) -> list[str]:
    """``message`` taken apart at its sentences and at what joins two asks, each without the joint."""
    pieces = (_LEADING_JOINT.sub("", piece.strip(" ,;")) for piece in _JOINT.split(message) if piece)
    return [piece for piece in pieces if piece and not _NO_PIECE.fullmatch(piece)]


def is_question(text: str) -> bool:
    """Whether ``text`` wants to be told something: it has the mark or the form of a question, and asks for no work."""
    return not asks_for_work(text) and bool(_ASKING_MARK.search(text.rstrip()) or _QUESTION.match(text))


def asks_for_work(text: str) -> bool:
    """Whether ``text`` has the form of a request for work: “find …”, “can you draft …”."""
    return _WORK.match(text) is not None


def told_about(text: str) -> str:
    """ "deals" of “Explain deals”: the request without the words that only ask to be told; ``text`` where none are."""
    text = without_askers(text)
    rest = _ASKS_TO_BE_TOLD.sub("", text.strip())
    return rest if names_topic(rest) else text


def without_askers(text: str) -> str:
    """ "What can it do?" of “What can it do for an agency like ours?”."""
    return _FOR_ASKERS.sub("", text)


def asks_more(text: str) -> bool:
    """ "Tell me more about it", "more details?": the whole text asks for more of what was told, and names nothing."""
    return asks_further(text) or (_MORE.sub("", text).strip(" .!?,…") == "" and bool(text.strip()))


def asks_further(text: str) -> bool:
    """ "Any more?", "is that all?": whether what was told goes on."""
    return _FURTHER.fullmatch(text.strip()) is not None


def of_named(text: str) -> tuple[str, str] | None:
    """("owner", "phone number") of “What is the owner's phone number?”; None where nothing is asked of a named one."""
    found = _OF_NAMED.search(" ".join(text.replace("’", "'").split()))
    return (found["named"], found["asked"]) if found else None


def without_more(text: str) -> str:
    """``text`` without the words that only ask for more."""
    return " ".join(_MORE.sub(" ", text).split())


def offered_work(offer: str) -> str:
    """ "Find fintech companies" of “Shall I also find fintech companies?”; ``offer`` where it has no such frame."""
    work = _OFFER.sub("", offer.strip()).rstrip("?").strip()
    return f"{work[:1].upper()}{work[1:]}" if work and work != offer.strip().rstrip("?") else offer


def names_topic(text: str) -> bool:
    """Whether ``text`` has a word that says what it is about."""
    return any(word.replace("’", "'") not in STOP_WORDS for word in _WORD.findall(text.lower()))


def topic_of(question: str) -> str:
    """ "refund policy" of “What is your refund policy?”; "" where the question names no topic."""
    if named := named_first(question):
        topic = named
    elif _NAMING.match(question.strip()):
        topic = " ".join(question.split()).strip(" ?!.…")
    else:
        return ""
    while (shorter := _LEADING.sub("", topic)) != topic:
        topic = shorter
    return re.sub(r"\s+(?:mean|means|stand for)$", "", topic)


def compared_sides(question: str) -> tuple[str, ...]:
    """What is compared with what, in the person's words without articles; () where nothing is."""
    match = _COMPARED.search(" ".join(question.replace("’", "'").split()))
    sides = [side for side in match.groups() if side is not None] if match else []
    return tuple(_ARTICLE.sub("", side.strip()).strip(" ?!.") for side in sides)


def named_first(question: str) -> str:
    """ "a signal" of “Tell me what a signal is”, or ""."""
    named = _NAMED_FIRST.match(" ".join(told_about(question).split()).strip(" ?!.…"))
    return named["topic"] if named else ""


def _is_ask(piece: str) -> bool:
    return names_topic(piece) and (asks_for_work(piece) or is_question(piece))


def _leans(text: str) -> bool:
    """Whether a sentence says what it is about only together with the one before."""
    opening = " ".join(text.split()[:OPENING_WORDS])
    return not names_topic(text) or any(pattern.search(opening) for pattern in (_IT, _ITS, _THE_ONE))


def _is_about_work(piece: str, ask: str) -> bool:
    """“Research Halden and tell me who their owner is”: what the work is to find out."""
    leans = _IT.search(piece) or _ITS.search(piece)
    return bool(leans) and asks_for_work(ask) and not asks_for_work(piece)


def _naming_topic(ask: str, before: Sequence[str]) -> str:
    """“How do I promote the prospect?” for “… it?” after “What is a prospect?”."""
    topic = next((topic for topic in map(topic_of, reversed(before)) if topic), "")
    if not topic or len(topic.split()) > LONGEST_NAME:
        return ask
    owning = f"the {topic}’" if topic.endswith("s") else f"the {topic}’s"
    ask = _OURS.sub(lambda match: f"{'my' if match['mine'] else match['whose']} {topic}", ask, count=1)
    return _ITS.sub(owning, _IT.sub(f"the {topic}", ask, count=1), count=1)
