"""Many people at once: conversations, messages, and waiting for what becomes of them."""

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tests.processes.instance import Instance, Member

PATIENCE_SECONDS = 900.0
POLL_SECONDS = 0.25
UNFINISHED = """
SELECT id::text FROM chat_turn WHERE id = ANY(%s::uuid[])
AND state NOT IN ('answered', 'clarified', 'delegated', 'controlled', 'replied', 'failed', 'cancelled')
"""

Input = TypeVar("Input")
Output = TypeVar("Output")


def at_once(work: Callable[[Input], Output], inputs: Sequence[Input], threads: int = 50) -> list[Output]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, inputs))


def begin_all(site: Instance, member: Member, count: int) -> list[str]:
    return at_once(lambda number: site.begin(member, f"Conversation {number}"), range(count), threads=10)


def wait_for(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether it came true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(POLL_SECONDS)
    return condition()


def wait_for_turns(site: Instance, turns: Sequence[str]) -> bool:
    return wait_for(lambda: not unfinished(site, turns))


def unfinished(site: Instance, turns: Sequence[str]) -> list[str]:
    return [turn for (turn,) in site.rows(UNFINISHED, list(turns))]


def states(site: Instance, turns: Sequence[str]) -> dict[str, int]:
    rows = site.rows(
        "SELECT CASE WHEN fallback = '' THEN state ELSE state || ' by fallback: ' || fallback END, count(*) "
        "FROM chat_turn WHERE id = ANY(%s::uuid[]) GROUP BY 1 ORDER BY 1",
        list(turns),
    )
    return dict(rows)


def replies(site: Instance, turns: Sequence[str]) -> int:
    [[count]] = site.rows(
        "SELECT count(*) FROM conversations_message m JOIN chat_turn t ON t.message_id = m.in_reply_to_id "
        "WHERE m.kind = 'reply' AND t.id = ANY(%s::uuid[])",
        list(turns),
    )
    return int(count)


def stream_ends(site: Instance, conversations: Sequence[str]) -> dict[str, int]:
    names = [f"conversation:{conversation}" for conversation in conversations]
    rows = site.rows("SELECT name, last_number FROM streams_stream WHERE name = ANY(%s)", names)
    return {name.partition(":")[2]: number for name, number in rows}


def new_client_id() -> str:
    return secrets.token_hex(8)
