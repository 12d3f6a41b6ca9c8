"""What every prompt of real turns keeps to: one prefix, one preamble, no passage twice."""

import datetime
import random
from types import SimpleNamespace

import pytest
from django.utils import timezone
from pytest_django import Settings

from agencycore.ai.scripted import playing
from agencycore.ai.types import DecisionRequest
from chat.context import builder
from chat.frontdoor.prompt import PREFIX, PROMPT_VERSION
from tests.chat.pipeline import Model, Talk
from tests.lessons.desk import company, said, upload
from tests.people import Person

UNKNOWN = said("That is not known here.", unresolved=("The vault",))
TURNS = 14

POLICY = (
    "The deposit for a rented bicycle is twenty euros and it is paid back in cash at the desk of the station where "
    "the bicycle was rented, on the day on which it is returned, if neither the lock nor the lamp is missing. "
)


def whole(request: DecisionRequest) -> str:
    return "\n".join(message.text for message in request.prompt.messages)


def test_the_prefix_is_the_same_bytes_for_every_turn_person_organization_and_day(
    owner: Person, teammate: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
):
    acme = company(owner, "Acme")
    talks = [Talk(person, Model("scripted")) for person in (owner, teammate, stranger)]
    with playing([UNKNOWN] * 7) as model:
        for talk in talks:
            talk.work(talk.post("What is kept in the vault?"))
            talk.work(talk.post("Wer hat den Schlüssel zum Tresor?"))
        monkeypatch.setattr(builder, "timezone", SimpleNamespace(now=lambda: timezone.now() + datetime.timedelta(9)))
        talks[0].work(talks[0].post("Who owns this company?", acme))

    assert {request.prompt.prefix for request in model.requests} == {PREFIX}
    assert {request.prompt.version for request in model.requests} == {PROMPT_VERSION}
    assert {talk.reread(turn).prompt_version for talk in talks for turn in talk.turns} == {PROMPT_VERSION}
    for moving in ("Acme", "olivia", "Birch", str(owner.organization.id), "vault", "Tresor"):
        assert moving not in PREFIX


@pytest.mark.parametrize("seed", range(6))
def test_every_prompt_holds_the_current_date_page_and_scope_exactly_once(
    owner: Person, settings: Settings, monkeypatch: pytest.MonkeyPatch, seed: int
):
    """Days pass, pages change and come back, records enter the scope, the summary rolls, a message is retried."""
    settings.MESSAGES_PER_MINUTE = 1_000
    chance = random.Random(seed)
    places = [company(owner, name) for name in ("Acme", "Birch", "Cedar")]
    talk = Talk(owner, Model("scripted"))
    day = timezone.now()
    with playing([UNKNOWN] * TURNS, summaries=["A recap."] * TURNS) as model:
        for number in range(TURNS):
            day += datetime.timedelta(days=chance.choice([0, 0, 0, 1]))
            monkeypatch.setattr(builder, "timezone", SimpleNamespace(now=lambda day=day: day))
            page = chance.choice([None, None, *places])
            refs = chance.sample(places, chance.choice([0, 0, 0, 1]))
            fields = {"page": f"company:{page.id}"} if page else {}
            turn = talk.work(talk.post(f"What is kept in vault {number}?", *refs, **fields))
            assert turn.state == "answered"

    requests = [request for request in model.requests if isinstance(request, DecisionRequest)]
    assert len(requests) == TURNS
    for request in requests:
        text, preamble = whole(request), request.brief.preamble
        assert text.count(preamble) == 1
        # It is also the one in force: no other stands after it.
        assert text.rindex("<now>") == text.index(preamble) - len("<now>\n")
        assert text.endswith(f"<message>\n{request.brief.message}\n</message>")
    assert len({request.brief.preamble for request in requests}) > 3


def test_a_passage_that_nearly_repeats_another_is_read_once(talk):
    """Two versions of one document, a word apart: the brief holds one, and the report counts the other."""
    upload(talk.person, f"# Bicycles\n\n{POLICY}It is printed on every bill.", "bicycles.md")
    upload(talk.person, f"# Bicycles\n\n{POLICY}It is printed on each bill.", "bicycles-2.md")
    upload(talk.person, "# Helmets\n\nThe deposit for a helmet is five euros.", "helmets.md")

    turn = talk.say("How high is the deposit for a rented bicycle?", decision=UNKNOWN)

    passages = [item["text"] for item in turn.brief["items"] if item["source"] == "knowledge"]
    assert [POLICY.strip() in text for text in passages].count(True) == 1
    [report] = [report for report in turn.brief["sources"] if report["name"] == "knowledge"]
    assert (report["state"], report["items"], report["dropped"]) == ("ok", len(passages), 1)
    prompt = "\n".join(message["text"] for message in turn.prompt["messages"])
    assert prompt.count("The deposit for a rented bicycle is twenty euros") == 1
