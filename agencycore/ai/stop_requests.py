"""Whether a message asks for work to be stopped, read by what validates a model's reply and by the built-in responder.

A stop cannot be undone, so only a clear request counts: said by the person now, not denied, not quoted, on no
condition and for no later time, and of something that can be a run. In doubt nothing is stopped.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agencycore.ai.stop_phrases import (
    BARE_NOUN,
    BARE_VERBS,
    BEFORE_DENIAL,
    CONDITION,
    COURTESY,
    DENIAL,
    DENIED_STOP,
    DENIES,
    DROPPED,
    FOR_NOW,
    FOREIGN_OBJECTS,
    FOREIGN_OPENINGS,
    FOREIGN_REQUEST,
    FOREIGN_VERBS,
    GENERAL_WORDS,
    GERUND,
    GOES_ON,
    HESITATION,
    IF_YOU_PLEASE,
    KEPT,
    NOT_NEEDED,
    OBJECT,
    OPENER,
    PERMISSION,
    POLITE_QUESTION,
    PRONOUNS,
    QUESTION,
    QUOTED,
    REASON,
    REFUSES,
    REPEATED,
    REPORTED,
    RETRACTION,
    SAID_BY_ME,
    SMALL_WORDS,
    SPLIT_VERB,
    STATE_WANTED,
    THEN,
    TRAILING,
    UNDERSTOOD,
    VERB,
    WHICH_TO_STOP,
)
from agencycore.ai.types import BriefItem, ContextBrief

# What stands inside a longer message may be pasted, and is no request of the person.
PLAIN_REQUEST_LENGTH = 300

_SPANS = re.compile(
    r"```.*?```|`[^`]+`|\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|‘[^’]+’(?!\w)|(?<!\w)'[^']{2,}'(?!\w)", re.DOTALL
)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_OPEN_QUOTE = re.compile(r"[\"“”„«»`]")
_SENTENCE_END = re.compile(r"(?<=[.!?…;。！？])\s+|\s*\n\s*")
_CLAUSE_END = re.compile(r"\s*[,;–—]\s*|\s+-+\s+")
# More are a list, and not a request.
_MOST_CLAUSES = 20
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Sentence:
    clauses: tuple[str, ...]
    is_question: bool


def asks_to_stop(message: str, names: Iterable[str] = ()) -> bool:
    """Whether the message clearly asks for a run to be stopped; ``names`` are those of runs and of their work."""
    text = _unquoted(message)
    if _OPEN_QUOTE.search(text) or DENIED_STOP.search(text):
        return False
    known = frozenset(_singular(word) for name in names for word in _WORD.findall(name.lower()))
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    if len(message) > PLAIN_REQUEST_LENGTH:
        sentences = [*sentences[:1], *sentences[1:][-1:]]
        if any("?" in sentence and not _requests(sentence, known) for sentence in sentences):
            return False
    return any(
        _requests(sentence, known)
        and not (place and THEN.match(sentence))
        and not _is_in_doubt(sentences[max(place - 1, 0) : place + 2])
        for place, sentence in enumerate(sentences)
    )


def wants_stop(brief: ContextBrief, asked_back: BriefItem | None) -> bool:
    """Whether the brief's message asks for it, or chooses a run in answer to ``asked_back``, a question of ours."""
    names = names_of_work(brief)
    if asks_to_stop(brief.message, names):
        return True
    if asked_back is None:
        return False
    options = asked_back.payload.get("options")
    labels = [str(option.get("label", "")) for option in options] if isinstance(options, list) else []
    is_about_stopping = asks_to_stop(str(asked_back.payload.get("original") or ""), names)
    question = str(asked_back.payload.get("question") or asked_back.text)
    return (is_about_stopping or asks_which_to_stop(question)) and picks_plainly(brief.message, labels)


def lets_go_on(message: str, names: Iterable[str] = ()) -> bool:
    """Whether all that the message says is that nothing is to be stopped: “don't stop it”, “let it run”."""
    text = BEFORE_DENIAL.sub("", _unquoted(message)).strip(" .!")
    denied = DENIAL.sub("", text)
    return KEPT.fullmatch(text) is not None or (denied != text and asks_to_stop(denied, names))


def drops_it(message: str) -> bool:
    """Whether all that the message says is that what was said before is to be left: “never mind”."""
    return DROPPED.fullmatch(BEFORE_DENIAL.sub("", _unquoted(message)).strip(" .!")) is not None


def asks_which_to_stop(question: str) -> bool:
    """Whether a question of ours asks which run is to be stopped."""
    return WHICH_TO_STOP.search(question) is not None


def picks_plainly(reply: str, labels: Iterable[str]) -> bool:
    """Whether the reply to that question chooses: an option word for word, or words that neither deny nor ask."""
    said = " ".join(reply.lower().split()).rstrip(" .!")
    if said in {" ".join(label.lower().split()).rstrip(" .!") for label in labels}:
        return True
    text = _unquoted(reply)
    return not (
        REFUSES.search(text) or CONDITION.search(text) or REPORTED.search(text) or QUESTION.match(text) or "?" in text
    )


def names_of_work(brief: ContextBrief) -> list[str]:
    """What the brief's runs and the work that can be asked for are called; what a run is for is no name of it."""
    runs = [item for item in brief.items if item.kind == "run"]
    called = [str(run.payload.get("definition") or run.label) for run in runs]
    return [*called, *(item.label for item in brief.of("capabilities"))]


def _unquoted(message: str) -> str:
    """In lower case and with plain apostrophes; every quotation is one word, which asks for nothing."""
    text = _SPANS.sub(f" {QUOTED} ", _QUOTED_LINE.sub(" ", message)).lower().replace("’", "'")
    return re.sub(r"[^\S\n]+", " ", text).strip()


def _is_in_doubt(around: Collection[str]) -> bool:
    """Whether a condition or a time is set, what others say is told, or the request is taken back."""
    text = " ".join(IF_YOU_PLEASE.sub("", OPENER.sub("", sentence)) for sentence in around)
    return bool(CONDITION.search(text) or REPORTED.search(SAID_BY_ME.sub("", text)) or RETRACTION.search(text))


def _requests(text: str, names: frozenset[str]) -> bool:
    if _requests_in_another_language(text):
        return True
    is_question = "?" in text
    body = IF_YOU_PLEASE.sub("", text.strip(" .!?…;"))
    clauses = tuple(clause for clause in _CLAUSE_END.split(body, _MOST_CLAUSES) if clause)
    sentence = _Sentence(clauses, is_question)
    return any(
        _is_request(sentence, place, names) and _leads_to_request(clauses[:place]) for place in range(len(clauses))
    )


def _leads_to_request(before: Iterable[str]) -> bool:
    """Whether what stands before the request in its sentence leaves it as it is: “do not, ever, stop it”."""
    told = [clause for clause in before if not (NOT_NEEDED.fullmatch(clause) or HESITATION.fullmatch(clause))]
    return not any(DENIES.search(clause) or QUESTION.match(clause) for clause in told)


def _is_request(sentence: _Sentence, place: int, names: frozenset[str]) -> bool:
    after = sentence.clauses[place + 1 :]
    if (place and THEN.match(sentence.clauses[place])) or (after and GOES_ON.match(after[0])):
        return False
    if after and _without_trailing(after[0]) and not _is_led_to(sentence.clauses[:place]):
        return False  # one of a list, or words about which something is said
    clause = COURTESY.sub("", sentence.clauses[place])
    opened = OPENER.match(clause)
    if sentence.is_question and not POLITE_QUESTION.match(clause):
        return False
    wanted = STATE_WANTED.fullmatch(_without_trailing(clause))
    if wanted:
        return _can_be_run(wanted["object"], names, is_general=False)
    if not opened and (permitted := PERMISSION.match(clause)):
        is_for_now = any(FOR_NOW.search(said) for said in sentence.clauses[place:])
        opened = permitted if is_for_now and not UNDERSTOOD.match(sentence.clauses[place]) else None
    rest = COURTESY.sub("", clause[opened.end() :] if opened else clause)
    rest = REPEATED.sub(r"\1", SPLIT_VERB.sub(r"\1 \3 \2", rest))
    verb = (GERUND if opened and opened.group().rstrip().endswith("mind") else VERB).match(rest)
    if verb is None:
        return False
    thing = _without_trailing(REASON.sub("", rest[verb.end() :]))
    if not thing:
        is_urged = "please" in clause or not sentence.is_question
        return verb.group().strip() in BARE_VERBS and is_urged and _stands_bare(sentence, place)
    return _can_be_run(thing, names, is_general=sentence.is_question)


def _stands_bare(sentence: _Sentence, place: int) -> bool:
    """Whether a verb without an object is the message's own, and not one word of a list."""
    before, after = sentence.clauses[:place], sentence.clauses[place + 1 :]
    return _is_led_to(before) and (
        not after or bool(re.match(r"(?:this|that|it|i|we|you|please|now|thanks?)\b", after[0]))
    )


def _is_led_to(before: Iterable[str]) -> bool:
    return all(HESITATION.fullmatch(clause) or NOT_NEEDED.fullmatch(clause) for clause in before)


def _without_trailing(text: str) -> str:
    while (cut := TRAILING.sub("", text)) != text:
        text = cut
    return text.strip()


def _can_be_run(thing: str, names: frozenset[str], *, is_general: bool) -> bool:
    """``is_general``: asked for in a question, where “runs” or “all runs” may mean any there will ever be."""
    if thing in PRONOUNS:
        return True
    found = OBJECT.fullmatch(thing)
    if found is None:
        return _is_named(thing, names)
    if found["noun"] is None:
        return True
    before = found["before"].split()
    if found["determiner"]:
        return not is_general or found["determiner"].strip() not in ("all", "every", "each")
    is_one = BARE_NOUN.fullmatch(found["noun"]) is not None
    return is_one and (bool(before) or not is_general) and all(_singular(word) in names for word in before)


def _is_named(thing: str, names: frozenset[str]) -> bool:
    said = {_singular(word) for word in _WORD.findall(thing)} - SMALL_WORDS
    return bool(said - GENERAL_WORDS) and said <= names | GENERAL_WORDS


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _requests_in_another_language(text: str) -> bool:
    """Short and plain, all of its words known: what is not read well is not taken for a request."""
    if FOREIGN_REQUEST.fullmatch(text):
        return True
    words = [word for word in re.findall(r"[^\W_]+", text) if word not in FOREIGN_OPENINGS]
    if "?" in text or not words or words[0] not in FOREIGN_VERBS:
        return False
    return all(word in FOREIGN_OBJECTS for word in words[1:])
