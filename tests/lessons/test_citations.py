"""Lessons 1, 2, 4 and 5: a citation is what the model read, and stays it wherever it is looked at."""

from agencycore.ai.scripted import playing
from agencycore.tenancy import tenant
from crm.models import Company
from organizations.models import Membership
from tests.chat.pipeline import answer_from, nothing_known
from tests.lessons.desk import (
    RAIL,
    RAIL_QUESTION,
    TRAVEL,
    api,
    api_messages,
    company,
    delete_document,
    exported,
    exported_markdown,
    key_of,
    opened,
    page_of,
    said,
    shown_replies,
    upload,
)

REFUNDS = {
    "Rail": "Rail tickets are refunded within fourteen days when the receipt is attached.",
    "Hotels": "Hotel nights are refunded by the office after the guest has signed the bill.",
    "Flights": "Flights are refunded only if the airline itself cancelled them.",
    "Taxis": "Taxi rides are refunded up to thirty euros, at night up to sixty.",
    "Meals": "Meals with customers are refunded with the names of all guests.",
    "Parking": "Parking is refunded at airports and never in the home town.",
    "Fuel": "Fuel for the own car is refunded by the kilometre.",
}
REFUND_HANDBOOK = "# Refunds\n\n" + "\n".join(f"## {name}\n\n{text}\n" for name, text in REFUNDS.items())
REFUND_QUESTION = "Which travel costs are refunded?"


def test_lesson_01_citation_identity(talk):
    """The brief has r1..r6, the model cites r4 twice and r1: exactly these, each opening its own passage."""
    upload(talk.person, REFUND_HANDBOOK)

    turn = talk.say(
        REFUND_QUESTION, decision=said("Some are [r4]. Others are too [r1]. And again the first [r4].", "r4", "r1")
    )

    read = {item["key"]: item for item in turn.brief["items"] if item["key"]}
    assert set(read) >= {"r1", "r2", "r3", "r4", "r5", "r6"}
    [reply] = talk.replies(turn)
    stored = [(c.marker, c.key, c.resource_id, c.excerpt) for c in reply.citations.all()]
    assert stored == [(n, key, read[key]["id"], read[key]["text"]) for n, key in ((1, "r4"), (2, "r1"))]
    assert reply.text == "Some are [1]. Others are too [2]. And again the first [1]."

    client = talk.person.client
    [shown] = shown_replies(page_of(client, talk.conversation_id))
    assert [number for number, _ in shown.markers] == [1, 2, 1]
    assert dict(shown.markers) == {source.number: source.url for source in shown.sources}
    assert [(source.number, source.label) for source in shown.sources] == [(1, "Refunds"), (2, "Refunds")]
    assert [opened(client, source.url) for source in shown.sources] == [read["r4"]["text"], read["r1"]["text"]]

    told = exported(talk.person, talk.conversation_id)["messages"][-1]["citations"]
    over_the_api = api_messages(talk.person, talk.conversation_id)[-1]["citations"]
    for citations in (told, over_the_api):
        assert [(c["marker"], c["key"], c["id"], c["excerpt"]) for c in citations] == stored
    markdown = exported_markdown(talk.person, talk.conversation_id)
    assert f"[1] Refunds, {read['r4']['position']}\n\n> {read['r4']['text']}" in markdown
    assert f"[2] Refunds, {read['r1']['position']}\n\n> {read['r1']['text']}" in markdown
    assert "[3]" not in markdown
    assert "chunk 0" not in markdown + page_of(client, talk.conversation_id)


def test_lesson_02_reload_second_device_and_export_agree(talk):
    """Turns with 2, 0 and 3 citations look the same after reload, on a second device, in an export."""
    upload(talk.person, REFUND_HANDBOOK)
    talk.say(REFUND_QUESTION, decision=said("So [r2]. And so [r5].", "r2", "r5"))
    talk.say("What is the weather in Oslo?", decision=nothing_known("The weather in Oslo"))
    last = talk.say(REFUND_QUESTION, decision=said("So [r6]. So [r3]. So [r1].", "r6", "r3", "r1"))

    first_device, second_device = talk.person.client, talk.person.client
    pages = [page_of(client, talk.conversation_id) for client in (first_device, first_device, second_device)]
    looks = [shown_replies(page) for page in pages]
    assert looks[0] == looks[1] == looks[2]
    assert [len(reply.sources) for reply in looks[0]] == [2, 0, 3]
    assert [len(reply.gaps) for reply in looks[0]] == [0, 1, 0]
    live = first_device.get(f"/chat/messages/{last.message_id}/exchange/").content.decode()
    assert shown_replies(live) == looks[0][-1:]

    replies = [m for m in exported(talk.person, talk.conversation_id)["messages"] if m["role"] == "assistant"]
    over_the_api = [m for m in api_messages(talk.person, talk.conversation_id) if m["role"] == "assistant"]
    assert [m["id"] for m in replies] == [m["id"] for m in over_the_api] == [reply.id for reply in looks[0]]
    for told, also_told, shown in zip(replies, over_the_api, looks[0], strict=True):
        numbered = [(c["marker"], c["label"], c["excerpt"]) for c in told["citations"]]
        assert numbered == [(c["marker"], c["label"], c["excerpt"]) for c in also_told["citations"]]
        assert numbered == [(s.number, s.label, opened(second_device, s.url)) for s in shown.sources]
        assert told["text"] == also_told["text"]


def test_lesson_04_a_shown_source_opens_and_becomes_a_tombstone(any_talk):
    """A shown source opens for the reader who got it, and becomes a tombstone when access is withdrawn."""
    talk = any_talk
    document = upload(talk.person, TRAVEL)
    talk.say(RAIL_QUESTION, decision=answer_from("knowledge_chunk", label="Travel"))
    client = talk.person.client
    [source] = shown_replies(page_of(client, talk.conversation_id))[0].sources
    assert RAIL in opened(client, source.url)

    delete_document(talk.person, document)

    [shown] = shown_replies(page_of(client, talk.conversation_id))
    assert [(s.number, s.is_gone) for s in shown.sources] == [(1, True)]
    assert opened(client, source.url) == ""
    assert "This source was deleted on" in client.get(source.url).content.decode()
    [citation] = exported(talk.person, talk.conversation_id)["messages"][-1]["citations"]
    assert (citation["state"], citation["excerpt"]) == ("deleted", "")
    [citation] = api_messages(talk.person, talk.conversation_id)[-1]["citations"]
    assert (citation["state"], citation["excerpt"]) == ("deleted", "")
    assert "This source was deleted." in exported_markdown(talk.person, talk.conversation_id)


def test_lesson_04_a_record_that_is_gone_is_a_tombstone_and_a_member_who_left_opens_nothing(any_talk, stranger):
    talk = any_talk
    acme = company(talk.person, "Acme", industry="Robots")
    talk.say("Who owns this company?", acme, decision=answer_from("company"))
    [source] = shown_replies(page_of(talk.person.client, talk.conversation_id))[0].sources
    assert "Acme" in opened(talk.person.client, source.url)
    assert stranger.client.get(source.url).status_code == 404

    with tenant(talk.organization_id):
        Company.objects.filter(id=acme.id).delete()
    assert opened(talk.person.client, source.url) == ""

    client = talk.person.client
    Membership.objects.filter(user=talk.person.user).delete()
    assert client.get(source.url).status_code == 403


def test_lesson_05_good_evidence_without_a_citation_is_repaired_once(talk):
    upload(talk.person, TRAVEL)
    turn = talk.post(RAIL_QUESTION)
    uncited = said("Within fourteen days.")

    with playing([uncited, lambda request: said(f"Within fourteen days [{key_of(request, RAIL)}].")]) as model:
        turn = talk.work(turn)

    [reply] = talk.replies(turn)
    assert (turn.fallback, reply.text) == ("", "Within fourteen days [1].")
    assert len(model.requests) == 2
    assert model.requests[1].repair.reasons
    assert [citation.excerpt for citation in reply.citations.all()] == [RAIL]


def test_lesson_05_evidence_answers_where_the_repair_fails_as_well(talk):
    upload(talk.person, TRAVEL)
    turn = talk.post(RAIL_QUESTION)

    with playing([said("Within fourteen days."), said("Trust me.")]):
        turn = talk.work(turn)

    [reply] = talk.replies(turn)
    assert turn.fallback == "invalid"
    assert "refunded within fourteen days" in reply.text
    assert [citation.excerpt for citation in reply.citations.all()] == [RAIL]


def test_lesson_05_an_unknown_ref_is_removed_and_recorded_and_a_position_is_not_guessed(talk):
    upload(talk.person, TRAVEL)

    def decide(request):
        key = key_of(request, RAIL)
        return said(f"Within fourteen days [{key}]. In cash [r77]. As source [1] says [{key}].", key, "r77")

    turn = talk.say(RAIL_QUESTION, decision=decide)

    [reply] = talk.replies(turn)
    assert turn.rejected_refs == ["r77"]
    assert reply.text == "Within fourteen days [1]. As source (1) says [1]."
    assert [citation.excerpt for citation in reply.citations.all()] == [RAIL]
    told = api(talk.person).get(f"/api/v1/turns/{turn.id}/").json()
    assert [citation["marker"] for citation in told["reply"]["citations"]] == [1]
