"""Entity scope: what writes it, what is refused, what is evicted, and the share each kind takes."""

import datetime
import uuid

import pytest

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from conversations.models import Conversation, ConversationEntity, Message
from conversations.scope import (
    SCOPE_BOUND,
    add_cited_refs,
    add_run_result,
    add_sent_refs,
    cut_to_bound,
    entities_in_scope,
    write_refs,
)
from tests.people import Person

NOW = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
STEP = datetime.timedelta(microseconds=1)


def refs(kind: str, count: int, first: int = 1) -> list[ResourceRef]:
    return [ResourceRef(kind, f"{kind}-{number}", f"{kind} {number}") for number in range(first, first + count)]


def start(person: Person) -> Conversation:
    with tenant(person.organization.id):
        return Conversation.objects.create(organization=person.organization, starter=person.user)


def add_message(conversation: Conversation, ordinal: int, role: str = "user") -> Message:
    with tenant(conversation.organization_id):
        return Message.objects.create(
            organization_id=conversation.organization_id,
            conversation=conversation,
            ordinal=ordinal,
            role=role,
            kind="message" if role == "user" else "reply",
            text="…",
        )


def scope_of(conversation: Conversation) -> list[tuple[str, str]]:
    with tenant(conversation.organization_id):
        return [(row.kind, row.resource_id) for row in entities_in_scope(conversation)]


def by_kind(kept: list[ResourceRef]) -> dict[str, list[str]]:
    return {kind: [ref.id for ref in kept if ref.kind == kind] for kind in sorted({ref.kind for ref in kept})}


def test_ten_prospects_and_seventy_five_people_share_the_bound_ten_and_ten() -> None:
    kept = cut_to_bound([*refs("prospect", 10), *refs("person", 75)])

    assert by_kind(kept) == {
        "person": [f"person-{number}" for number in range(66, 76)],
        "prospect": [f"prospect-{number}" for number in range(1, 11)],
    }


def test_five_kinds_of_twenty_keep_the_last_four_of_each() -> None:
    kinds = ["company", "person", "prospect", "deal", "opportunity"]

    kept = cut_to_bound([ref for kind in kinds for ref in refs(kind, 20)])

    assert by_kind(kept) == {kind: [f"{kind}-{number}" for number in (17, 18, 19, 20)] for kind in sorted(kinds)}


def test_a_kind_with_less_than_its_share_releases_the_rest() -> None:
    kept = cut_to_bound([*refs("deal", 2), *refs("person", 30), *refs("company", 30)])

    assert {kind: len(ids) for kind, ids in by_kind(kept).items()} == {"company": 9, "deal": 2, "person": 9}


def test_the_rounding_remainder_goes_to_the_later_kinds() -> None:
    kept = cut_to_bound([*refs("person", 30), *refs("deal", 30), *refs("company", 30)])

    assert {kind: len(ids) for kind, ids in by_kind(kept).items()} == {"company": 6, "deal": 7, "person": 7}


def test_the_order_of_the_result_is_kept_and_a_repeat_counts_where_it_stands_last() -> None:
    one, two, three = refs("deal", 3)

    assert cut_to_bound([one, two, three, one]) == [two, three, one]


@pytest.mark.django_db
def test_rows_of_one_write_get_strictly_increasing_times_and_the_last_is_foremost(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        change = add_run_result(conversation=conversation, refs=refs("company", 3), now=NOW)
        rows = entities_in_scope(conversation)

    assert change.written == tuple(refs("company", 3))
    assert [(row.resource_id, row.last_referenced_at) for row in rows] == [
        ("company-3", NOW + 2 * STEP),
        ("company-2", NOW + STEP),
        ("company-1", NOW),
    ]
    assert [row.introduced_by_message_id for row in rows] == [None, None, None]


@pytest.mark.django_db
def test_platform_kinds_and_unknown_kinds_are_refused(owner: Person) -> None:
    conversation = start(owner)
    platform = [ResourceRef(kind, "1") for kind in ("knowledge_chunk", "definition", "memory", "no_such_kind")]
    company = refs("company", 1)[0]

    with tenant(owner.organization.id):
        change = add_run_result(conversation=conversation, refs=[*platform, company], now=NOW)

    assert change.refused == tuple(platform)
    assert scope_of(conversation) == [company.key]


@pytest.mark.django_db
def test_refused_refs_take_no_share(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        change = add_run_result(
            conversation=conversation, refs=[*refs("knowledge_chunk", 40), *refs("company", 20)], now=NOW
        )

    assert change.written == tuple(refs("company", 20))


@pytest.mark.django_db
def test_a_citation_moves_the_row_to_its_reply_and_a_run_result_leaves_it_there(owner: Person) -> None:
    conversation = start(owner)
    company = refs("company", 1)
    question, reply = add_message(conversation, 1), add_message(conversation, 2, "assistant")

    with tenant(owner.organization.id):
        add_sent_refs(message=question, refs=company, now=NOW)
        introduced = [entities_in_scope(conversation)[0].introduced_by_message_id]
        add_cited_refs(reply=reply, refs=company, now=NOW + STEP)
        introduced.append(entities_in_scope(conversation)[0].introduced_by_message_id)
        add_run_result(conversation=conversation, refs=company, now=NOW + 2 * STEP)
        row = entities_in_scope(conversation)[0]

    assert introduced == [question.id, reply.id]
    assert (row.introduced_by_message_id, row.last_referenced_at) == (reply.id, NOW + 2 * STEP)


@pytest.mark.django_db
def test_a_citation_ties_a_run_result_to_its_reply(owner: Person) -> None:
    conversation = start(owner)
    reply = add_message(conversation, 1, "assistant")

    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=refs("deal", 1), now=NOW)
        add_cited_refs(reply=reply, refs=refs("deal", 1), now=NOW)
        row = entities_in_scope(conversation)[0]

    assert (row.introduced_by_message_id, row.last_referenced_at) == (reply.id, NOW + STEP)


@pytest.mark.django_db
def test_the_bound_evicts_the_least_recently_referenced_and_names_it(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=refs("company", 20), now=NOW)
        add_run_result(conversation=conversation, refs=refs("company", 1), now=NOW + STEP * 100)
        change = add_run_result(conversation=conversation, refs=refs("deal", 2), now=NOW + STEP * 200)

    assert [ref.id for ref in change.evicted] == ["company-3", "company-2"]
    assert len(scope_of(conversation)) == SCOPE_BOUND
    assert scope_of(conversation)[:3] == [("deal", "deal-2"), ("deal", "deal-1"), ("company", "company-1")]


@pytest.mark.django_db
def test_a_time_never_goes_down_also_when_a_writers_clock_is_behind(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=refs("company", 2), now=NOW)
        add_run_result(conversation=conversation, refs=refs("company", 1), now=NOW - datetime.timedelta(hours=1))
        rows = entities_in_scope(conversation)

    assert [(row.resource_id, row.last_referenced_at) for row in rows] == [
        ("company-1", NOW + 2 * STEP),
        ("company-2", NOW + STEP),
    ]


@pytest.mark.django_db
def test_deleting_the_introducing_message_deletes_the_pointer(owner: Person) -> None:
    conversation = start(owner)
    message = add_message(conversation, 1)

    with tenant(owner.organization.id):
        add_sent_refs(message=message, refs=refs("company", 1), now=NOW)
        add_run_result(conversation=conversation, refs=refs("deal", 1), now=NOW)
        message.delete()

    assert scope_of(conversation) == [("deal", "deal-1")]


@pytest.mark.django_db
def test_nothing_to_write_touches_nothing(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        change = write_refs(conversation=conversation, refs=refs("memory", 3), message=None)

    assert (change.written, change.evicted, len(change.refused)) == ((), (), 3)
    assert scope_of(conversation) == []


@pytest.mark.django_db
def test_the_scope_of_another_organization_is_not_there(owner: Person, stranger: Person) -> None:
    conversation = start(owner)
    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=refs("company", 2), now=NOW)

    with tenant(stranger.organization.id):
        assert entities_in_scope(conversation) == []
        with pytest.raises(Conversation.DoesNotExist):
            add_run_result(conversation=conversation, refs=refs("deal", 1))
        assert ConversationEntity.objects.count() == 0

    assert len(scope_of(conversation)) == 2


@pytest.mark.django_db
def test_a_label_is_cut_to_its_column(owner: Person) -> None:
    conversation = start(owner)

    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=[ResourceRef("company", str(uuid.uuid4()), "x" * 500)])

        assert entities_in_scope(conversation)[0].label == "x" * 200
