"""The words people point with: which phrases of a message stand for records, and for how many.

Pure text work. What the phrases stand for is decided in ``chat.context.reference``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agencycore.ai.measures import ORDER_WORDS

Number: TypeAlias = Literal["one", "many"]

# What members call each kind. A word that stands for several kinds lists all of them.
KIND_WORDS: dict[str, tuple[str, ...]] = {
    "company": ("company",),
    "account": ("company",),
    "customer": ("company",),
    "client": ("company",),
    "organisation": ("company",),
    "organization": ("company",),
    "firm": ("company",),
    "business": ("company",),
    "startup": ("company",),
    "person": ("person",),
    "contact": ("person",),
    "guy": ("person",),
    "prospect": ("prospect",),
    "lead": ("prospect",),
    "deal": ("deal",),
    "opportunity": ("opportunity",),
    "activity": ("activity",),
    "meeting": ("activity",),
    "call": ("activity",),
    "run": ("run",),
    "task": ("run",),
    "job": ("run",),
    "search": ("run",),
    "workflow": ("definition", "definition_draft"),
    "agent": ("definition", "definition_draft"),
    "definition": ("definition", "definition_draft"),
    "draft": ("definition_draft",),
    "record": (),  # any kind
    "one": (),
    "page": (),
}
_PLURALS = {"person": "people", "company": "companies", "opportunity": "opportunities", "activity": "activities",
            "business": "businesses", "search": "searches"}  # fmt: skip
_SINGULAR_OF = {_PLURALS.get(word, word + "s"): word for word in KIND_WORDS}
_KIND = "|".join(sorted(KIND_WORDS, key=len, reverse=True))
_KINDS = "|".join(sorted(_SINGULAR_OF, key=len, reverse=True))
# Between "this" and its noun: "this prospect company", "that workflow run", "this same deal".
_BETWEEN = rf"(?:(?:same|particular|specific|{_KIND}|last|latest|current) )?"

_CARDINALS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
             "ninth": 9, "tenth": 10, "1st": 1, "2nd": 2, "3rd": 3, "last": -1, "former": 1, "latter": -1}  # fmt: skip
_ORDINALS |= {f"{number}th": number for number in range(4, 21)}
_ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_CARDINAL = "|".join(_CARDINALS)


@dataclass(frozen=True, slots=True)
class TypedPhrase:
    """ "this company", "these deals", "the run": ``kinds`` is empty where any kind will do.

    ``is_firm`` is False for a bare article ("the company"), which may as well mean companies at large.
    """

    text: str
    kinds: tuple[str, ...]
    number: Number
    is_firm: bool


@dataclass(frozen=True, slots=True)
class OrdinalPhrase:
    """ "the second one": ``position`` counts from 1, negative from the end; 0 is "the other one"."""

    text: str
    position: int
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BarePhrase:
    """ "it", "she", "both": ``is_person`` is None where either will do. ``count`` is 2 where "both" stands alone.

    ``of_several``: one record alone is not meant; ``is_firm``: that there are several is said ("which of them",
    "both"), and not only likely ("which one is bigger?").
    "them" is one: a company is spoken of as "they", and several records ask for "these" or "all of them".
    """

    text: str
    number: Number
    is_person: bool | None
    count: int | None = None
    of_several: bool = False
    is_firm: bool = False
    kinds: tuple[str, ...] = ()


_TWO = "(?:both|the two|(?:these|those) two)"
# "Both leads and prospects" are no two records.
_BESIDE_ANOTHER = r" (?:[\w-]+ ){1,3}and\b"
_FIRM = re.compile(rf"\b(?:this|that|the same|the current|said) (?P<between>{_BETWEEN})(?P<kind>{_KIND})\b(?! of\b)")
_LOOSE = re.compile(
    rf"\b(?:the|its|their|his|her) (?P<between>)(?P<kind>{_KIND})\b(?! (?:that|which|who|whose|with|where)\b)"
)
_FIRM_PLURAL = re.compile(
    rf"\b(?:these|those|both(?!{_BESIDE_ANOTHER})|all(?: of)?(?: the| these| those)?|the (?:two|three|four|five))"
    r"(?: (?:two|three|four|five|of the|of these|of those))? "
    rf"(?P<between>)(?P<kinds>{_KINDS})\b"
)
_ORDINAL_PHRASE = re.compile(
    rf"\b(?:the |that |option |number |no |item )?(?P<ordinal>{_ORDINAL})"
    rf"(?: (?P<kind>{_KIND}|option|item|result|entry|candidate|choice))?\b"
)
# "And the first?" says nothing beside its ordinal.
_BEFORE_ORDINAL = re.compile(r"^(?:(?:and|or|but|so|ok|okay|what about|how about) )+")
_NUMBERED = re.compile(
    rf"\b(?:option|number|no|item|choice|result) (?P<number>\d{{1,2}}|{_CARDINAL})\b|#(?P<hash>\d{{1,2}})\b"
)
_OTHER = re.compile(rf"\bthe other (?:(?P<kind>{_KIND}))?\b")
_ONLY_NUMBER = re.compile(rf"(?P<number>\d{{1,2}}|{_CARDINAL})[.)]?")
# A pronoun, and not the article of a noun ("this company") or a joint ("the deal that closed"): what
# follows is the end, a small word, or a verb.
_AFTER_PRONOUN = (
    "a|an|the|in|on|at|for|to|from|with|and|or|but|as|by|again|now|today|still|already|yet|ever|please|so|too|then|"
    "mean|means|happen|happens|happened|stop|stopped|fail|failed|work|works|worked|change|changed|marked|waiting|"
    "end|ended|start|started|run|running|done|finished|here|there|about|over|off|because|if|when|while|not|"
    "instead|first|later|until|since|before|after"
)
# "Both are customers", and not the one word of "both fields".
_AFTER_TWO = f"{_AFTER_PRONOUN}|is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|close|both"
_BARE_PLURAL = re.compile(
    rf"\b(?P<both>{_TWO}(?: of (?:them|these|those))?(?=$| (?:{_AFTER_TWO})\b)|them both)\b|"
    r"\b(?P<several>(?:each|either|neither|which|who) of (?:them|these|those)|compare their|"
    r"(?:compare|rank|sort|between|among) them|how (?:do|are) they (?:differ|different|compare)|"
    r"(?:are|do|did|have|were) they (?:(?!the\b)\w+ ){0,2}the same)\b|"
    rf"\b(?P<choice>{_TWO}\b(?!{_BESIDE_ANOTHER})|"
    r"which ones?(?= (?:is|are|was|were|has|have|had|does|did|would|will|closes?|scores?)\b)|"
    rf"(?:which|who)(?= (?:has|have|had|is|are|was|were) (?:the )?(?:{ORDER_WORDS})\b)|"
    r"which(?= (?:is|are|was|were|has been|have been) \w+ (?:last|first)\b)|"
    rf"which (?P<ranked>{_KIND})(?= (?:[\w'-]+ ){{0,3}}(?:{ORDER_WORDS})\b)|"
    rf"^(?:(?:and|or|but|so|then|what about|how about) )*the (?:{ORDER_WORDS})\b(?! of\b))|"
    r"\b(?:these|those|all of (?:them|these|those)|(?:some|none|most|any|one|how many) of (?:them|these|those)|"
    r"list them|they all|them all)\b|"
    rf"\b(?:are|were) they (?:{_KINDS})\b"
)
_BARE_THEY = re.compile(r"\b(?:they|them|their|theirs)\b")
_BARE_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers)\b")
_BARE_THING = re.compile(
    rf"\b(?:it|its|itself)\b|\b(?:this|that)(?=$| (?:{_AFTER_PRONOUN})\b)|"
    r"\bthis (?:is|was|has)\b|^that (?:is|was|has)\b"
)
_DUMMY = re.compile(
    r"\b(?:is|was|would|will|does|can|could|should) it (?:be )?(?:possible|ok|okay|make sense|matter|allowed|"
    r"true|safe|take|cost)\b|"
    r"\b(?:it|this|that)(?: is|'s| was)? (?:depends|seems|looks like|possible|raining|snowing)\b|\bthat(?: is|"
    r"'s) (?:all|it)\b|"
    r"\b(?:this|that|these|those) (?:week|month|year|quarter|morning|afternoon|evening|time|way|kind|sort|chat|"
    r"conversation|question|case|point)\b|"
    r"\bhow (?:is|s) it going\b|\bthose who\b|\bso that\b|\blike that\b"
)
_ELLIPTIC = re.compile(
    r"(?:(?:and|but|so|ok) )*"
    r"(?:why(?: not)?|how come|since when|until when|how (?:much|many|long|often)|by whom|when|who)"
)
# "What can you do here?" asks about the product, not about the page.
_HERE = re.compile(r"\bhere\b")
_YOU_OR_PRODUCT = re.compile(r"\byou\b|\b(?:agent|workflow|capabilit)\w*\b")
_COMPARES = re.compile(r"\b(?:compar(?:e|es|ed|ing|ison)|versus|vs|than|differences? between|differs? from)\b")
_SPACES = re.compile(r"\s+")


def plain(message: str) -> str:
    """The message on one line, in lower case, quotes and sentence marks gone; ``#2`` stays."""
    lowered = message.lower().replace("’", "'")
    return _SPACES.sub(" ", re.sub(r"[^\w#'.)-]|(?<!\d)[.)]", " ", lowered)).strip()


def find_ordinals(message: str, *, is_choice: bool) -> list[OrdinalPhrase]:
    """Phrases that count. A bare number or a bare ordinal counts only where choices are on offer."""
    text = plain(message)
    alone = _BEFORE_ORDINAL.sub("", text).rstrip(" ?.!")
    found = list(_numbered(text, is_choice=is_choice))
    for match in _ORDINAL_PHRASE.finditer(text):
        counted = match["kind"] is not None or is_choice or match.group() == alone
        if not counted and match["ordinal"] not in ("former", "latter"):
            continue
        if match["ordinal"] == "last" and match["kind"] in _LAST_IS_NEWEST:
            continue
        found.append(OrdinalPhrase(match.group().strip(), _ORDINALS[match["ordinal"]], _kinds_of(match["kind"])))
    found += [OrdinalPhrase(m.group().strip(), 0, _kinds_of(m["kind"])) for m in _OTHER.finditer(text) if m["kind"]]
    return found


# "the last activity", "the last run" mean the newest, not the end of a list.
_LAST_IS_NEWEST = frozenset(KIND_WORDS) - {"one"}


def _numbered(text: str, *, is_choice: bool) -> Iterator[OrdinalPhrase]:
    for match in _NUMBERED.finditer(text):
        yield OrdinalPhrase(match.group(), _number(match["number"] or match["hash"]), ())
    if is_choice and (alone := _ONLY_NUMBER.fullmatch(text)):
        yield OrdinalPhrase(alone["number"], _number(alone["number"]), ())


def _number(word: str) -> int:
    return _CARDINALS.get(word) or int(word)


def _kinds_of(word: str | None) -> tuple[str, ...]:
    return KIND_WORDS.get(word or "", ())


def find_typed(message: str) -> list[TypedPhrase]:
    """Phrases with a kind's name, firm ones first."""
    text = plain(message)
    many = [
        TypedPhrase(m.group(), KIND_WORDS[_SINGULAR_OF[m["kinds"]]], "many", True) for m in _FIRM_PLURAL.finditer(text)
    ]
    one = [TypedPhrase(m.group(), KIND_WORDS[m["kind"]], "one", True) for m in _FIRM.finditer(text)]
    loose = [
        TypedPhrase(m.group(), KIND_WORDS[m["kind"]], "one", False)
        for m in _LOOSE.finditer(text)
        if KIND_WORDS[m["kind"]]
    ]
    return [*one, *many, *loose]


def find_bare(message: str) -> BarePhrase | None:
    """The first pronoun that may stand for records, plurals before singulars."""
    text = _DUMMY.sub(" ", plain(message))
    if match := _BARE_PLURAL.search(text):
        is_firm = bool(match["both"] or match["several"])
        count = 2 if match["both"] else None
        return BarePhrase(
            match.group(),
            "many",
            None,
            count,
            of_several=is_firm or bool(match["choice"]),
            is_firm=is_firm,
            kinds=_kinds_of(match["ranked"]),
        )
    if match := _BARE_THEY.search(text):
        return BarePhrase(match.group(), "one", None)
    if match := _BARE_PERSON.search(text):
        return BarePhrase(match.group(), "one", True)
    if match := _BARE_THING.search(text):
        return BarePhrase(match.group(), "one", False)
    return None


def find_elliptic(message: str) -> str:
    """The whole message where it is a bare question word ("Since when?"), else ""."""
    text = plain(message)
    return text if _ELLIPTIC.fullmatch(text) else ""


def compares(message: str) -> bool:
    """Whether the message sets records beside each other."""
    return _COMPARES.search(plain(message)) is not None


def says_here(message: str) -> bool:
    text = plain(message)
    return _HERE.search(text) is not None and _YOU_OR_PRODUCT.search(text) is None


def names_kind_after(message: str, name: str) -> tuple[str, ...]:
    """The kinds of the word right after ``name``: "the Acme deal" means a deal."""
    match = re.search(rf"{re.escape(plain(name))}(?:'s)? (?P<kind>{_KIND})\b", plain(message))
    return _kinds_of(match["kind"]) if match else ()
