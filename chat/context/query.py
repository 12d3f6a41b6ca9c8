"""The words to search with: the message made self-contained, in code.

A message that leans on what was said before is searched together with it; records it points at are
named; the answer to a question of ours is searched with the question it was asked about.
"""

import re
from collections.abc import Sequence

from agencycore.ai.asked import (
    MOST_ASKS,
    asked_part,
    asks_more,
    compared_sides,
    is_question,
    names_topic,
    split_asks,
    told_about,
    without_more,
)
from agencycore.ai.beside_stop import asks_apart_from_stop
from agencycore.ai.types import MessageClass, Reference
from chat.context.history import History
from chat.context.pointing import find_bare, find_ordinals, find_typed, plain
from chat.context.reference import pick_option
from knowledge.languages import stop_words

QUERY_MAX_LENGTH = 2_000
# A message with a pronoun for the topic leans on it only if it is short.
LEANING_WORDS = 12
SHORT_WORDS = 2

_OPENERS = re.compile(
    r"(?:and|or|but|also|then|so|ok(?:ay)?|yes|no|what about|how about|what if|what else|anything else|"
    r"something else|"
    r"any (?:more|other|others)|anything more|more|tell me more|go on|continue|why|why not|how so|how come|"
    r"since when|"
    r"until when|which ones?|the (?:first|second|third|last|other|former|latter)|same|another|others?|else|instead|"
    r"for example|such as|like what|really|is that|are those|does that|do those|who else|where else|when else)\b"
)
_CHOICE = re.compile(r"which ones? ")
# "Tell me more about this company" asks for everything that is known of what it names.
_MORE_ABOUT = re.compile(
    r"(?:(?:and|but|so|then|ok|okay|please|(?:can|could|would) you)\b ?)*"
    r"(?:(?:tell|show|give) (?:me|us) |is there |know )?(?:a bit |a little |some |any )?"
    r"(?:(?:some|any|no)thing |what )?(?:more|else)(?: details?| info| information)? (?:about|on|of) (?P<named>.+)"
)
_POINTING = re.compile(r"(?:this|that|these|those|the (?:first|second|third|last|other)|its|their|his|her)\b")
_WHOLE_FOLLOW_UPS = re.compile(
    r"(?:(?:yes|yeah|yep|yup|no|nope|ok|okay|sure|right|exactly|correct|please|please do|do it|go ahead|go on|"
    r"continue|"
    r"yes please|yes do it|yes go ahead|sounds good|why|why not|how|how so|how come|when|where|who|whom|whose|which|"
    r"which one|which ones|how much|how many|how long|how often|since when|until when|by whom|for whom|with whom|"
    r"what else|anything else|something else|more|any more|anymore|some more|tell me more|more details?|details|"
    r"details please|"
    r"examples?|an example|for example|like what|such as|really|are you sure|is that all|the rest|others|next|and|so|"
    r"explain|elaborate|can you explain|can you elaborate|both|neither|all|all of them|none|either|any|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|yesterday|tomorrow|"
    r"(?:last|this|next) (?:week|month|quarter|year)|\d+) ?)+"
)
_QUESTION_OPENING = re.compile(
    r"(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|"
    r"has|have|"
    r"show|tell|list|give|find|create|make|explain|describe|run|start|stop|cancel)\b"
)
_BEFORE_QUESTION = re.compile(r"(?:(?:so|ok|okay|well|hm+|thanks)\b\s*)+")
STAND_ALONE_WORDS = 4
# What is compared goes by a name.
SIDE_WORDS = 4
# Nouns that name no topic: "Which kinds are there?" asks for kinds of what was spoken of.
_TOPICLESS_WORDS = """
kind kinds type types sort sorts example examples one ones way ways detail details case cases exception exceptions
difference differences reason reasons else
"""
_TOPICLESS = frozenset(_TOPICLESS_WORDS.split())
# "Can I add one myself?": one of what was spoken of.
_ONE_OF_THEM = re.compile(
    r"\b(?:add|create|make|get|have|see|use|find|need|change|delete|remove) (?:one|some|any)\b(?! of\b)"
)
_QUESTION_WORDS = frozenset({"what", "how", "who", "which", "where"})
# Of shorter ones ("Why?", "Who is?") nobody knows what they ask.
FEWEST_WORDS = 3
_USE_WORDS = "get getting got start started work works go going help"
_ANY_USE = frozenset(_USE_WORDS.split())
_PEOPLE_WORDS = "we us our he she they him her them his hers their theirs who whom whose"
_PEOPLE = frozenset(_PEOPLE_WORDS.split())
ENGLISH = "english"
OUR_NAME = "AgencyCore"
_ADDRESS = frozenset({"you", "yourself"})
# "What are you doing?" is of what was asked for, "what do you do with it?" of what was spoken of.
_ELSE_WORDS = "did done doing had has have having been was were it its this that these those they them about else more"
_OF_SOMETHING_ELSE = frozenset(_ELSE_WORDS.split())
_OPENING_WORDS = """
and but so then ok okay hi hello hey thanks please well just only explain describe tell show me us
"""
_BEFORE_ASKING = frozenset(_OPENING_WORDS.split())


def build_query(*, message: str, message_class: MessageClass, reference: Reference, history: History) -> str:
    """What to search for, or "" where there is nothing to search for: only an ordinary message asks something.

    Of a long message it is what is asked there.
    """
    if message_class != "ordinary":
        return ""
    message = asked_part(message)
    background = _background(message, reference, history)
    parts = [*background, _naming_us(message)]
    is_first = not history.questions and not reference.refs and _is_of_nothing_named(message)
    if not any(background) and (is_first or _asks_of_here(message)):
        parts.append(OUR_NAME)
    parts += [ref.label for ref in reference.refs if reference.status == "resolved"]
    return _join(parts)


def _naming_us(message: str) -> str:
    """A question of nothing but "you" asks about the product: "What can you do?" is searched by its name."""
    if not asks_of_us(message):
        return message
    return " ".join(OUR_NAME if word in _ADDRESS else word for word in _asking_words(message))


def asks_of_us(message: str) -> bool:
    """Whether the message is a whole question of nothing but "you": "What can you do for me?", not "Can you do it?"."""
    words = _asking_words(message)
    if len(words) < FEWEST_WORDS or words[0] not in _QUESTION_WORDS or not _ADDRESS.intersection(words):
        return False
    return not set(words) & _OF_SOMETHING_ELSE and set(words) <= _ADDRESS | stop_words(ENGLISH) | _ANY_USE


def _asking_words(message: str) -> list[str]:
    """The message's words from the one on that asks: without "so", "hi" and the like before it."""
    words = plain(message).strip(" .?!").split()
    return words[next((place for place, word in enumerate(words) if word not in _BEFORE_ASKING), 0) :]


def _asks_of_here(message: str) -> bool:
    """ "What can I do here?" names the product by the place, whatever was spoken of."""
    return "here" in _asking_words(message) and _is_of_nothing_named(message)


def _is_of_nothing_named(message: str) -> bool:
    """ "How do I get started?", "What is this?": a first question without a topic is about the product."""
    words = _asking_words(message)
    is_asked = len(words) >= FEWEST_WORDS and words[0] in ("what", "how", "where")
    return is_asked and set(words) <= (stop_words(ENGLISH) | _ANY_USE) - _PEOPLE


def searches_of(query: str, message: str) -> tuple[str, ...]:
    """What is searched for: the query; where the message holds several asks, a question among them, each of these.

    So is each ask beside a run to be stopped. Of a comparison both sides are searched as well. The records that the
    query names beside the message go with each ask. What leans on something said before is one search.
    """
    asked = asked_part(message)
    before, found, named = query.partition(" ".join(asked.split()))
    if before and asks_more(asked):
        query = without_more(before) or query  # those words would find what speaks of details
    if not found or before:
        return (told_about(query),)
    if beside := asks_apart_from_stop(asked)[:MOST_ASKS]:
        return tuple(map(told_about, beside))
    asks = split_asks(asked)
    if len(asks) > 1 and any(map(is_question, asks)):
        return tuple(f"{told_about(ask)}{named}" for ask in asks)
    sides = compared_sides(asked) if not named else ()
    is_short = all(side and len(side.split()) <= SIDE_WORDS for side in sides)
    return (told_about(query), *(f"What is {side}?" for side in sides if is_short))


def is_follow_up(message: str, *, reference: Reference) -> bool:
    """Whether the message says too little to be searched alone."""
    text = plain(message).strip(" .")
    words = text.split()
    if not words or _WHOLE_FOLLOW_UPS.fullmatch(text):
        return True
    if len(words) > LEANING_WORDS or asks_of_us(message) or _asks_of_here(message):
        return False
    if more := _MORE_ABOUT.fullmatch(text):
        return reference.status != "resolved" and not _is_named(more["named"])
    if _OPENERS.match(text) and not _stands_after_opener(text):
        return not _chooses(text, reference)
    if find_ordinals(message, is_choice=False) or _names_no_topic(text):
        return True
    return reference.status != "resolved" and find_bare(message) is not None


def _is_named(words: str) -> bool:
    """Whether ``words`` name something themselves, or a record by its kind: not "it", not "that rule"."""
    if any(phrase.is_firm for phrase in find_typed(words)):
        return True
    return names_topic(words) and not _POINTING.match(words)


def _chooses(text: str, reference: Reference) -> bool:
    """ "Which one is a customer?" of several records asks something of its own about them."""
    opener = _CHOICE.match(text)
    return opener is not None and len(reference.refs) > 1 and not _names_no_topic(text[opener.end() :])


def _names_no_topic(text: str) -> bool:
    words = set(text.rstrip("?").split()) - stop_words(ENGLISH)
    return words <= _TOPICLESS or _ONE_OF_THEM.search(text) is not None


def stands_alone(message: str) -> bool:
    """Whether the message is a question or request of its own, so that it leaves a question of ours aside."""
    text = _BEFORE_QUESTION.sub("", plain(message))
    return len(text.split()) >= STAND_ALONE_WORDS and _QUESTION_OPENING.match(text) is not None


def _stands_after_opener(text: str) -> bool:
    """ "And what is lifecycle stage?" opens like a follow-up and is a question of its own."""
    opener = _OPENERS.match(text)
    rest = text[opener.end() :].strip() if opener else text
    return stands_alone(rest) and find_bare(rest) is None


def _background(message: str, reference: Reference, history: History) -> list[str]:
    pending = history.pending
    if pending is not None and not _leaves_clarify(message, history):
        picked = pick_option(message, pending.options)
        asked = _self_contained(pending.original, history.questions)
        return [asked, pending.question, *([picked.label] if picked else [])]
    if is_follow_up(message, reference=reference):
        return [previous_question(history.questions)]
    return []


def _leaves_clarify(message: str, history: History) -> bool:
    options = history.pending.options if history.pending else ()
    return stands_alone(message) and pick_option(message, options) is None


def previous_question(questions: Sequence[str]) -> str:
    """The newest question that stands alone, with the follow-ups since; ``questions`` are newest first."""
    leaning: list[str] = []
    for question in questions:
        leaning.append(question)
        if not is_follow_up(question, reference=Reference("not_needed")):
            break
    return " ".join(reversed(leaning))


def _self_contained(question: str, questions: Sequence[str]) -> str:
    if not is_follow_up(question, reference=Reference("not_needed")):
        return question
    earlier = questions[questions.index(question) + 1 :] if question in questions else ()
    return f"{previous_question(earlier)} {question}".strip()


def _join(parts: Sequence[str]) -> str:
    """The parts one after the other, none twice; the message, which stands late, is kept whole first."""
    kept: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if part and not any(part.lower() in other.lower() for other in kept):
            kept = [other for other in kept if other.lower() not in part.lower()] + [part]
    return " ".join(kept)[-QUERY_MAX_LENGTH:]
