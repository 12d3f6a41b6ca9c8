"""From sending to the end of the turn as a client of the API sees it, with a model that takes two seconds."""

import http.client
import time

from bench.soaking.report import Report, percentile
from bench.soaking.traffic import at_once, begin_all, replies, states
from tests.processes.instance import HOST, Instance, Member

USERS = (1, 10, 50)
ROUNDS = {1: 6, 10: 4, 50: 3}
STREAM_SECONDS = 300
MODEL_SECONDS = 2.0


def run(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    for users in USERS:
        conversations = begin_all(site, demo, users)
        started = time.monotonic()
        measured = at_once(lambda conversation: _talk(site, demo, conversation), conversations * ROUNDS[users], users)
        seconds = time.monotonic() - started
        turns, times = [turn for turn, _ in measured], [took for _, took in measured]
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        report.say(
            f"{users} at once: p50 / p95 / turns a second", f"{p50:.2f} s / {p95:.2f} s / {len(turns) / seconds:.1f}"
        )
        report.expect(f"{users} at once: states", states(site, turns), {"answered": len(turns)})
        report.expect(f"{users} at once: replies", replies(site, turns), len(turns))
        if min(times) < MODEL_SECONDS:
            report.faults.append(f"a turn took {min(times):.2f} s, less than its model")


def _talk(site: Instance, member: Member, conversation: str) -> tuple[str, float]:
    started = time.monotonic()
    turn = site.post(member, conversation, "What is kept in the vault? (two seconds)")
    connection = http.client.HTTPConnection(HOST, site.port, timeout=STREAM_SECONDS)
    try:
        connection.request("GET", f"/api/v1/turns/{turn}/events", headers={"Authorization": f"Token {member.token}"})
        connection.getresponse().read()  # it ends with the turn
    finally:
        connection.close()
    return turn, time.monotonic() - started
