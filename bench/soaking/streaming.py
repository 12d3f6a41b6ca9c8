"""300 sockets while answers are being written, some of them cut again and again: no gap, the same end for all."""

from bench.soaking.following import Crowd, Follower
from bench.soaking.report import Report
from bench.soaking.traffic import at_once, begin_all, states, stream_ends, wait_for, wait_for_turns
from tests.processes.instance import Instance, Member

CONVERSATIONS = 30
SOCKETS_EACH = 10
CUT_SOCKETS_EACH = 3
ROUNDS = 2
REPLIES = """
SELECT t.id::text, m.text FROM chat_turn t JOIN conversations_message m ON m.id = t.reply_id
WHERE t.id = ANY(%s::uuid[])
"""


def run(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    conversations = begin_all(site, demo, CONVERSATIONS)
    first = [site.post(demo, conversation, "hello") for conversation in conversations]
    wait_for_turns(site, first)
    followers = [
        Follower(site, demo, conversation, cut_every=8 if number < CUT_SOCKETS_EACH else 0)
        for conversation in conversations
        for number in range(SOCKETS_EACH)
    ]
    with Crowd(followers) as crowd:
        ends = stream_ends(site, conversations)
        report.expect("sockets that are there when it begins", wait_for(lambda: crowd.have_all(ends), 180), True)
        turns: list[str] = []
        for _ in range(ROUNDS):
            turns += at_once(lambda c: site.post(demo, c, "What is kept in the vault? (streamed)"), conversations)
            wait_for_turns(site, turns)
        ends = stream_ends(site, conversations)
        wait_for(lambda: crowd.have_all(ends), 120)
        behind = [f.conversation for f in followers if f.last != ends[f.conversation]]
    report.expect("sockets", len(followers), CONVERSATIONS * SOCKETS_EACH)
    report.expect("states", states(site, turns), {"answered": len(turns)})
    report.expect_none("event gaps", crowd.gaps)
    report.expect_none("sockets not at the end", behind)
    report.say("pieces of answers shown", sum(follower.deltas for follower in followers))
    report.say("sockets cut", sum(follower.times_cut for follower in followers))
    steady = [follower for follower in followers if not follower.times_cut]
    said = dict(site.rows(REPLIES, turns))
    shown = [(text, said[turn]) for follower in steady for turn, text in follower.text.items()]
    report.expect("answers shown to sockets that were never cut", len(shown), len(steady) * ROUNDS)
    report.expect_none("of these, another text than the reply's", [text for text, reply in shown if text != reply])
