"""Real processes, killed and cut off at the worst moments: every message is answered, once, and paid once."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.agencycore.bundled import prepared_data_folder, wait_until
from tests.processes.instance import Answer, Instance, Json, Member
from tests.processes.listening import Listener

pytestmark = pytest.mark.processes

WORKERS = ("turns", "turns-2")
NOT_KNOWN = {"outcome": "answer", "citations": [], "unresolved": ["The vault"], "offer": "", "text": "Not known here."}
SCRIPT: list[Json] = [
    {"match": "slowly", "reply": NOT_KNOWN, "delay_seconds": 3},
    {"match": "", "reply": NOT_KNOWN},
]
QUESTION = "What is kept in the vault?"
SLOW_QUESTION = "What is slowly kept in the vault?"
WHOLE_TURN = ["accepted", "thinking", "checking_context", "finding_capability", "answered"]


@pytest.fixture(scope="module")
def product() -> Iterator[Instance]:
    data = prepared_data_folder()
    instance = Instance(SCRIPT, data, LEASE_SECONDS="3", HEARTBEAT_SECONDS="1", SWEEP_SECONDS="1")
    try:
        instance.open("web", "beat", *WORKERS)
        yield instance
    finally:
        instance.close()


@pytest.fixture(scope="module")
def demo(product: Instance) -> Member:
    return product.member("demo")


@pytest.fixture
def conversation(product: Instance, demo: Member) -> str:
    return product.begin(demo)


@contextmanager
def listening(product: Instance, member: Member, conversation: str) -> Iterator[Listener]:
    listener = Listener(product, member, conversation)
    try:
        yield listener
    finally:
        listener.leave()


def kill_holder(product: Instance, turn: str) -> None:
    """Kill the worker at work on the turn, and have another one in its place for the next test."""
    name = product.holder_of(turn)
    product.kill(name)
    product.start(name)


def wait_for_call(product: Instance, turn: str) -> None:
    reserved = "SELECT 1 FROM organizations_modelcall WHERE owner_id = %s AND state = 'reserved'"
    wait_until(lambda: product.rows(reserved, turn) != [])


def calls(product: Instance, turn: str) -> list[tuple[str, str]]:
    return product.rows(
        "SELECT state, error_code FROM organizations_modelcall WHERE owner_id = %s ORDER BY created_at", turn
    )


def assert_answered_once(product: Instance, turn: str, *, paid_calls: int) -> None:
    ended = product.wait_for_state(turn, "answered", "failed", "cancelled")
    assert (ended["state"], ended["outcome"], ended["fallback"]) == ("answered", "answer", "")
    wait_until(lambda: product.rows("SELECT 1 FROM dispatch_dispatch WHERE object_id = %s", turn) == [])
    message = ended["message_id"]
    replies = product.rows("SELECT id, text FROM conversations_message WHERE in_reply_to_id = %s", message)
    assert replies == [(ended["reply_id"], "Not known here.")]
    usage = product.rows("SELECT purpose, calls FROM organizations_usagerecord WHERE owner_id = %s", turn)
    assert usage == [("decision", paid_calls)]
    told = product.rows(
        "SELECT count(*) FROM streams_event WHERE type = 'message.created' AND payload->>'turn' = %s", turn
    )
    assert told == [(1,)]


def test_a_worker_killed_while_the_context_is_gathered(product: Instance, demo: Member, conversation: str):
    with product.transaction("LOCK TABLE chunk_index IN ACCESS EXCLUSIVE MODE"):
        turn = product.post(demo, conversation, QUESTION)
        waiting = "SELECT 1 FROM pg_locks WHERE relation = 'chunk_index'::regclass AND NOT granted"
        wait_until(lambda: product.rows(waiting) != [])
        assert product.turn(turn)["state"] == "checking_context"

        kill_holder(product, turn)

    assert_answered_once(product, turn, paid_calls=1)
    assert calls(product, turn) == [("settled", "")]


def test_a_worker_killed_during_the_model_call(product: Instance, demo: Member, conversation: str):
    with listening(product, demo, conversation) as page:
        turn = product.post(demo, conversation, SLOW_QUESTION)
        wait_for_call(product, turn)

        kill_holder(product, turn)

        assert_answered_once(product, turn, paid_calls=2)
        assert calls(product, turn) == [("failed", "lost"), ("settled", "")]
        wait_until(lambda: page.states(turn)[-1:] == ["answered"])
        assert page.states(turn) == [*WHOLE_TURN[:-1], *WHOLE_TURN[1:]]
        assert page.numbers == list(range(1, len(page.numbers) + 1))


def test_a_worker_killed_after_the_checkpoint_is_not_paid_again(product: Instance, demo: Member, conversation: str):
    turn = product.post(demo, conversation, SLOW_QUESTION)
    wait_for_call(product, turn)
    with product.transaction("SELECT 1 FROM conversations_conversation WHERE id = %s FOR UPDATE", conversation):
        wait_until(lambda: product.turn(turn)["decision"] is not None)

        kill_holder(product, turn)

    assert_answered_once(product, turn, paid_calls=1)
    assert calls(product, turn) == [("settled", "")]


def test_one_message_posted_twenty_times_at_once_is_one_message_one_turn_one_reply(
    product: Instance, demo: Member, conversation: str
):
    together = threading.Barrier(20)

    def post(_: int) -> Answer:
        together.wait()
        body = {"text": QUESTION, "client_message_id": "the-one"}
        return product.api(demo, "POST", f"conversations/{conversation}/messages/", body)

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(post, range(20)))

    assert {answer.status for answer in answers} == {201}
    [turn] = {answer.body["id"] for answer in answers}
    assert_answered_once(product, turn, paid_calls=1)
    roles = product.rows(
        "SELECT role FROM conversations_message WHERE conversation_id = %s ORDER BY ordinal", conversation
    )
    assert roles == [("user",), ("assistant",)]
    assert product.rows("SELECT count(*) FROM chat_turn WHERE conversation_id = %s", conversation) == [(1,)]


def test_redis_lost_during_a_turn_and_while_posting(product: Instance, demo: Member, conversation: str):
    later = product.begin(demo)
    with listening(product, demo, conversation) as page:
        during = product.post(demo, conversation, SLOW_QUESTION)
        wait_for_call(product, during)

        with product.redis_away():
            posted = product.post(demo, later, QUESTION)
            with listening(product, demo, later) as other_page, listening(product, demo, conversation) as second_tab:
                assert_answered_once(product, during, paid_calls=1)
                wait_until(lambda: page.states(during) == second_tab.states(during) == WHOLE_TURN)
                wait_until(lambda: other_page.states(posted) == ["accepted"])
                assert product.turn(posted)["state"] == "accepted"

    with listening(product, demo, later) as other_page:
        assert_answered_once(product, posted, paid_calls=1)
        wait_until(lambda: other_page.states(posted) == WHOLE_TURN)
        assert other_page.numbers == list(range(1, len(other_page.numbers) + 1))


def test_redis_that_answers_nothing_keeps_no_message_back(product: Instance, demo: Member, conversation: str):
    with product.redis_hanging():
        turn = product.post(demo, conversation, QUESTION)
        assert product.turn(turn)["state"] == "accepted"

    with listening(product, demo, conversation) as page:
        assert_answered_once(product, turn, paid_calls=1)
        wait_until(lambda: page.states(turn) == WHOLE_TURN)
