"""Sentences that claim work: that something was done, is being done, or is about to be.

An answer does no work, so such a sentence is false unless the cited evidence says the same. It is
judged clause by clause: what else a sentence tells and cites makes no claim in it true. Offers,
questions, refusals and quotations are not claims. A sentence in a language without listed words is
still bound by its citations.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agencycore.ai.types import BriefItem, SourceName
from chat.frontdoor.support import Claim, word_support
from chat.frontdoor.validation.clauses import clauses, statements
from chat.frontdoor.validation.work_words import ALIKE, ANNOUNCED, FIRST_PERSON, OWN_WORK, REPORTED, WORK_WORD

# The share of a claim's words that a record's line must hold to speak of finished work, and a document's sentence.
EVIDENCED = 0.5
TOLD = 0.75
QUOTED_SUPPORT = 0.9
RECORD_SOURCES: tuple[SourceName, ...] = ("application", "runs")

# Not a claim: it is denied, offered, asked or made to depend on something, before it is said.
_CONDITION_WORDS = r"if|unless|once|when|whenever|until|after|before|whether|as\s+soon\s+as"
_DENIED_OR_POSSIBLE = re.compile(
    r"\b(?:not|no|none|neither|never|cannot|can't|can’t|unable|nothing|nobody|without|would|could|should|can|may|might|must|"
    r"want\s+me\s+to|shall\s+i)\b|n['’]t\b",
    re.IGNORECASE,
)
_DEPENDS = re.compile(rf"\b(?:{_CONDITION_WORDS})\b", re.IGNORECASE)
_GOES_ON = re.compile(r"\s*(?:and|or|nor)\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"\s*n?or\b", re.IGNORECASE)
_IS_ASKED = re.compile(r"\?\W*$")
_NEGATED_FIRST_PERSON = re.compile(
    r"\b(?:i|we)\s+(?:\w+\s+)?(?:not|never)\b|\b(?:i|we)\s+(?:have|did|do|am|was|ca|can|could|wo|will|would)n['’]t\b|"
    r"\b(?:i|we)\s+(?:can|could|would|may|might)\b",
    re.IGNORECASE,
)
# "Can I create …", "where did we …": the subject of a question.
_INVERTED = re.compile(r"\b(?:can|could|do|did|may|might|should|shall|must|would)(?:n['’]?t)?\s+$", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:if\s+you|would\s+you\s+like|shall\s+i|should\s+i|do\s+you\s+want|want\s+me\s+to|once\s+you|when\s+you|"
    r"as\s+soon\s+as\s+you)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"(?:i|we)\s*(?:(?:'|’)ll|\s*will|\s*shall|.{0,6}\s+going\s+to)\b", re.IGNORECASE)
_I = re.compile(r"\b(?:i|we)\b", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]")
_FLAGS = re.IGNORECASE | re.VERBOSE
_FIRST = [re.compile(pattern, _FLAGS) for pattern in FIRST_PERSON]
_ANNOUNCED = [re.compile(pattern, _FLAGS) for pattern in ANNOUNCED]
_REPORTED = [re.compile(pattern, _FLAGS) for pattern in REPORTED]
_OWN_WORK = re.compile(rf"\b{OWN_WORK}\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w’'-]*")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that a sentence cites, and where it comes from."""

    text: str
    source: SourceName = "application"


def evidence_of(items: Iterable[BriefItem]) -> list[Evidence]:
    return [Evidence(item.text, item.source) for item in items]


def claims_work(sentence: str, evidence: Sequence[Evidence] = ()) -> bool:
    """Whether ``sentence`` says that work was, is being or will be done, without ``evidence`` for it.

    ``evidence`` is what the sentence cites; what it quotes from there is not its own claim.
    """
    cited = _folded(" ".join(text.text for text in evidence))
    words = _QUOTED.sub(lambda quoted: " " if _folded(quoted[0][1:-1]) in cited else quoted[0], sentence)
    return any(
        _speaks_for_itself(statement, evidence)
        or any(not _is_evidenced(claim, evidence) for claim in _reports(statement))
        for statement in statements(words)
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _speaks_for_itself(words: str, evidence: Sequence[Evidence]) -> bool:
    claims = [match for pattern in _FIRST for match in pattern.finditer(words)]
    claims = [match for match in claims if not _is_denied_or_asked(words, match)]
    if claims and all(match[0][:2].lower() == "we" for match in claims):
        # A document of the organization speaks of itself as "we"; told in its own words, it is evidence.
        return not any(
            _WE.search(told) and word_support(Claim(words, (told,))) >= QUOTED_SUPPORT
            for text in evidence
            for told in [*statements(text.text), text.text.strip()[:400]]
        )
    return bool(claims)


def _is_denied_or_asked(words: str, match: re.Match[str]) -> bool:
    start = match.start()
    if _NEGATED_FIRST_PERSON.match(words, start) or _INVERTED.search(words, 0, start):
        return True
    if _AHEAD.match(match[0]):
        return bool(_CONDITION.search(words))
    # What is said to be done depends only on what its own clause begins with.
    return bool(_CONDITION.search(clauses(words[: match.end()])[-1]))


def _reports(statement: str) -> list[tuple[str, str]]:
    """The claims of ``statement`` that name no speaker: each clause up to its verb, and the verb."""
    if _IS_ASKED.search(statement):
        return []
    found = [(match[0], match[0]) for pattern in _ANNOUNCED for match in pattern.finditer(statement)]
    depends = excused = False
    before = ""
    for clause in clauses(statement):
        depends = bool(_DEPENDS.search(clause)) or (depends and bool(_GOES_ON.match(clause)))
        is_alternative = excused and bool(_ALTERNATIVE.match(clause))
        for pattern in [*_REPORTED, *(_ANNOUNCED[1:] if _I.search(before) else ())]:
            for match in pattern.finditer(clause):
                lead = clause[: match.start()] + _before_verb(match[0])
                is_first_said = not _DEPENDS.search(lead) and _DEPENDS.search(clause)
                if (depends and not is_first_said) or is_alternative or _DENIED_OR_POSSIBLE.search(lead):
                    continue
                has_subject = bool(clause[: match.start()].strip(" ,")) or match[0][:1].isalpha()
                head = clause[: match.end()] if has_subject else f"{before} {clause[: match.end()]}"
                found.append((head, match[0]))
        excused = excused or bool(_DENIED_OR_POSSIBLE.search(clause))
        before = clause
    return found


def _before_verb(claim: str) -> str:
    verbs = list(WORK_WORD.finditer(claim))
    return claim[: verbs[-1].start()] if verbs else claim


def _is_evidenced(claim: tuple[str, str], evidence: Sequence[Evidence]) -> bool:
    """What happened may be told from a record or a run that holds it, or a document that tells it itself."""
    head, said = claim
    return any(
        _is_recorded(head, said, text) if text.source in RECORD_SOURCES else _is_told(head, text.text)
        for text in evidence
    )


def _is_recorded(head: str, said: str, record: Evidence) -> bool:
    """Whether one line of the record, under the record's name, holds the work and what it was done to."""
    if record.source != "runs" and _OWN_WORK.search(head) and not _OWN_WORK.search(record.text):
        return False
    title, *_ = record.text.strip().split("\n") or [""]
    name = f"{title} run request task" if record.source == "runs" else title
    verbs = [match[0] for match in WORK_WORD.finditer(said)][-1:]
    return any(
        all(_holds(line, verb) for verb in verbs)
        and word_support(Claim(head, (f"{name}\n{line} {' '.join(verbs)}",))) >= EVIDENCED
        for line in record.text.split("\n")
    )


def _holds(line: str, verb: str) -> bool:
    """Whether ``line`` tells the work of ``verb``, in that word or one that means the same."""
    begins = [begin for alike in ALIKE if verb.lower().startswith(alike) for begin in alike]
    known = (*begins, verb.lower()[:5])
    return any(word.lower().startswith(known) for word in _WORD.findall(line))


def _is_told(head: str, text: str) -> bool:
    """Whether a sentence of ``text`` says itself that it happened; how the product works is no such sentence."""
    return any(
        word_support(Claim(head, (told,))) >= TOLD and (_reports(told) or any(first.search(told) for first in _FIRST))
        for told in statements(text)
    )
