"""Which intent a message has, learned from the labelled examples of one data file.

Kernel ridge regression: a message is compared with every example, by the meaning of its words (vectors)
and by the words themselves with their order (weighted word pairs), and each example votes with a weight
fitted so that the examples predict their own labels. Deterministic, solved once per process.
"""

import math
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.language import WORD, stem, stems
from agencycore.ai.stop_words import STOP_WORDS

Intent: TypeAlias = Literal[
    "knowledge_question",
    "record_question",
    "run_question",
    "capability_question",
    "work_request",
    "authoring_request",
    "schedule_request",
    "rerun_request",
    "stop_request",
    "steer_request",
    "approval_reply",
    "human_request",
    "external_facts",
    "offtopic",
    "injection",
    "smalltalk",
    "conversation",
    "affirmation",
]
INTENTS: tuple[Intent, ...] = get_args(Intent)

Floats: TypeAlias = npt.NDArray[np.float32]

# Measured by bench/builtin_routing.py; see docs/engineering/builtin.md.
VECTOR_SHARE = 0.5
RIDGE = 0.3


# Only the opening of a long message is compared word by word.
MAX_WORDS = 40

WORD_CLASSES = {
    "#record": "company account customer prospect deal lead person contact opportunity client renewal",
    "#definition": "agent workflow automation assistant builder",
    "#run": "run search job execution",
    "#pointer": "this that it its they them their here there her his",
    "#chat": "conversation chat answer reply said say said",
}
CLASS_OF = {stem: name for name, members in WORD_CLASSES.items() for stem in stems(members)}
QUESTION_STEMS = frozenset(
    stems(
        "what what's who who's whose which when where where's why how is are was were do does did has have had can "
        "could will would should may any"
    )
)


@dataclass(frozen=True, slots=True)
class Example:
    intent: Intent
    text: str
    capability: str = ""


@dataclass(frozen=True, slots=True)
class Classified:
    """Scores per intent and per capability slug, about 0 to 1 each."""

    scores: dict[Intent, float]
    capabilities: dict[str, float]

    @property
    def intent(self) -> Intent:
        return max(INTENTS, key=lambda intent: self.scores[intent])

    @property
    def margin(self) -> float:
        first, second = sorted(self.scores.values(), reverse=True)[:2]
        return first - second


class ExampleFileError(ValueError):
    """A line of the examples file cannot be used; the message names it."""


def read_examples(path: Path) -> list[Example]:
    """The examples of a file with tab-separated columns: intent, message, capability slug or nothing."""
    examples: list[Example] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        intent, text, capability, *_ = [*(column.strip() for column in line.split("\t")), "", ""]
        known = next((name for name in INTENTS if name == intent), None)
        if known is None or not text:
            raise ExampleFileError(f"{path.name} line {number}: expected an intent ({', '.join(INTENTS)}) and a text.")
        examples.append(Example(known, text, capability.replace("-", "_")))
    return examples


class ExampleModel:
    """The fitted examples. Immutable after construction, so it is shared between threads."""

    def __init__(
        self, examples: Sequence[Example], *, vector_share: float = VECTOR_SHARE, ridge: float = RIDGE
    ) -> None:
        self._examples = tuple(examples)
        self._embedder = BuiltinEmbedder()
        self._vector_share = vector_share
        terms = [_terms(example.text) for example in self._examples]
        frequency = Counter(term for found in terms for term in found)
        self._columns = {term: column for column, term in enumerate(sorted(frequency))}
        self._idf = {term: math.log(1 + len(terms) / count) for term, count in frequency.items()}
        self._vectors = self._embedder.embed([example.text for example in self._examples])
        # One row per term, so that a message reads only the rows of its own words.
        self._lexical = np.ascontiguousarray(self._lexical_rows(terms).T)
        likeness = self._joined(self._vectors @ self._vectors.T, self._lexical.T @ self._lexical)
        self._slugs = tuple(sorted({example.capability for example in self._examples if example.capability}))
        labels = [
            [*(example.intent == intent for intent in INTENTS), *(example.capability == slug for slug in self._slugs)]
            for example in self._examples
        ]
        ridges = ridge * np.eye(len(labels), dtype=np.float32)
        self._weights = np.linalg.solve(likeness + ridges, np.array(labels, dtype=np.float32))

    def classify(self, text: str) -> Classified:
        likeness = self._joined(self._vectors @ self._embedder.embed([text])[0], self._lexical_likeness(text))
        scores = likeness @ self._weights
        return Classified(
            scores={intent: float(score) for intent, score in zip(INTENTS, scores[: len(INTENTS)], strict=True)},
            capabilities={slug: float(score) for slug, score in zip(self._slugs, scores[len(INTENTS) :], strict=True)},
        )

    def known_share(self, text: str) -> float:
        """0 to 1: how many of the words are English or stand in an example; names inside the text do not count."""
        found = [match.group() for match in WORD.finditer(text)]
        told = [*found[:1], *(word for word in found[1:] if not word[0].isupper())]
        known = [word for word in told if word.lower() in STOP_WORDS or stem(word.lower()) in self._columns]
        return len(known) / len(told) if told else 1.0

    def _joined(self, meaning: Floats, words: Floats) -> Floats:
        joined: Floats = self._vector_share * meaning + (1 - self._vector_share) * words
        return joined

    def _lexical_likeness(self, text: str) -> Floats:
        weights = {term: count * self._idf[term] for term, count in _terms(text).items() if term in self._columns}
        values = np.array(list(weights.values()), dtype=np.float32)
        length = float(np.linalg.norm(values)) or 1.0
        rows = self._lexical[[self._columns[term] for term in weights]]
        likeness: Floats = (values / length @ rows).astype(np.float32)
        return likeness

    def _lexical_rows(self, terms: Sequence[Counter[str]]) -> Floats:
        rows = np.zeros((len(terms), len(self._columns)), dtype=np.float32)
        for row, found in enumerate(terms):
            for term, count in found.items():
                column = self._columns.get(term)
                if column is not None:
                    rows[row, column] = count * self._idf[term]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.maximum(lengths, np.float32(1e-9))
        return rows


def _terms(text: str) -> Counter[str]:
    """Stems, pairs of neighbours, the opening words and word classes: order tells a question from a request."""
    found = ["^", *stems(text)[:MAX_WORDS]]
    classes = [CLASS_OF[term] for term in found if term in CLASS_OF]
    pairs = [f"{left} {right}" for left, right in pairwise(found)]
    opening = [" ".join(found[:3])] if len(found) > 2 else []
    mood = ["#question"] if len(found) > 1 and found[1] in QUESTION_STEMS else ["#statement"]
    return Counter([*found[1:], *pairs, *opening, *mood, *set(classes), f"{mood[0]} {' '.join(sorted(set(classes)))}"])


_building = threading.Lock()
_models: dict[Path, ExampleModel] = {}


def example_model(path: Path) -> ExampleModel:
    """The model of the file at ``path``, fitted once per process, at first use."""
    with _building:
        if path not in _models:
            _models[path] = ExampleModel(read_examples(path))
        return _models[path]
