"""Judged question sets, indexed through the product's own code into a database of their own."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")
os.environ.setdefault("TEST_DATABASE_NAME", "bench_knowledge")
django.setup()

from django.conf import settings  # noqa: E402
from django.test.utils import setup_databases  # noqa: E402

from agencycore.ai.ports import get_embedder  # noqa: E402
from agencycore.embedded.services import ensure_services  # noqa: E402
from agencycore.tenancy import tenant  # noqa: E402
from knowledge.chunking import Passage, count_tokens  # noqa: E402
from knowledge.extractors.markdown import MarkdownExtractor  # noqa: E402
from knowledge.indexing import indexed_as, remove_source_rows, swap_generation  # noqa: E402
from knowledge.models import KnowledgeChunk, KnowledgeSource  # noqa: E402
from knowledge.preparation import embed_passages, prepare  # noqa: E402
from organizations.models import Organization  # noqa: E402
from tests.corpora import ROOT  # noqa: E402

SOURCE_PASSAGES = 1_000


@dataclass(frozen=True)
class Judged:
    name: str
    documents: dict[str, Passage]
    questions: dict[str, str]
    grades: dict[str, dict[str, int]]


@contextmanager
def database() -> Iterator[None]:
    """The bench's own database; kept, so that what is indexed once is there the next time."""
    ensure_services()
    setup_databases(verbosity=0, interactive=False, keepdb=True, serialized_aliases=[])
    yield


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_set(name: str, *, text: str = "text") -> Judged:
    folder = ROOT / "ir" / name
    if not folder.exists():
        raise SystemExit(f"{folder} is not there; set AGENCYCORE_CORPORA.")
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        grades.setdefault(question, {})[document] = int(grade)
    documents = {row["id"]: _passage(row) for row in rows(folder / "docs.jsonl")}
    questions = {row["id"]: row[text] for row in rows(folder / "queries.jsonl") if row["id"] in grades}
    return Judged(name, documents, questions, grades)


def read_product() -> tuple[dict[str, Passage], list[str]]:
    """The passages of ``docs/product``, and questions a member may have about the product."""
    passages: dict[str, Passage] = {}
    for page in sorted((settings.BASE_DIR / "docs/product").glob("*.md")):
        prepared = prepare(MarkdownExtractor().extract(page), fallback_title=page.stem)
        passages |= {f"{page.name} {number}": passage for number, passage in enumerate(prepared.passages)}
    lines = (Path(__file__).parent / "product_questions.tsv").read_text(encoding="utf-8").splitlines()
    return passages, [line.split("\t")[0] for line in lines]


def _passage(row: dict[str, str]) -> Passage:
    return Passage(row["text"] or "-", "", row["title"][:300], count_tokens(row["text"]))


def off_topic(count: int, *, without: Sequence[str] = ()) -> list[str]:
    """Short requests of everyday life: every n-th of the test split's, from all intents."""
    domains = json.loads((ROOT / "routing/clinc-oos/domains.json").read_text())
    excluded = {intent for domain in without for intent in domains[domain]}
    requests = [
        row["text"]
        for row in rows(ROOT / "routing/clinc-oos/all.jsonl")
        if row["split"] == "test" and row["intent"] not in excluded
    ]
    return requests[:: max(1, len(requests) // count)][:count]


def index(slug: str, documents: dict[str, Passage]) -> tuple[Organization, dict[str, str]]:
    """An organization that holds ``documents``, and its chunks' ids → document ids."""
    organization, created = Organization.objects.get_or_create(slug=slug, defaults={"name": slug})
    # Also what the platform has published is visible here: other benches may have.
    sources = KnowledgeSource.objects.filter(organization=organization)
    passages = KnowledgeChunk.objects.filter(organization=organization).order_by("source__title", "ordinal")
    with tenant(organization.id):
        stale = sources.exclude(indexed_as=indexed_as(get_embedder().name)).exists()
        chunks = list(passages.values_list("id", flat=True))
    if created or stale or len(chunks) != len(documents):
        with tenant(organization.id):
            for source in sources.all():
                remove_source_rows(source)
                source.delete()
            for number, batch in enumerate(_batches(list(documents.values()))):
                _index_batch(organization, f"{slug} {number:04}", batch)
            chunks = list(passages.all().values_list("id", flat=True))
    return organization, {str(chunk): document for chunk, document in zip(chunks, documents, strict=True)}


def _batches(passages: list[Passage]) -> Iterable[list[Passage]]:
    return (passages[start : start + SOURCE_PASSAGES] for start in range(0, len(passages), SOURCE_PASSAGES))


def _index_batch(organization: Organization, title: str, passages: list[Passage]) -> None:
    embedder = get_embedder()
    source = KnowledgeSource.objects.create(
        organization=organization,
        title=title,
        size=0,
        content_hash=hashlib.sha256(title.encode()).hexdigest(),
        state=KnowledgeSource.State.READY,
        indexed_as=indexed_as(embedder.name),
    )
    vectors = embed_passages(passages, embedder)
    swap_generation(source=source, passages=passages, vectors=vectors, embedder_name=embedder.name, language="english")
    source.save()
