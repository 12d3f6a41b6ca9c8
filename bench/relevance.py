"""Fits and checks the relevance floor of the embedder in use: ``python -m bench.relevance``.

On topic are the judged questions of several sets, each against its own passages, whole and in small samples,
and questions about the product against ``docs/product``. Off topic are requests of everyday life against the
same passages. Prints the coefficients for ``knowledge/relevance.py`` and how the present ones do.
"""

import argparse
import math
import random
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from agencycore.ai.ports import get_embedder
from agencycore.tenancy import tenant
from bench.judged import Judged, database, index, off_topic, read_product, read_set
from knowledge.candidates import find_candidates
from knowledge.chunking import Passage
from knowledge.relevance import CALIBRATIONS, Evidence, is_on_topic
from knowledge.search import MINIMUM_CANDIDATES, ask
from organizations.models import Organization

Array = npt.NDArray[np.float64]
FEATURES: dict[str, Callable[[Evidence], float]] = {
    "best_cosine": lambda evidence: evidence.best_cosine,
    "joint": lambda evidence: evidence.joint,
    "unknown": lambda evidence: evidence.unknown,
    "log10_chunks": lambda evidence: math.log10(max(evidence.chunks, 1)),
}
OFF_TOPIC = 400
# What every member meets; the others keep the floor general.
PRODUCT_WEIGHT = 3.0


def evidence_of(organization: Organization, questions: Iterable[str]) -> list[Evidence]:
    found = []
    with tenant(organization.id):
        for text in questions:
            question = ask(text, get_embedder())
            if question.words:
                found.append(
                    find_candidates(question, organization_id=organization.id, limit=MINIMUM_CANDIDATES).evidence
                )
    return found


def samples(judged: Judged, count: int, questions: int, others: int) -> Iterable[tuple[dict[str, Passage], list[str]]]:
    """Small organizations: some questions, their passages, and random other ones."""
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    for _ in range(count):
        chosen = chance.sample(sorted(judged.questions), questions)
        documents = {document for question in chosen for document in judged.grades[question]}
        documents |= set(chance.sample(sorted(judged.documents), others))
        passages = {document: judged.documents[document] for document in sorted(documents)}
        yield passages, [judged.questions[question] for question in chosen]


def gather() -> dict[str, tuple[list[Evidence], list[Evidence]]]:
    gathered: dict[str, tuple[list[Evidence], list[Evidence]]] = {}

    def add(name: str, passages: dict[str, Passage], questions: list[str]) -> None:
        organization, _ = index(name, passages)
        gathered[name] = evidence_of(organization, questions), evidence_of(organization, off_topic(OFF_TOPIC))

    add("product", *read_product())
    for name, questions, others in (("mtrag-cloud", 25, 150), ("clapnq-dev", 30, 120), ("cranfield", 20, 100)):
        judged = read_set(name)
        add(name, judged.documents, list(judged.questions.values()))
        for number, (passages, asked) in enumerate(samples(judged, 3, questions, others)):
            add(f"{name}-{number}", passages, asked)
    return gathered


def matrix(evidence: list[Evidence]) -> Array:
    return np.array([[1.0, *(feature(item) for feature in FEATURES.values())] for item in evidence])


def fit(inputs: Array, labels: Array, weights: Array) -> Array:
    """Weighted logistic regression by Newton's method, lightly regularised."""
    beta = np.zeros(inputs.shape[1])
    ridge = np.diag([0.0] + [1e-3] * (inputs.shape[1] - 1))
    for _ in range(100):
        probability = 1 / (1 + np.exp(-inputs @ beta))
        gradient = inputs.T @ (weights * (probability - labels)) + ridge @ beta
        hessian = (inputs * (weights * probability * (1 - probability))[:, None]).T @ inputs + ridge
        beta -= np.linalg.solve(hessian, gradient)
    return beta


def fit_all(gathered: dict[str, tuple[list[Evidence], list[Evidence]]]) -> Array:
    inputs, labels, weights = [], [], []
    for name, (on, off) in gathered.items():
        weight = PRODUCT_WEIGHT if name == "product" else 1.0
        for evidence, label in ((on, 1.0), (off, 0.0)):
            inputs.append(matrix(evidence))
            labels.append(np.full(len(evidence), label))
            weights.append(np.full(len(evidence), 100 * weight / len(evidence)))
    return fit(np.vstack(inputs), np.hstack(labels), np.hstack(weights))


def area(on: Array, off: Array) -> float:
    """Of the ROC curve: how often an on-topic question scores above an off-topic one."""
    return float((on[:, None] > off[None, :]).mean() + (on[:, None] == off[None, :]).mean() / 2)


def report(gathered: dict[str, tuple[list[Evidence], list[Evidence]]], keep: Callable[[Evidence], bool]) -> None:
    for name, (on, off) in gathered.items():
        kept = np.mean([keep(evidence) for evidence in on])
        blocked = np.mean([not keep(evidence) for evidence in off])
        cosine = area(np.array([e.best_cosine for e in on]), np.array([e.best_cosine for e in off]))
        print(
            f"  {name:15} {on[0].chunks:6} passages  kept {kept:.3f}  blocked {blocked:.3f}  AUC of cosine {cosine:.3f}"
        )


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    embedder = get_embedder()
    with database():
        gathered = gather()
    beta = fit_all(gathered)
    print(f"{embedder.name}, fitted:", dict(zip(["bias", *FEATURES], beta.round(2).tolist(), strict=True)))
    report(gathered, lambda evidence: float(matrix([evidence])[0] @ beta) >= 0)
    print(f"{embedder.name}, in use: {CALIBRATIONS.get(embedder.name)}")
    report(
        gathered,
        lambda evidence: is_on_topic(evidence, embedder=embedder.name, floor=embedder.relevance_floor),
    )


if __name__ == "__main__":
    main()
