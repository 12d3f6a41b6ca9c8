"""The text of an answer, edited sentence by sentence, whether it is complete or still arriving."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agencycore.ai.ports import Embedder
from agencycore.ai.types import ContextBrief
from chat.frontdoor import speech
from chat.frontdoor.characters import clean_characters
from chat.frontdoor.citations import Marking, citable_items, cited_sources, keys_in, without_placeholders
from chat.frontdoor.decision import CitedSource
from chat.frontdoor.facts import FREE_OF_CITATIONS, is_about_preferences, unavailable_evidence
from chat.frontdoor.markdown import harmless_markdown, without_images
from chat.frontdoor.sentences import Sentences
from chat.frontdoor.support import Claim, support_scores
from chat.frontdoor.validation.claims import claims_work, evidence_of

TEXT_LIMIT = 12_000
NOTE_LENGTH = 200

_FIGURE = re.compile(r"\d[\d.,:/]*\d")
_WORD = re.compile(r"[^\W_]")
_LIST_PREFIX = re.compile(r"\s*(?:[-*+>]|\d{1,3}[.)])\s+")
_SAYS_UNCHECKED = re.compile(r"could(?: not|n['’]t) (?:be )?(?:check|read|reach|load)|unavailable", re.IGNORECASE)
# Directly before other characters these could become an image or a link.
_OPEN_ENDED = ("!", "]", "[", "<", "(")


@dataclass(slots=True)
class AnswerText:
    """Takes a model's text in pieces and gives back what may be shown; what it gave back is final.

    ``citations`` are the keys that the reply lists. Where some of them are valid, nothing is given
    back before a sentence with a valid marker has passed, so that whatever is shown stands on
    evidence. Sentences that cite nothing known, or claim work, are withheld and noted; only the
    report of finished work may speak of work.
    """

    brief: ContextBrief
    citations: Sequence[str]
    speaks_of_work: bool = False
    text: str = ""
    notes: list[str] = field(default_factory=list)
    marking: Marking = field(init=False)
    is_cut: bool = False
    _listed: list[str] = field(init=False)
    _sentences: Sentences = field(default_factory=Sentences)
    _claims: list[tuple[Claim, list[str]]] = field(default_factory=list)
    _taken: int = 0
    _held: str = ""
    _space: str = ""
    _prefix: str = ""
    _last: str = ""
    _known_text: str = field(init=False)

    def __post_init__(self) -> None:
        self.marking = Marking(citable_items(self.brief))
        self._listed = self.marking.admit(self.citations)
        self.marking.expected = len(self._listed)
        self._known_text = _known_text(self.brief)

    def feed(self, text: str) -> str:
        """What may be shown now that ``text`` has arrived; often nothing."""
        clean = clean_characters(text)[: TEXT_LIMIT - self._taken + 1]
        self._taken += len(clean)
        if self._taken > TEXT_LIMIT:
            self.is_cut = True
            clean = clean[:-1]
        return self._pass_all(self._sentences.feed(clean))

    def finish(self, *, is_whole: bool = True) -> str:
        """What may be shown at the end. A sentence that was cut off is dropped."""
        self.is_cut = self.is_cut or not is_whole
        rest = self._sentences.finish()
        shown = self._pass_all(rest[:-1] if self.is_cut else rest)
        return shown + self._mark_listed() + self._name_unchecked()

    def cited(self, embedder: Embedder) -> tuple[CitedSource, ...]:
        """The citations of the finished text, each with the lowest support of its sentences."""
        scores = support_scores([claim for claim, _ in self._claims], embedder)
        lowest: dict[str, float] = {}
        for (_, keys), score in zip(self._claims, scores, strict=True):
            lowest |= {key: min(score, lowest.get(key, 1.0)) for key in keys}
        return cited_sources(self.marking, lowest)

    def _pass_all(self, sentences: Sequence[str]) -> str:
        before = len(self.text)
        for sentence in sentences:
            body = sentence.rstrip()
            space = sentence[len(body) :]
            if kept := self._edit(body):
                self._release(self._prefix + kept)
            # The bullet of a withheld sentence passes to the next one of its line.
            prefix = _LIST_PREFIX.match(body) if not kept and body else None
            self._prefix = (prefix[0] if prefix else "") if "\n" not in space else ""
            self._space = max(self._space, space, key=lambda space: (space.count("\n"), len(space)))
        return self.text[before:]

    def _release(self, kept: str) -> None:
        before = self._held or self.text
        space = self._space if before else ""
        if not space and before.endswith(_OPEN_ENDED):
            space = " "
        self._held += space + (kept if before else kept.lstrip())
        self._space = ""
        if self.marking.numbers or not self._listed:
            self.text += self._held
            self._held = ""

    def _edit(self, body: str) -> str:
        """The sentence as it may be shown; "" where it may not."""
        self.marking.admit(keys_in(body))
        harmless = harmless_markdown(self.marking.hide(body), self._is_known_url).strip("\n").rstrip()
        keys = self.marking.hidden_keys(harmless)
        plain = without_placeholders(harmless).strip()
        if reason := self._objection(body, plain, keys):
            self.notes.append(f"withheld ({reason}): {body.strip()[:NOTE_LENGTH]}")
            return ""
        if not plain and not keys:
            return ""
        self._last = plain or self._last
        if keys:
            passages = tuple(self.marking.items[key].text for key in keys)
            self._claims.append((Claim(self._last, passages), keys))
            self.marking.claim(keys, self._last)
        return self.marking.show(harmless)

    def _objection(self, body: str, plain: str, keys: Sequence[str]) -> str:
        if not self.speaks_of_work and claims_work(plain, evidence_of(self.marking.items[key] for key in keys)):
            return "claims work"
        if not keys and self._is_unfounded and self._holds_unknown_figure(plain):
            return "a figure from nowhere"
        if self.brief.message_class in FREE_OF_CITATIONS:
            return ""
        if not keys and keys_in(body):
            return "cites nothing in the brief"
        if keys and {self.marking.items[key].source for key in keys} == {"memory"} and not self._is_preference(plain):
            return "a preference is not evidence"
        return ""

    @property
    def _is_unfounded(self) -> bool:
        """Whether a sentence without a marker stands on nothing: others have theirs, or the reply lists no source."""
        return not self._listed or bool(self.marking.numbers)

    def _is_preference(self, plain: str) -> bool:
        return is_about_preferences(plain) or is_about_preferences(self.brief.message)

    def _holds_unknown_figure(self, plain: str) -> bool:
        return any(figure not in self._known_text for figure in _FIGURE.findall(plain))

    def _is_known_url(self, url: str) -> bool:
        return url in without_images(self._known_text)

    def _mark_listed(self) -> str:
        """An answer that lists its sources and marks none cites them for all it says."""
        if not self._held or self.notes or self.is_cut or not self._listed:
            return ""
        before = len(self.text)
        passages = tuple(self.marking.items[key].text for key in self._listed)
        self._claims.append((Claim(self._held, passages), self._listed))
        self.marking.claim(self._listed, self._held)
        self.text += f"{self._held} {self.marking.numbered(self._listed)}"
        self._held = ""
        return self.text[before:]

    def _name_unchecked(self) -> str:
        missing = unavailable_evidence(self.brief)
        is_said = self.brief.message_class in FREE_OF_CITATIONS or _SAYS_UNCHECKED.search(self.text)
        if not missing or not self.text or is_said or self.brief.language != "en":
            return ""
        sentence = f"\n\n{speech.could_not_check(missing)}"
        self.text += sentence
        return sentence


def _known_text(brief: ContextBrief) -> str:
    """What a figure or an address may come from. What was only said before is no source, unless it is the topic."""
    is_about_words = brief.message_class == "conversation"
    items = [item for item in brief.items if is_about_words or item.source != "conversation"]
    return "\n".join([brief.message, brief.preamble, *(f"{item.label} {item.text} {item.url}" for item in items)])
