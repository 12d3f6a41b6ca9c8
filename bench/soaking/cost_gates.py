"""50 turns at once where a day's limit has room for three more calls: three are made, and all 50 are answered."""

from bench.soaking.report import Report
from bench.soaking.script import costly
from bench.soaking.traffic import at_once, begin_all, replies, states, wait_for_turns
from tests.processes.instance import Instance, Member

TURNS = 50
CALLS_LEFT = 3
QUESTION = "What is kept in the vault? (costly)"


def run(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    reserved = _reserved_by_one(site, rival)
    site.rewrite_script(costly(reserved))
    for name in ("turns", "turns-2"):
        site.kill(name)
        site.start(name)
    site.wait_ready()
    [[limit]] = site.rows(
        "SELECT daily_token_limit FROM organizations_organization WHERE id = %s", rival.organization_id
    )
    try:
        _leave(site, rival, CALLS_LEFT * reserved + reserved // 2)
        conversations = begin_all(site, rival, TURNS)
        turns = at_once(lambda conversation: site.post(rival, conversation, QUESTION), conversations)
        wait_for_turns(site, turns)
    finally:
        site.rows("UPDATE organizations_organization SET daily_token_limit = %s RETURNING 1", limit)
    made = site.rows(
        "SELECT owner_id, reserved_tokens FROM organizations_modelcall WHERE owner_id = ANY(%s::uuid[])", turns
    )
    report.say("tokens reserved by one call", reserved)
    report.expect("calls made", len(made), CALLS_LEFT)
    wanted = {"answered": CALLS_LEFT, "answered by fallback: limit": TURNS - CALLS_LEFT}
    report.expect("states", states(site, turns), wanted)
    report.expect("replies", replies(site, turns), TURNS)
    usage = site.rows("SELECT owner_id FROM organizations_usagerecord WHERE owner_id = ANY(%s::uuid[])", turns)
    report.expect("usage rows", len(usage), TURNS)


def _reserved_by_one(site: Instance, member: Member) -> int:
    turn = site.post(member, site.begin(member, "Conversation 1"), QUESTION)
    wait_for_turns(site, [turn])
    [[reserved]] = site.rows("SELECT reserved_tokens FROM organizations_modelcall WHERE owner_id = %s", turn)
    return int(reserved)


def _leave(site: Instance, member: Member, tokens: int) -> None:
    site.rows(
        "UPDATE organizations_organization SET daily_token_limit = %s + "
        "(SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM organizations_modelcall "
        "WHERE organization_id = %s) WHERE id = %s RETURNING 1",
        tokens,
        member.organization_id,
        member.organization_id,
    )
