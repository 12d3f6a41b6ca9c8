"""Answers from the fields of records: which fields a question asks for, and how they read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.field_words import family_name, field_sentence, is_missing, when_words
from agencycore.ai.builtin.language import content_stems, human_date, sentences, stem, stems, stop_stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import Found, cited, cited_sentences, reports
from agencycore.ai.types import BriefItem
from agencycore.refs import ProjectedField

# Measured on the fields of the CRM's readers; see docs/engineering/builtin.md.
STRONG_FIELD = 0.42
WEAK_FIELD = 0.22
# Where a word points at the record and every word of the question is about its fields.
POINTED_FIELD = 0.35
NEAR_BEST = 0.75
OVERVIEW_FIELDS = 9
LISTED_FIELDS = 5

# Words for the same thing. A field that is called by one of them answers a question that uses another.
_SYNONYMS = tuple(
    frozenset(stems(group))
    for group in (
        "owner own owns owned responsible manager looks charge handles manages assigned",
        "contact talk talked spoke speak spoken call called meeting meet met touch reached heard discuss "
        "discussed wrote",
        "activity activities happened event interaction timeline",
        "change changed changes new news update updated history different edited modified",
        "stage status state phase",
        "amount value worth price size revenue volume money currency",
        "close closes closing closed signing deadline",
        "industry sector business branch field",
        "country located based headquarters location city region",
        "size employees headcount big large staff people",
        "domain website site url web homepage",
        "reason cause why because come",
        "match matches matching fit fits icp ideal qualify",
        "score rating points rank ranking",
        "evidence based basis supports support proof behind",
        "signal signals trigger intent",
        "deal deals pipeline sale sales",
        "email e-mail mail address",
        "title role position job",
        "company employer works work firm",
        "review waiting pending approval wait",
        "promote promoted promotion move convert",
        "found find discovered source",
        "tool tools use uses",
        "step steps stage stages happens",
        "memory remember remembers keep keeps",
        "write writes written data changes",
        "result results output outcome found",
    )
)
_WEAK_WORDS = {
    **dict.fromkeys(stems("why who whom whose where when how since"), 0.35),
    **dict.fromkeys(stems("last latest recent recently lately new newest now current currently first"), 0.4),
    **dict.fromkeys(stems("long much many big"), 0.5),
}
_JOINED = re.compile(r"\s*,?\s+and\s+|\s*,\s+", re.IGNORECASE)
_STAGE = re.compile(r"\b(?:stage|state)$")
_STATES = frozenset(stems("lead prospect opportunity customer disqualified won lost approved rejected"))
_PEOPLE = frozenset(stems("people contacts employees team members persons"))
_NUMBERED = re.compile(r";\s+(?=\d{1,2}\. )")
_ONLY_LAST = re.compile(r"\b(?:last|latest|newest|most recent)\b(?!\s+(?:few|\d|two|three|four|five))")
_ONLY_FIRST = re.compile(r"\b(?:strongest|highest|best|main|weightiest)\b")
_SEVERAL = re.compile(r"\b(?:activities|changes|contacts|events|timeline|history|recently|lately|few)\b")


@dataclass(frozen=True, slots=True)
class Family:
    """The fields of one record that say the same kind of thing: “Last change” and every “Earlier change”."""

    name: str
    fields: tuple[ProjectedField, ...]

    @property
    def first(self) -> ProjectedField:
        return self.fields[0]

    @property
    def is_missing(self) -> bool:
        return all(is_missing(field.value) for field in self.fields)


def families_of(item: BriefItem) -> list[Family]:
    named = ((family_name(field.name), field) for field in item.fields)
    return [
        Family(name, tuple(field for _, field in group)) for name, group in groupby(named, key=lambda pair: pair[0])
    ]


def answer_from_records(question: Question, items: Sequence[BriefItem], *, kind_word: str = "") -> Found | None:
    """What the records say to the question, or None where they hold no such thing."""
    parts = [part for item in items if item.fields for part in [_answer_from_record(question, item, kind_word)] if part]
    if not parts:
        return None
    text = "\n".join(f"- {part.text}" if "\n" not in part.text else part.text for part in parts)
    return Found(
        text=parts[0].text if len(parts) == 1 else text,
        strength=max(part.strength for part in parts),
        missing=tuple(missing for part in parts for missing in part.missing),
    )


def answer_as_of_others(question: Question, items: Sequence[BriefItem], others: Sequence[BriefItem]) -> Found | None:
    """What ``items`` have in the field whose value the question names and that only some of ``others`` hold.

    “Which of them is in Germany?” asks for the country of each; None where the question has a field's own words.
    """
    asked = _value_asked(question, others)
    if not asked or not any(asked != _value_asked(question, [item]) for item in items):
        return None
    held = [(_harmless(item), family) for item in items for family in families_of(_harmless(item))]
    told = [_family_words(question, item, family) for item, family in held if family.name == asked]
    if not told:
        return None
    return Found("\n".join(f"- {line}" for line in told) if len(told) > 1 else told[0], 1.0)


def _value_asked(question: Question, items: Sequence[BriefItem]) -> str:
    """The name of the one field of ``items`` with a value that holds everything that is asked, or ""."""
    fields = {
        family.name
        for item in items
        for family in families_of(item)
        for terms in [set(_without_kind(question, item.kind)) - stop_stems() - set(stems(item.label))]
        if terms and terms <= set(stems(family.first.value))
    }
    return fields.pop() if len(fields) == 1 else ""


def same_family(question: Question, items: Sequence[BriefItem], least: float) -> list[tuple[BriefItem, Family]]:
    """The one kind of field that the question asks for, of every record that has a value there.

    Nothing where no record has a field that fits by ``least`` or better.
    """
    name, best = "", least
    for item in items:
        families = families_of(item)
        asked = _without_kind(question, item.kind)
        exact = _named_exactly(asked, families)
        scores = _scores(asked, families, frozenset(stems(" ".join(question.names))))
        score = 1.0 + best if exact is not None else max(scores)
        if score >= best:
            name, best = families[scores.index(max(scores)) if exact is None else exact].name, score
    found = [(item, family) for item in items for family in families_of(item) if name and family.name == name]
    return [(item, family) for item, family in found if not family.is_missing]


def asks_for_field(question: Question, item: BriefItem) -> bool:
    """Whether one kind of the record's fields is asked for by its name, and not the record as a whole."""
    return _asks_for_field(question, _without_kind(question, item.kind), families_of(item))


def _answer_from_record(question: Question, item: BriefItem, kind_word: str) -> Found | None:
    item = _harmless(item)
    families = families_of(item)
    asked = _without_kind(question, kind_word or item.kind)
    if not families:
        return None
    if question.shape in ("who", "overview") and _PEOPLE & set(asked):
        families = [family for family in families if _PEOPLE & set(stems(family.name))]
        if not families:
            return None
    if (question.asks_overview or question.compares) and not _asks_for_field(question, asked, families):
        return Found(_overview(item, families), 0.8)
    scored = sorted(
        zip(_scores(asked, families, frozenset(stems(" ".join(question.names)))), range(len(families)), strict=True),
        key=lambda pair: (-pair[0], pair[1]),
    )
    best = scored[0][0]
    if best < WEAK_FIELD:
        return None
    chosen = sorted(index for score, index in scored[:3] if score >= best * NEAR_BEST and score >= WEAK_FIELD)
    if (exact := _named_exactly(asked, families)) is not None:
        chosen = [exact]
    elif len(joined := _joined(question, item, families, kind_word)) > 1:
        chosen = joined
    return _tell(question, item, [families[index] for index in chosen], min(best, 1.0))


def _harmless(item: BriefItem) -> BriefItem:
    fields = tuple(replace(field, name=harmless(field.name), value=harmless(field.value)) for field in item.fields)
    return replace(item, label=harmless(item.label), fields=fields)


def _without_kind(question: Question, kind: str) -> list[str]:
    """The question's words with their stems; the record's own kind ("this deal") says nothing about its fields."""
    kind_stems = {
        *stems(kind.replace("_", " ")),
        *stems("account client record business organisation organization firm"),
    }
    return [stem for stem in stems(question.text) if stem not in question.subject_stems and stem not in kind_stems]


def _asks_for_field(question: Question, asked: Sequence[str], families: Sequence[Family]) -> bool:
    """Whether “who is …” goes on with a field's name or with a phrase that asks for one (“the account manager”)."""
    said = f" {' '.join(stems(question.text))} "
    names = {stem for family in families for stem in content_stems(family.name)}
    phrases = [" ".join(stems(phrase)) for family in families for phrase in family.first.question_words]
    if names & set(asked) or any(" " in phrase and f" {phrase} " in said for phrase in phrases):
        return True
    return bool(_PEOPLE & set(asked))


def _joined(question: Question, item: BriefItem, families: Sequence[Family], kind_word: str) -> list[int]:
    """“His e-mail and job title”: the best family of each part, where every part has a strong one."""
    parts = [Question(part, question.about) for part in _JOINED.split(question.text)]
    if len(parts) < 2 or not all(part.terms for part in parts):
        return []
    best: set[int] = set()
    for part in parts:
        scores = _scores(_without_kind(part, kind_word or item.kind), families, frozenset())
        if max(scores) < STRONG_FIELD:
            return []
        best.add(scores.index(max(scores)))
    return sorted(best)


def _named_exactly(asked: Sequence[str], families: Sequence[Family]) -> int | None:
    """The one family whose name is all that is asked for: “score” means Score, not Score evidence."""
    content = set(asked) - stop_stems()
    return next((index for index, family in enumerate(families) if content == set(stems(family.name))), None)


def carried(terms: Sequence[str], item: BriefItem) -> float:
    """0 to 1: how many of the terms the record's fields are about."""
    families = families_of(item)
    if not terms or not families:
        return 0.0
    return sum(max(_match(term, family) for family in families) > 0 for term in terms) / len(terms)


def _scores(asked: Sequence[str], families: Sequence[Family], names: frozenset[str]) -> list[float]:
    """How much of what is asked each family is about: words first, the likeness of meaning as a tie-break."""
    terms = list(dict.fromkeys(asked))
    matches = np.array([[_match(term, family) for term in terms] for family in families], dtype=np.float32)
    content = set(terms) - stop_stems()
    base = np.array([_WEAK_WORDS.get(term, 1.0 if term in content else 0.08) for term in terms], dtype=np.float32)
    # A name that stands in no field is of another record, and asks for none of these.
    is_foreign = np.array([term in names for term in terms], dtype=bool) & ~matches.any(axis=0)
    base = np.where(is_foreign, 0.0, base)
    # A word that fits many families tells little about which is meant.
    sharing = np.maximum((matches > 0).sum(axis=0), 1) if len(terms) else np.ones(0)
    weights = base / np.sqrt(sharing)
    total = float(base.sum()) or 1.0
    vectors = BuiltinEmbedder().embed([" ".join(asked), *(_spoken(family) for family in families)])
    likeness = vectors[1:] @ vectors[0]
    lexical = matches @ weights / total if len(terms) else np.zeros(len(families))
    return [float(score + 0.2 * max(0.0, like - 0.2)) for score, like in zip(lexical, likeness, strict=True)]


def _spoken(family: Family) -> str:
    return f"{family.name} {' '.join(family.first.question_words)}"


def _match(term: str, family: Family) -> float:
    if term in stems(family.name):
        return 1.0
    asked_by = [stems(words) for words in family.first.question_words]
    if [term] in asked_by:
        return 0.9
    # One word of a longer phrase ("customer" of "ideal customer profile") hints, no more.
    if any(term in phrase for phrase in asked_by):
        return 0.5
    near = {stem for phrase in asked_by for stem in phrase} | set(stems(family.name))
    if any(term in group and group & near for group in _SYNONYMS):
        return 0.55
    return 0.5 if term in stems(family.first.value) else 0.0


def _tell(question: Question, item: BriefItem, families: Sequence[Family], strength: float) -> Found:
    sentences_told = [_family_words(question, item, family) for family in families]
    missing = tuple(f"{item.label}: {family.name}" for family in families if family.is_missing)
    # An empty field is worth a word only where nothing else answers.
    if len(missing) < len(families):
        sentences_told = [told for told, family in zip(sentences_told, families, strict=True) if not family.is_missing]
        missing = ()
    joint = "\n\n" if any("\n" in told for told in sentences_told) else " "
    return Found(joint.join(sentences_told), strength, missing)


def _family_words(question: Question, item: BriefItem, family: Family) -> str:
    fields = family.fields
    if len(fields) > 1 and _ONLY_FIRST.search(question.lowered):
        fields = fields[:1]
    if len(fields) > 1 and _ONLY_LAST.search(question.lowered) and not _SEVERAL.search(question.lowered):
        fields = fields[:1]
    if len(steps := _NUMBERED.split(fields[0].value)) > 1:
        return "\n".join([cited(f"{fields[0].name} of {item.label}:", [item]), *steps])
    if len(fields) == 1:
        told = sentences(field_sentence(item.label, fields[0]))
        return cited_sentences([*_other_state(question, item, family), *told], [item])
    return list_of(family.name, fields, item)


def list_of(name: str, fields: Sequence[ProjectedField], item: BriefItem) -> str:
    lines = [f"- {_marked(_dated(field), item)}" for field in fields[:LISTED_FIELDS]]
    return "\n".join([cited(f"{_plural(name)} of {item.label}:", [item]), *lines])


def _other_state(question: Question, item: BriefItem, family: Family) -> list[str]:
    """Said first where the question takes a stage for granted in which the record is not."""
    if not _STAGE.search(family.name) or question.shape not in ("why", "yes_no", "amount", "when", "open"):
        return []
    held = set(stems(sentences(family.first.value)[0])) if family.first.value.strip() else set()
    asked = [word for word in words(question.lowered) if stem(word) in _STATES and stem(word) != item.kind]
    if not asked or any(stem(word) in held for word in asked):
        return []
    return [f"{item.label} is not recorded as “{asked[0]}”."]


def _dated(field: ProjectedField) -> str:
    date = f"{human_date(field.when)}: " if field.when and human_date(field.when) not in field.value else ""
    return f"{date}{field.value.strip()}"


def _plural(name: str) -> str:
    shown = name[:1].upper() + name[1:]
    if shown.endswith("y"):
        return f"{shown[:-1]}ies"
    return shown if shown.endswith(("s", "evidence")) else f"{shown}s"


def in_overview(families: Sequence[Family]) -> list[Family]:
    return [family for family in families if not family.is_missing][:OVERVIEW_FIELDS]


def _overview(item: BriefItem, families: Sequence[Family]) -> str:
    lines = [
        f"- {family.first.name}: {_marked(_overview_value(family.first), item)}" for family in in_overview(families)
    ]
    return "\n".join([cited(f"{item.label}, as recorded:", [item]), *lines])


def _marked(text: str, item: BriefItem) -> str:
    return cited_sentences(sentences(text), [item]) if reports(text) else text


def _overview_value(field: ProjectedField) -> str:
    when = when_words(field)
    value = field.value.strip()
    return f"{value.rstrip('.')} ({when})" if when else value.rstrip(".") if len(words(value)) < 7 else value
