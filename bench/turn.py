"""What a turn costs beside its model: ``python -m bench.turn``.

The whole turn in this process (accept, claim, context, decision, commit) against a scripted model that takes no time,
with little and with much around it: history, chunks in the table, chunks in the organization's scope. Beside it the
bare search statement of the same question, in turn with it; of both the fastest of many, since whatever else the
machine does only ever adds.
"""

import argparse
import datetime
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from django.db import connection, connections
from django.test.utils import CaptureQueriesContext, override_settings
from django.utils import timezone

from agencycore.ai.ports import get_embedder
from agencycore.ai.scripted import ScriptedResponder, playing
from agencycore.ai.types import DecisionRequest
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.tenancy import Actor, tenant
from agencycore.warm_up import prepare_process
from bench.judged import database, index, read_set
from bench.search import enlarged
from chat import turns
from chat.actions import accept_message
from chat.models import Turn
from conversations.models import Conversation, Message
from knowledge.candidates import find_candidates
from knowledge.indexing import indexed_as
from knowledge.models import KnowledgeSource
from knowledge.search import ask
from organizations.models import Membership, Organization, User

QUESTION = "How do I create a classic load balancer with an SSL certificate?"
RUNS = 60
SCOPES = (1_000, 5_000)
WIDE_SCOPE = 100_000
HISTORIES = (10, 1_000)
FACTOR = 2.5
ALLOWANCE_MS = 40.0
GROWTH = 1.5


@dataclass(frozen=True)
class Measured:
    statement_ms: float
    turn_ms: float
    stages: dict[str, float]
    statements: int

    @property
    def allowed_ms(self) -> float:
        return FACTOR * self.statement_ms + ALLOWANCE_MS


def cite_first(request: DecisionRequest) -> str:
    key = request.brief.evidence[0].key
    text = f"It is done on the page that was found [{key}]."
    return render_decision(WireAnswer(outcome="answer", citations=[key], unresolved=[], offer="", text=text))


def new_member(organization: Organization) -> Actor:
    user = User.objects.create(username=f"bench-{uuid.uuid4()}")
    return Membership.objects.create(organization=organization, user=user).actor


def begin(actor: Actor, messages: int) -> Conversation:
    """A conversation with so many messages, all but the newest folded into its summary."""
    with tenant(actor.organization_id):
        conversation = Conversation.objects.create(
            organization_id=actor.organization_id,
            starter_id=actor.user_id,
            message_count=messages,
            summary="A recap.",
            summary_message_count=max(0, messages - 4),
        )
        Message.objects.bulk_create(
            Message(
                organization_id=actor.organization_id,
                conversation=conversation,
                ordinal=number,
                role="user" if number % 2 else "assistant",
                kind="message" if number % 2 else "reply",
                text=f"Part {number} of a long talk about balancers.",
            )
            for number in range(1, messages + 1)
        )
        yesterday = timezone.now() - datetime.timedelta(days=1)  # the rate limit counts the last minute
        Message.objects.filter(conversation=conversation).update(created_at=yesterday)
    return conversation


class Stopwatch:
    """Milliseconds spent in each stage of a turn."""

    STAGES = {"begin": "_begin", "context": "_gather", "commit": "_commit", "summary": "_summarise"}

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        with (
            patch.object(turns.queue, "claim", self._timed("claim", "claim", turns.queue)),
            patch.multiple(turns, **{name: self._timed(stage, name) for stage, name in self.STAGES.items()}),
            patch.object(turns.door, "decide", self._timed("decision", "decide", turns.door)),
        ):
            yield

    def _timed(self, stage, name, module=turns):  # type: ignore[no-untyped-def]
        work = getattr(module, name)

        def timed(*args, **kwargs):  # type: ignore[no-untyped-def]
            started = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                self.spent[stage] = self.spent.get(stage, 0) + (time.perf_counter() - started) * 1000

        return timed


def carry_out(actor: Actor, conversation: Conversation, watch: Stopwatch) -> Turn:
    started = time.perf_counter()
    with tenant(actor.organization_id):
        turn = accept_message(
            actor=actor, conversation_id=conversation.id, text=QUESTION, client_message_id=str(uuid.uuid4())
        )
    accepted = time.perf_counter()
    with watch.watching():
        turns.process_turn(organization_id=actor.organization_id, turn_id=turn.id)
    watch.spent["accept"] = (accepted - started) * 1000
    watch.spent["whole"] = (time.perf_counter() - started) * 1000
    return turn


def measure(organization: Organization, history: int) -> Measured:
    # A person of their own for each case: what one sent within a minute is counted at every message.
    actor = new_member(organization)
    conversation = begin(actor, history)
    statement, whole, stages = [], [], []
    with playing(ScriptedResponder([cite_first] * (RUNS + 2), summaries=["A recap."] * (RUNS + 2))):
        carry_out(actor, conversation, Stopwatch())
        with CaptureQueriesContext(connection) as captured:
            turn = carry_out(actor, conversation, Stopwatch())
        for _ in range(RUNS):
            statement.append(bare_statement_ms(organization))
            watch = Stopwatch()
            carry_out(actor, conversation, watch)
            whole.append(watch.spent.pop("whole"))
            stages.append(watch.spent)
    with tenant(organization.id):
        ended = Turn.objects.get(id=turn.id)
    assert (ended.state, ended.fallback) == ("answered", ""), (ended.state, ended.refusals)
    best = {name: min(run.get(name, 0.0) for run in stages) for name in stages[0]}
    return Measured(min(statement), min(whole), best, len(captured))


def bare_statement_ms(organization: Organization) -> float:
    question = ask(QUESTION, get_embedder())
    with tenant(organization.id):
        started = time.perf_counter()
        find_candidates(question, organization_id=organization.id, limit=8)
        return (time.perf_counter() - started) * 1000


COPIES = """
WITH made AS (
    INSERT INTO knowledge_knowledgechunk
        (id, source_id, organization_id, generation, ordinal, position, text, tokens, content_hash, language)
    SELECT gen_random_uuid(), %(source)s, %(to)s, 1, row_number() OVER (ORDER BY copy, c.id),
        c.id::text, c.text, c.tokens, c.content_hash, c.language
    FROM knowledge_knowledgechunk c, generate_series(1, %(copies)s) AS copy WHERE c.organization_id = %(of)s
    RETURNING id, position::uuid AS of_chunk)
INSERT INTO chunk_index (chunk_id, organization_id, embedder, embedding, lexical)
SELECT made.id, %(to)s, i.embedder, i.embedding, i.lexical FROM made JOIN chunk_index i ON i.chunk_id = made.of_chunk
"""
TERMS = """
INSERT INTO term_stats (organization_id, term, df)
SELECT %(to)s, term, df * %(copies)s FROM term_stats WHERE organization_id = %(of)s
"""
EMPTY = (
    "DELETE FROM chunk_index WHERE organization_id = %(to)s",
    "DELETE FROM knowledge_knowledgechunk WHERE organization_id = %(to)s",
    "DELETE FROM term_stats WHERE organization_id = %(to)s",
)


def fill_table(model: Organization, copies: int) -> Organization:
    """An organization with ``copies`` times the chunks of ``model``; the table holds as many more."""
    organization, _ = Organization.objects.get_or_create(slug="turn-many", defaults={"name": "Many"})
    with tenant(organization.id):
        source, _ = KnowledgeSource.objects.get_or_create(
            organization=organization,
            title="Copies",
            defaults={
                "size": 0,
                "content_hash": "copies",
                "state": KnowledgeSource.State.READY,
                "indexed_as": indexed_as(get_embedder().name),
            },
        )
    values = {"source": source.id, "to": organization.id, "of": model.id, "copies": copies}
    with connections["owner"].cursor() as cursor:
        for statement in (*EMPTY, *((COPIES, TERMS) if copies else ())):
            cursor.execute(statement, values)
        for table in ("chunk_index", "knowledge_knowledgechunk", "term_stats"):
            cursor.execute(f"VACUUM ANALYZE {table}")
    return organization


def row(name: str, measured: Measured) -> str:
    stages = "  ".join(f"{stage} {spent:.1f}" for stage, spent in measured.stages.items())
    return (
        f"{name:46} {measured.statement_ms:9.1f} {measured.turn_ms:8.1f} {measured.allowed_ms:9.1f} "
        f"{measured.statements:6}   {stages}"
    )


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    prepare_process()  # as a worker does when it starts
    # One person sends more here than a person may.
    with database(), override_settings(MESSAGES_PER_MINUTE=1_000_000):
        judged = read_set("mtrag-cloud")
        print(f"{'':46} statement     turn   allowed  statements  stages (ms, the fastest of {RUNS})")
        small = index(f"turn-{SCOPES[0]}", enlarged(judged.documents, SCOPES[0]))[0]
        fill_table(small, 0)
        cases = [_measure(small, history, f"{SCOPES[0]:,} in scope, nothing else") for history in HISTORIES]
        large = index(f"turn-{SCOPES[1]}", enlarged(judged.documents, SCOPES[1]))[0]
        many = fill_table(large, WIDE_SCOPE // SCOPES[1])
        for organization, scope in zip((small, large), SCOPES, strict=True):
            name = f"{scope:,} in scope, {WIDE_SCOPE:,} in table"
            cases += [_measure(organization, history, name) for history in HISTORIES]
        _measure(many, HISTORIES[0], f"{WIDE_SCOPE:,} in scope")
    return _judge(cases)


def _measure(organization: Organization, history: int, name: str) -> Measured:
    measured = measure(organization, history)
    print(row(f"{name}, {history:,} messages", measured), flush=True)
    return measured


def _judge(cases: list[Measured]) -> int:
    growth = cases[-1].turn_ms / cases[0].turn_ms
    over = [case for case in cases if case.turn_ms > case.allowed_ms]
    statements = {case.statements for case in cases}
    print(f"growth from the smallest to the largest: {growth:.2f} (at most {GROWTH})")
    print(
        f"over {FACTOR} × the statement + {ALLOWANCE_MS:.0f} ms: {len(over)} of {len(cases)}; statements: {statements}"
    )
    return int(bool(over) or growth > GROWTH or len(statements) > 1)


if __name__ == "__main__":
    sys.exit(main())
