"""What a brief costs: ``python -m bench.context`` in an empty database of its own (see ``bench.judged``).

Time and statements of ``build_context`` with little and with much around the message; the model is not asked.
"""

import statistics
import time
import uuid

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor, tenant
from bench.judged import database
from chat.context.builder import build_context
from chat.models import Turn
from conversations.models import Conversation, Message
from conversations.scope import add_run_result
from crm.models import Company
from knowledge.platform_docs import sync_platform_docs
from organizations.models import Membership, Organization

RUNS = 30
CASES = ((10, 1), (1_000, 1), (10, 20), (1_000, 20))


def member() -> tuple[Organization, Actor]:
    name = f"bench-{uuid.uuid4().hex[:8]}"
    organization = Organization.objects.create(slug=name, name=name)
    user = get_user_model().objects.create(username=name)
    return organization, Membership.objects.create(organization=organization, user=user).actor


def make_turn(organization: Organization, actor: Actor, messages: int, records: int) -> Turn:
    """A question in a conversation with so many messages before it and so many records in scope."""
    with tenant(organization.id):
        conversation = Conversation.objects.create(organization=organization, starter_id=actor.user_id)
        Message.objects.bulk_create(
            Message(
                organization=organization,
                conversation=conversation,
                ordinal=number,
                role="user",
                kind="message",
                text=f"What is a deal, part {number}?",
            )
            for number in range(1, messages + 1)
        )
        companies = Company.objects.bulk_create(
            Company(organization=organization, name=f"Company {uuid.uuid4().hex[:6]}") for _ in range(records)
        )
        refs = [ResourceRef("company", str(company.id)) for company in companies]
        add_run_result(conversation=conversation, refs=refs)
        message = Message.objects.create(
            organization=organization,
            conversation=conversation,
            ordinal=messages + 1,
            role="user",
            kind="message",
            text="What is lifecycle stage?",
        )
        return Turn.objects.create(
            organization=organization, conversation=conversation, message=message, deadline_at=timezone.now()
        )


def measure(messages: int, records: int) -> str:
    organization, actor = member()
    turn = make_turn(organization, actor, messages, records)
    with CaptureQueriesContext(connection) as captured:
        build_context(turn=turn, actor=actor)
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        build_context(turn=turn, actor=actor)
        times.append((time.perf_counter() - started) * 1000)
    median, slow = statistics.median(times), sorted(times)[int(RUNS * 0.95)]
    return f"{messages:>9} {records:>8} {len(captured):>11} {median:>10.1f} {slow:>10.1f}"


def main() -> None:
    with database():
        sync_platform_docs(settings.BASE_DIR / "docs" / "product")
        print(f"{'messages':>9} {'records':>8} {'statements':>11} {'median ms':>10} {'p95 ms':>10}")
        for messages, records in CASES:
            print(measure(messages, records))


if __name__ == "__main__":
    main()
