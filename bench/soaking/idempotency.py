"""50 conversations × 10 messages at once, workers killed, Redis flushed and restarted: each is answered once."""

import threading
import time

from bench.soaking.following import Crowd, Follower
from bench.soaking.report import Report
from bench.soaking.traffic import (
    at_once,
    begin_all,
    new_client_id,
    replies,
    states,
    stream_ends,
    unfinished,
    wait_for,
    wait_for_turns,
)
from tests.processes.instance import Instance, Member

CONVERSATIONS = 50
MESSAGES = 10
WORKERS = ("turns", "turns-2")
KILL_EVERY_SECONDS = 5.0
# How many replies there are when Redis is flushed, flushed again, and restarted.
FLUSHES = (100, 300)
RESTART = 200
IN_ORDER = """
SELECT conversation_id::text FROM (
    SELECT r.conversation_id, m.ordinal,
        lag(m.ordinal) OVER (PARTITION BY r.conversation_id ORDER BY r.ordinal) AS before
    FROM conversations_message r JOIN conversations_message m ON m.id = r.in_reply_to_id
    WHERE r.kind = 'reply' AND r.conversation_id = ANY(%s::uuid[])) AS told
WHERE before > ordinal
"""


class Trouble(threading.Thread):
    """Kills one worker after the other and starts it again, until ``stop``; Redis suffers at its figures.

    Only when both are there: on a slow machine no worker would ever live.
    """

    def __init__(self, site: Instance, turns: list[str]) -> None:
        super().__init__()
        self.kills = self.flushes = self.restarts = 0
        self._site = site
        self._turns = turns
        self._stopped = threading.Event()

    def run(self) -> None:
        kill_at = time.monotonic() + KILL_EVERY_SECONDS
        while not self._stopped.wait(0.3):
            if time.monotonic() >= kill_at and self._site.are_ready(WORKERS):
                self._kill(WORKERS[self.kills % 2])
                kill_at = time.monotonic() + KILL_EVERY_SECONDS
            self._trouble_redis(replies(self._site, self._turns))

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def _kill(self, name: str) -> None:
        self._site.kill(name)
        self._site.start(name)
        self.kills += 1

    def _trouble_redis(self, answered: int) -> None:
        if self.flushes < len(FLUSHES) and answered >= FLUSHES[self.flushes]:
            self._site.redis_command("FLUSHALL")
            self.flushes += 1
        if not self.restarts and answered >= RESTART:
            self._site.redis().terminate()
            self.restarts += 1


def run(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    conversations = begin_all(site, demo, CONVERSATIONS)
    mail = [
        (conversation, f"What is kept in vault {n}?", new_client_id())
        for n in range(MESSAGES)
        for conversation in conversations
    ]
    turns: list[str] = []
    trouble = Trouble(site, turns)
    followers = [Follower(site, demo, conversation, cut_every=15) for conversation in conversations]

    def post(letter: tuple[str, str, str]) -> str:
        conversation, text, client_message_id = letter
        turn = site.post(demo, conversation, text, client_message_id=client_message_id)
        turns.append(turn)
        return turn

    with Crowd(followers) as crowd:
        trouble.start()
        started = time.monotonic()
        first = at_once(post, mail)
        again = at_once(post, mail[::10])
        wait_for_turns(site, first)
        seconds = time.monotonic() - started
        trouble.stop()
        ends = stream_ends(site, conversations)
        wait_for(lambda: crowd.have_all(ends), seconds=120)
        report.expect("sockets at the end of their stream", sum(f.last == ends[f.conversation] for f in followers), 50)
    report.say("seconds until all were answered", f"{seconds:.0f}")
    report.say(
        "workers killed / Redis flushed / restarted", f"{trouble.kills} / {trouble.flushes} / {trouble.restarts}"
    )
    report.say("sockets cut", sum(follower.times_cut for follower in followers))
    report.expect("repeated posts that made a second turn", len(set(again) - set(first)), 0)
    report.expect("turns", len(set(first)), CONVERSATIONS * MESSAGES)
    report.expect("states", states(site, first), {"answered": CONVERSATIONS * MESSAGES})
    report.expect("replies", replies(site, first), CONVERSATIONS * MESSAGES)
    report.expect_none("unfinished", unfinished(site, first))
    report.expect_none("conversations answered out of order", site.rows(IN_ORDER, conversations))
    _count_payments(site, first, report)
    report.expect_none("event gaps", crowd.gaps)


def _count_payments(site: Instance, turns: list[str], report: Report) -> None:
    usage = site.rows(
        "SELECT owner_id, count(*) FROM organizations_usagerecord WHERE purpose = 'decision' "
        "AND owner_id = ANY(%s::uuid[]) GROUP BY 1",
        turns,
    )
    report.expect("turns with a usage row", len(usage), len(turns))
    report.expect_none("doubled usage rows", [row for row in usage if row[1] != 1])
    [[calls, lost, most]] = site.rows(
        "SELECT sum(calls), sum(lost), max(calls) FROM (SELECT count(*) AS calls, "
        "count(*) FILTER (WHERE error_code = 'lost') AS lost FROM organizations_modelcall "
        "WHERE purpose = 'decision' AND owner_id = ANY(%s::uuid[]) GROUP BY owner_id) AS of_turns",
        turns,
    )
    report.say("model calls / cut off by a kill / most for one turn", f"{calls} / {lost} / {most}")
    still = site.rows(
        "SELECT purpose FROM organizations_modelcall WHERE state = 'reserved' AND owner_id = ANY(%s::uuid[])", turns
    )
    report.expect_none("decisions never settled", [row for row in still if row[0] == "decision"])
    # The next turn makes the summary anew; what this one had reserved expires.
    report.say("summaries cut off by a kill", sum(row[0] == "summary" for row in still))
