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
from agencycore.ai.builtin.language import stems

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
    """Scores per intent, about 0 to 1, and per capability slug the likeness of its closest example."""

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
        self._lexical = self._lexical_rows(terms)
        likeness = self._likeness(self._vectors, self._lexical)
        labels = np.array([[example.intent == intent for intent in INTENTS] for example in self._examples], np.float32)
        self._weights = np.linalg.solve(likeness + ridge * np.eye(len(labels), dtype=np.float32), labels)

    def classify(self, text: str) -> Classified:
        likeness = self._likeness(self._embedder.embed([text]), self._lexical_rows([_terms(text)]))[0]
        scores = likeness @ self._weights
        return Classified(
            scores={intent: float(score) for intent, score in zip(INTENTS, scores, strict=True)},
            capabilities=self._closest_per_capability(likeness),
        )

    def _closest_per_capability(self, likeness: Floats) -> dict[str, float]:
        closest: dict[str, float] = {}
        for example, value in zip(self._examples, likeness, strict=True):
            if example.capability:
                closest[example.capability] = max(closest.get(example.capability, 0.0), float(value))
        return closest

    def _likeness(self, vectors: Floats, lexical: Floats) -> Floats:
        share = self._vector_share
        likeness: Floats = share * (vectors @ self._vectors.T) + (1 - share) * (lexical @ self._lexical.T)
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
