"""Many conversations at once, each about something of its own: nothing of one shows up in another."""

from collections import Counter

from bench.soaking.report import Report
from bench.soaking.script import CITED
from bench.soaking.traffic import at_once, begin_all, replies, states, wait_for_turns
from tests.processes.instance import Instance, Json, Member

TALKS = 30
TOKEN_BUDGET = 6_000
RECORD_KINDS = {"company", "person", "prospect", "deal", "opportunity", "activity"}
PUBLISH = """
from agencycore.tenancy import tenant
from organizations.models import Organization
from tests.runs.definitions import publish_definition
organization = Organization.objects.get(slug="northwind")
with tenant(organization.id):
    publish_definition(organization, "soak-work", name="Soak work", description="Does the soak work.")
"""


def context(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    """Two messages about one record each: the second one's words point at it."""
    companies = _companies(site, demo)
    conversations = begin_all(site, demo, TALKS)
    about = {c: companies[number % len(companies)] for number, c in enumerate(conversations)}
    first = at_once(lambda c: site.post(demo, c, "Who owns this?", refs=[f"company:{about[c]}"]), conversations)
    wait_for_turns(site, first)
    second = at_once(lambda c: site.post(demo, c, "And which stage is it in?"), conversations)
    wait_for_turns(site, second)
    report.expect("states", states(site, [*first, *second]), {"answered": 2 * TALKS})
    briefs = _briefs(site, [*first, *second])
    wrong = [c for c, brief in briefs if _records(brief, "company") != {about[c]}]
    report.expect("briefs", len(briefs), 2 * TALKS)
    report.expect_none("briefs that do not hold their record, and it alone", wrong)
    unresolved = [c for c, brief in briefs if [ref["id"] for ref in brief["reference"]["refs"]] != [about[c]]]
    report.expect_none("messages whose words were not resolved", unresolved)
    largest = max(sum(brief["token_breakdown"].values()) for _, brief in briefs)
    report.say("largest brief, tokens", largest)
    report.expect_none("briefs over their budget", [1] if largest > TOKEN_BUDGET else [])
    report.expect_none(
        "sources that were not read",
        [s for _, brief in briefs for s in brief["sources"] if s["state"] == "unavailable"],
    )


def routing(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    """Every outcome at once; each turn ends in its own."""
    said = site.data.python("manage.py", "shell", "-c", PUBLISH).communicate()[0]
    if "Error" in said:
        report.faults.append(said[-500:])
        return
    wanted = {
        "What is kept in the vault?": "answered",
        "Tell me about one of them": "clarified",
        "Do the soak work for us now": "delegated",
        "hello": "answered",
    }
    mail = [text for text in wanted for _ in range(15)]
    conversations = begin_all(site, demo, len(mail))
    turns = at_once(lambda pair: site.post(demo, *pair), list(zip(conversations, mail, strict=True)))
    wait_for_turns(site, turns)
    report.expect("states", states(site, turns), dict(sorted(Counter(wanted[text] for text in mail).items())))
    found = {turn: site.turn(turn) for turn in turns}
    report.expect_none(
        "turns with another outcome than decided",
        [t for t, text in zip(turns, mail, strict=True) if found[t]["state"] != wanted[text]],
    )
    runs = [turn["run_id"] for turn in found.values() if turn["run_id"]]
    report.expect("runs, one for each delegated turn", (len(runs), len(set(runs))), (15, 15))
    report.expect("replies", replies(site, turns), len(turns))


def citations(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    """What is cited was in the turn's own brief, word for word, and opens for its reader alone."""
    conversations = begin_all(site, demo, TALKS)
    turns = at_once(lambda c: site.post(demo, c, "What is lifecycle stage?"), conversations)
    wait_for_turns(site, turns)
    report.expect("states", states(site, turns), {"answered": TALKS})
    rows = site.rows(
        "SELECT c.id, c.key, c.resource_id, c.excerpt, c.marker, m.text, t.brief FROM conversations_citation c "
        "JOIN chat_turn t ON t.reply_id = c.message_id JOIN conversations_message m ON m.id = c.message_id "
        "WHERE t.id = ANY(%s::uuid[])",
        turns,
    )
    report.expect("citations", len(rows), TALKS * len(CITED["citations"]))
    strange = [row[0] for row in rows if not _was_in_brief(row[1], row[2], row[3], row[6])]
    report.expect_none("citations of what the model did not see", strange)
    report.expect_none("markers that are not in the text", [row[0] for row in rows if f"[{row[4]}]" not in row[5]])
    opened = at_once(lambda row: site.page(demo, f"/chat/citations/{row[0]}/"), rows, 10)
    report.expect("passages that open for their reader", opened.count(200), len(rows))
    foreign = at_once(lambda row: site.page(rival, f"/chat/citations/{row[0]}/"), rows, 10)
    report.expect("passages that do not exist for a stranger", foreign.count(404), len(rows))


def tenancy(site: Instance, demo: Member, rival: Member, report: Report) -> None:
    """Both organizations at once, each naming the other's records and addresses."""
    people = {"demo": demo, "rival": rival}
    foreign = {"demo": _companies(site, rival), "rival": _companies(site, demo)}
    own = {"demo": set(_records_of(site, demo)), "rival": set(_records_of(site, rival))}
    mail = [
        (name, begun, number)
        for name, person in people.items()
        for number, begun in enumerate(begin_all(site, person, TALKS))
    ]

    def ask(letter: tuple[str, str, int]) -> str:
        name, conversation, number = letter
        ref = foreign[name][number % len(foreign[name])]
        return site.post(
            people[name], conversation, f"Who owns this and company number {number}?", refs=[f"company:{ref}"]
        )

    turns = at_once(ask, mail)
    wait_for_turns(site, turns)
    report.expect("replies", replies(site, turns), len(turns))
    owner_of = {conversation: name for name, conversation, _ in mail}
    briefs = _briefs(site, turns)
    leaked = [c for c, brief in briefs if not _records(brief, *RECORD_KINDS) <= own[owner_of[c]]]
    report.expect_none("briefs that hold a foreign record", leaked)
    other = {"demo": rival, "rival": demo}
    looks = [(other[name], f"conversations/{conversation}/") for name, conversation, _ in mail]
    looks += [(other[name], f"turns/{turn}/") for (name, _, _), turn in zip(mail, turns, strict=True)]
    answers = at_once(lambda look: site.api(look[0], "GET", look[1]), looks, 20)
    report.expect("foreign addresses that do not exist", sum(a.status == 404 for a in answers), len(looks))


def _companies(site: Instance, member: Member) -> list[str]:
    rows = site.rows("SELECT id::text FROM crm_company WHERE organization_id = %s ORDER BY id", member.organization_id)
    return [company for (company,) in rows]


def _records_of(site: Instance, member: Member) -> list[str]:
    union = " UNION ALL ".join(f"SELECT id::text FROM crm_{kind} WHERE organization_id = %s" for kind in RECORD_KINDS)  # noqa: S608
    return [record for (record,) in site.rows(union, *[member.organization_id] * len(RECORD_KINDS))]


def _briefs(site: Instance, turns: list[str]) -> list[tuple[str, Json]]:
    return site.rows("SELECT conversation_id::text, brief FROM chat_turn WHERE id = ANY(%s::uuid[])", turns)  # type: ignore[return-value]


def _records(brief: Json, *kinds: str) -> set[str]:
    return {item["id"] for item in brief["items"] if item["source"] == "application" and item["kind"] in kinds}


def _was_in_brief(key: str, resource_id: str, excerpt: str, brief: Json) -> bool:
    return any(
        (item["key"], item["id"]) == (key, resource_id) and item["evidence"] and excerpt.strip() in item["text"]
        for item in brief["items"]
    )
