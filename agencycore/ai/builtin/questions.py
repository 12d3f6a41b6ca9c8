"""What a question asks for, read off its words."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from agencycore.ai.asked import asks_more, named_first, topic_of, without_askers
from agencycore.ai.builtin.language import WORD, content_stems, shortened, stems, words
from agencycore.ai.builtin.named_records import named_record

Shape: TypeAlias = Literal[
    "definition", "how_to", "why", "who", "when", "where", "amount", "yes_no", "overview", "open"
]

_OPENING = r"^(?:and |but |so |ok |okay |please |hi |hello |hey )*"
_OVERVIEW = re.compile(
    _OPENING + r"(?:(?:can|could|would) you )?(?:please )?"
    r"(?:(?:tell (?:me|us) )?(?:(?:something|anything|what|a bit|a little|some|any) )?(?:more|else)"
    r"(?: details?| info| information)? (?:about|on)|tell (?:me|us) (?:something |everything |all )?about|"
    r"summari[sz]e|describe|introduce|profile of|"
    r"compare (?:these|those|them|both|the two|the both)\b|"
    r"(?:give|show) me (?:an? |the )?(?:short |brief |quick )?(?:overview|summary|profile|details|rundown)|"
    r"(?:an? |the )?(?:overview|summary|details|profile) of|what do (?:we|you) know about|who is|who are|"
    r"what about|how about|more\W*$|details\W*$)"
)
_THEM = r"(?:they|them|these|those|both|the two)"
_COMPARES = re.compile(
    _OPENING + r"(?:(?:can|could|would) you )?(?:please )?(?:(?:compare|comparison of)\b|"
    rf"what(?:'s| is| are) (?:the )?(?:different|differences?) (?:between|of|about) {_THEM}\b|"
    rf"how (?:do|are) {_THEM} (?:differ|different|compare)\b)"
)
_DEFINITION = re.compile(
    _OPENING + r"(?:what(?:'s| is| are| does| do)|whats|define|explain|describe|meaning of|tell me (?:more )?about|"
    r"what(?:'s| is) the (?:meaning|definition) of|how (?:is|are) .+ defined)\b"
)
_MEANING = re.compile(r"\b(?:mean|means|meant|stand for|stands for|definition|defined|meaning)\b")
_CONSEQUENCE = re.compile(_OPENING + r"what (?:happens|will happen|happened|would happen) (?:when|if|once|after)\b")
_CHOOSES = re.compile(
    r"\b(?:which ones?|(?:which|who|each|any|either|neither|both|all) of (?:them|these|those))\b|\bboth\b"
)
_HOW_TO = re.compile(
    _OPENING + r"(?:how (?:do|does|can|could|should|would|to)\b|steps\b|(?:what are|which are|list) the steps\b|"
    r"what (?:do|should|must) (?:i|we) do\b|where (?:do|can) (?:i|we)\b)"
)
_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    (
        "why",
        re.compile(_OPENING + r"(?:why|how come|for what reason|what (?:is|was) the (?:reason|cause)|what caused)\b"),
    ),
    (
        "amount",
        re.compile(
            r"\bhow (?:many|much|big|large|long|old|often|high|far)\b|\b(?:limit|maximum|minimum|price|fee|cost|rate)\b"
        ),
    ),
    # "What happens when a deal is won?" asks for no date.
    (
        "when",
        re.compile(_OPENING + r"(?:tell me )?when\b|\b(?:since when|until when|what date|which date|how long ago)\b"),
    ),
    ("who", re.compile(r"\b(?:who|whom|whose)\b")),
    ("where", re.compile(_OPENING + r"where\b")),
)
# "How large …" asks for an amount; the passage gives the number, not the word.
_MEASURE = re.compile(r"\bhow (many|much|big|large|long|old|often|high|far|soon|fast)\b")
_YOU = re.compile(r"\b(?:can|could|do|does|are|will|would|did|have|may) you\b", re.IGNORECASE)
# "Can you explain …" asks us to, and asks nothing about us; "tell me how …" is "how …".
_ASKED_OF_YOU = re.compile(
    r"^\W*(?:please )?(?:(?:can|could|would|will) you (?:please |kindly )?(?=(?:tell|explain|describe|define|say)\b))?"
    r"(?:(?:tell me|explain|say|describe)(?: to me)? (?=(?:how|why|when|where|who|which)\b))?",
    re.IGNORECASE,
)
_LIST = re.compile(_OPENING + r"(?:which|what|list|name)(?: all)?(?: are)?(?: the)?(?: \w+){0,2} \w+s\b")
_LIMIT = re.compile(
    r"\b(?:limits?|maximum|quota) (?:on|for|of|to)\b|\b(?:is|are) [\w -]+ (?:un)?limited\b|"
    r"\bhow many [\w -]+ (?:can|may|could) (?:i|we|one|you|a member|an? organization)\b"
)
_YES_NO = re.compile(
    _OPENING + r"(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had)(?:n't)?\b"
)
_ACRONYM = re.compile(r"[A-Z0-9]{2,}")
# They open a question, also where the one before it has no mark at its end.
_OPENER_WORDS = "what who whose when where why how which is are was were do does did can could and but so any"
_OPENERS = frozenset(_OPENER_WORDS.split())
# Capitalised words that name nothing in particular inside this product.
_PLAIN = "agencycore crm icp i csv pdf faq api kyc ai url english"
_PLAIN_NAMES = frozenset(_PLAIN.split())
LONGEST_TOPIC = 80


@dataclass(frozen=True)
class Question:
    """One question of the person, made self-contained. ``about`` are labels that its subject goes by."""

    text: str
    about: tuple[str, ...] = ()

    @cached_property
    def lowered(self) -> str:
        return " ".join(self.text.lower().replace("’", "'").split())

    @cached_property
    def subject_stems(self) -> frozenset[str]:
        return frozenset(stem for label in self.about for stem in content_stems(label))

    @cached_property
    def terms(self) -> list[str]:
        """What is asked, without the subject's own name."""
        measures = stems(measure.group(1)) if (measure := _MEASURE.search(self.lowered)) else []
        return [stem for stem in content_stems(self.text) if stem not in self.subject_stems and stem not in measures]

    @cached_property
    def shape(self) -> Shape:
        if self.asks_overview:
            return "overview"
        if self.asks_definition:
            return "definition"
        found = next((shape for shape, pattern in _SHAPES if pattern.search(self.lowered)), None)
        if found is not None:
            return found
        if _HOW_TO.search(self.lowered):
            return "how_to"
        return "yes_no" if _YES_NO.search(self.lowered) else "open"

    @property
    def asks_overview(self) -> bool:
        return bool(_OVERVIEW.search(self.lowered)) or asks_more(self.text)

    @property
    def compares(self) -> bool:
        """“Compare Acme and Birch”, “compare their owners”."""
        return bool(_COMPARES.search(self.lowered))

    @cached_property
    def asks_definition(self) -> bool:
        """“What is X?” of one short term, or anything that asks for a meaning."""
        if _MEANING.search(self.lowered):
            return True
        opening = _DEFINITION.search(self.lowered)
        rest = words(named_first(self.lowered) or (self.lowered[opening.end() :] if opening else ""))
        is_specific = any(word in {"this", "that", "these", "its", "their", "his", "her", "our", "my"} for word in rest)
        return 0 < len(rest) <= 4 and not is_specific

    @property
    def asks_limit(self) -> bool:
        """“Is there a limit on …?”, “are runs limited?”: whether and how far something may be used."""
        return bool(_LIMIT.search(self.lowered))

    @property
    def chooses(self) -> bool:
        """“Which of them is in Germany?”, “is either of them a customer?”: each of several is asked about."""
        return bool(_CHOOSES.search(self.lowered))

    @property
    def asks_consequence(self) -> bool:
        """“What happens when …?”: only what is about that very event belongs to the answer."""
        return bool(_CONSEQUENCE.match(self.lowered))

    @property
    def asks_list(self) -> bool:
        """“Which stages are there?”: the answer has several parts."""
        return bool(_LIST.match(self.lowered))

    @property
    def asks_steps(self) -> bool:
        return bool(_HOW_TO.search(self.lowered))

    @cached_property
    def names(self) -> list[str]:
        """What it is about by name, as typed: capitalised words, or what stands where only a record's name can."""
        found = [match.group() for match in WORD.finditer(self.text)]
        opening = {match.group(1) for match in re.finditer(r"(?:^|[.!?]\s+)([^\W_]+)", self.text)}
        names = [word for word in found[1:] if word[0].isupper() and word not in opening]
        names = [word for word in names if word.lower() not in _PLAIN_NAMES | _OPENERS and not _ACRONYM.fullmatch(word)]
        return names or [word for word in WORD.findall(self.record_named) if word.lower() != "and"]

    @cached_property
    def record_named(self) -> str:
        """The record whose field or state is asked for, in whatever case: “halden” of “who owns halden?”."""
        return named_record(self.text)

    @property
    def topic(self) -> str:
        """The name of what is asked about, in the person's own words; "" where the question names none."""
        return shortened(topic_of(self.text), LONGEST_TOPIC)

    @property
    def gap(self) -> str:
        """What is missing where the question stays open, for ``unresolved``."""
        return self.topic or shortened(self.text.strip(" ?!."), LONGEST_TOPIC)

    @property
    def about_product(self) -> "Question":
        """The same with "you" spelled out, as the product's documents speak of it: “What can AgencyCore do?”"""
        asked = without_askers(_ASKED_OF_YOU.sub("", self.text))
        return Question(_YOU.sub(lambda match: match.group().replace("you", "AgencyCore"), asked), self.about)
