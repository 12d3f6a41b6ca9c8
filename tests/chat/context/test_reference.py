"""What words point at: a table of messages, surroundings and results."""

import pytest

from agencycore.ai.types import Reference
from agencycore.refs import ProjectedField, Projection, ResourceRef
from chat.context.records import Records
from chat.context.reference import Surroundings, pick_option, resolve_reference
from chat.frontdoor.decision import Option

STARTED = ResourceRef("run", "r1", "Run of Signals Search")
ACME = ResourceRef("company", "1", "Acme Logistics Ltd")
BIRCH = ResourceRef("company", "2", "Birch Foods")
CEDAR = ResourceRef("company", "3", "Cedar GmbH")
MARIA = ResourceRef("person", "4", "Maria Lopez")
JONAS = ResourceRef("person", "5", "Jonas Berg")
PROSPECT = ResourceRef("prospect", "6", "Delta Robotics")
RENEWAL = ResourceRef("deal", "7", "Acme renewal 2026")
PILOT = ResourceRef("deal", "8", "Birch pilot")
CALL = ResourceRef("activity", "9", "Call with Maria Lopez")
RUN_A = ResourceRef("run", "10", "Signals Search: fintech")
RUN_B = ResourceRef("run", "11", "Signals Search: retail")
SIGNALS = ResourceRef("definition", "12", "Signals Search")
CHUNK = ResourceRef("knowledge_chunk", "13", "Lifecycle stages")
GONE = ResourceRef("company", "99", "Gone Corp")
SECOND_ACME = ResourceRef("company", "14", "Acme Energy")
EVERYTHING = (
    ACME,
    BIRCH,
    CEDAR,
    MARIA,
    JONAS,
    PROSPECT,
    RENEWAL,
    PILOT,
    CALL,
    RUN_A,
    RUN_B,
    SIGNALS,
    CHUNK,
    SECOND_ACME,
)

NOTHING = Surroundings()
FIRST = Surroundings(is_first_message=True)


def around(**places: object) -> Surroundings:
    places.setdefault("listed", places.get("shown", ()))
    return Surroundings(**places)  # type: ignore[arg-type]


def options(*refs: ResourceRef) -> tuple[Option, ...]:
    return tuple(Option(ref.label, ref) for ref in refs)


def read(*refs: ResourceRef) -> Records:
    return Records({ref.key: Projection(ref, ref.label, ()) for ref in refs})


RECORDS = read(*EVERYTHING)
WORDS = (Option("April", None), Option("May", None))

# message, surroundings, status, refs
CASES: list[tuple[str, Surroundings, str, tuple[ResourceRef, ...]]] = [
    # Nothing points at anything.
    ("What is lifecycle stage?", NOTHING, "not_needed", ()),
    ("What is lifecycle stage?", around(shown=(ACME,)), "not_needed", ()),
    ("Which companies match this ICP?", around(page=ACME), "not_needed", ()),
    ("What happened this week?", around(shown=(ACME,)), "not_needed", ()),
    ("Is it possible to export deals?", around(shown=(RENEWAL,)), "not_needed", ()),
    ("How does the company view work?", around(scope=(ACME, BIRCH)), "not_needed", ()),
    ("Find 20 UK fintech companies that just raised seed funding.", around(shown=(ACME,)), "not_needed", ()),
    # Refs sent with the message come first.
    ("Who owns this company?", around(sent=(BIRCH,), shown=(ACME,)), "resolved", (BIRCH,)),
    ("Summarise", around(sent=(BIRCH,)), "resolved", (BIRCH,)),
    ("Compare them", around(sent=(BIRCH, CEDAR)), "resolved", (BIRCH, CEDAR)),
    ("When did we last talk to them?", around(sent=(BIRCH, CEDAR)), "ambiguous", (BIRCH, CEDAR)),
    ("When did we last talk to them?", around(sent=(BIRCH,)), "resolved", (BIRCH,)),
    ("When did we last talk to them?", around(sent=(BIRCH,), page=ACME), "ambiguous", (BIRCH, ACME)),
    ("When did we last talk to them?", around(sent=(BIRCH,), page=RENEWAL), "resolved", (BIRCH,)),
    ("Is Birch Foods bigger than them?", around(sent=(BIRCH, CEDAR)), "resolved", (BIRCH, CEDAR)),
    ("Who owns this company?", around(sent=(BIRCH, CEDAR)), "ambiguous", (BIRCH, CEDAR)),
    ("Who owns this deal?", around(sent=(BIRCH, PILOT)), "resolved", (PILOT,)),
    ("Who owns this deal?", around(sent=(BIRCH,), shown=(PILOT,)), "resolved", (PILOT,)),
    # One that cannot be read is absent, and nothing takes its place.
    ("Who owns this company?", around(sent=(GONE,), shown=(ACME,)), "absent", (GONE,)),
    ("Summarise", around(sent=(GONE,), page=ACME), "absent", (GONE,)),
    ("Compare them", around(sent=(GONE, BIRCH)), "resolved", (BIRCH,)),
    # Typed phrases: latest exchange, page, the only one in scope.
    ("Tell me more about this company", around(shown=(ACME,)), "resolved", (ACME,)),
    ("Tell me more about this company", around(asked=(ACME,)), "resolved", (ACME,)),
    ("Tell me more about this company", around(shown=(ACME, MARIA)), "resolved", (ACME,)),
    ("Tell me more about this company", around(shown=(ACME, BIRCH)), "ambiguous", (ACME, BIRCH)),
    ("Tell me more about this company", around(shown=(ACME, BIRCH), asked=(BIRCH,)), "resolved", (BIRCH,)),
    ("Tell me more about this company", around(shown=(ACME, BIRCH), page=BIRCH), "resolved", (BIRCH,)),
    ("Tell me more about this company", around(shown=(ACME,), page=BIRCH), "resolved", (ACME,)),
    ("Tell me more about this company", around(shown=(MARIA,), page=BIRCH), "resolved", (BIRCH,)),
    ("Tell me more about this company", around(page=BIRCH, scope=(ACME, CEDAR)), "resolved", (BIRCH,)),
    ("Tell me more about this company", around(scope=(ACME, MARIA)), "resolved", (ACME,)),
    ("Tell me more about this company", around(scope=(ACME, BIRCH)), "ambiguous", (ACME, BIRCH)),
    ("Tell me more about this company", NOTHING, "missing", ()),
    ("Tell me more about this company", around(shown=(MARIA,)), "missing", ()),
    ("Tell me more about this company", around(shown=(GONE,)), "absent", (GONE,)),
    ("Tell me more about this company", around(scope=(GONE,)), "absent", (GONE,)),
    ("Tell me more about this company", around(page=GONE), "absent", (GONE,)),
    ("Tell me more about this company", around(shown=(GONE,), page=ACME), "resolved", (ACME,)),
    ("Tell me more about this company", around(shown=(GONE, ACME)), "resolved", (ACME,)),
    ("Why is this account a customer?", around(shown=(ACME,)), "resolved", (ACME,)),
    ("Why is this company marked as a prospect?", around(shown=(ACME,)), "resolved", (ACME,)),
    ("Why did this company stop matching our ICP?", around(page=ACME), "resolved", (ACME,)),
    ("Show me the last activity on this company.", around(shown=(ACME, CALL)), "resolved", (ACME,)),
    ("Why is this prospect waiting for review?", around(scope=(PROSPECT,)), "resolved", (PROSPECT,)),
    ("Can I promote this prospect to CRM?", around(scope=(PROSPECT, ACME)), "resolved", (PROSPECT,)),
    ("Who owns this deal?", around(scope=(RENEWAL, PILOT)), "ambiguous", (RENEWAL, PILOT)),
    ("Who owns that deal?", around(shown=(ACME, RENEWAL)), "resolved", (RENEWAL,)),
    ("What about the same deal?", around(shown=(RENEWAL,)), "resolved", (RENEWAL,)),
    ("Why did that run stop?", around(shown=(RUN_A,)), "resolved", (RUN_A,)),
    ("Why did that run stop?", around(shown=(RUN_A, RUN_B)), "ambiguous", (RUN_A, RUN_B)),
    ("Stop that workflow run.", around(shown=(SIGNALS, RUN_A)), "resolved", (RUN_A,)),
    ("What data does this workflow write?", around(shown=(SIGNALS,)), "resolved", (SIGNALS,)),
    ("Which tools can this agent use?", NOTHING, "missing", ()),
    ("When was this contact added?", around(shown=(MARIA, ACME)), "resolved", (MARIA,)),
    ("Tell me about this record", around(page=PILOT), "resolved", (PILOT,)),
    ("What is this page?", around(page=PILOT), "resolved", (PILOT,)),
    # The bare article binds only where one record fits.
    ("Who owns the deal?", around(shown=(RENEWAL,)), "resolved", (RENEWAL,)),
    ("Who owns the deal?", around(scope=(RENEWAL,)), "resolved", (RENEWAL,)),
    ("Who owns the deal?", around(scope=(RENEWAL, PILOT)), "not_needed", ()),
    ("Who owns the deal?", NOTHING, "not_needed", ()),
    # Pronouns: only if the latest exchange concerned records.
    ("Who owns it?", around(shown=(ACME,)), "resolved", (ACME,)),
    ("Who owns it?", around(asked=(ACME,)), "resolved", (ACME,)),
    ("Who owns it?", around(shown=(ACME, BIRCH)), "ambiguous", (ACME, BIRCH)),
    ("Who owns it?", around(shown=(ACME, CALL), asked=(ACME,)), "resolved", (ACME,)),
    ("Who owns it?", around(shown=(ACME, MARIA)), "resolved", (ACME,)),
    ("Who owns it?", around(page=ACME), "not_needed", ()),
    ("Who owns it?", around(scope=(ACME,)), "not_needed", ()),
    ("Who owns it?", around(shown=(GONE,)), "not_needed", ()),
    ("Tell me more about that", around(shown=(RENEWAL,)), "resolved", (RENEWAL,)),
    ("Tell me more about that", around(scope=(RENEWAL,)), "not_needed", ()),
    ("Stop that", around(shown=(RUN_A,)), "resolved", (RUN_A,)),
    ("Why did it stop?", around(shown=(RUN_A,)), "resolved", (RUN_A,)),
    ("What is her e-mail address?", around(shown=(ACME, MARIA)), "resolved", (MARIA,)),
    ("What is her e-mail address?", around(shown=(MARIA, JONAS)), "ambiguous", (MARIA, JONAS)),
    ("What is his title?", around(shown=(ACME,)), "not_needed", ()),
    ("Tell me about this", Surroundings(page=ACME, is_first_message=True), "resolved", (ACME,)),
    ("What is lifecycle stage?", Surroundings(page=ACME, is_first_message=True), "not_needed", ()),
    ("Why is this marked as review needed?", Surroundings(page=PROSPECT, is_first_message=True), "resolved",
     (PROSPECT,)),
    ("Tell me about this", FIRST, "not_needed", ()),
    ("Is this a customer?", around(shown=(ACME,)), "resolved", (ACME,)),
    ("What does that mean?", around(scope=(ACME,)), "not_needed", ()),
    ("Which is the deal that closed last?", around(shown=(RENEWAL,)), "not_needed", ()),
    ("Show companies that are in Norway", around(shown=(ACME,)), "not_needed", ()),
    ("Is this feature available to members?", around(shown=(ACME,)), "not_needed", ()),
    ("Why is that?", around(shown=(RENEWAL,)), "resolved", (RENEWAL,)),
    # Plurals.
    ("Compare both", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Compare both", around(shown=(ACME, BIRCH, CEDAR)), "ambiguous", (ACME, BIRCH, CEDAR)),
    ("Compare both companies", around(shown=(ACME, BIRCH, MARIA)), "resolved", (ACME, BIRCH)),
    ("Who owns these?", around(shown=(ACME, BIRCH, CEDAR)), "resolved", (ACME, BIRCH, CEDAR)),
    ("Who owns these?", around(shown=(ACME, RENEWAL, PILOT)), "resolved", (RENEWAL, PILOT)),
    ("Who owns these deals?", around(shown=(ACME, RENEWAL, PILOT)), "resolved", (RENEWAL, PILOT)),
    ("Who owns those companies?", around(shown=(RENEWAL, ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Research all of them", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Are they customers?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Are they customers?", NOTHING, "not_needed", ()),
    ("Who owns these companies?", around(scope=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Who owns these companies?", NOTHING, "missing", ()),
    ("Show all companies", NOTHING, "not_needed", ()),
    # One record is not several: those it was listed with, those that were talked of, else a question back.
    ("Who owns both of them?", around(shown=(ACME,)), "ambiguous", (ACME,)),
    ("Who owns both companies?", around(shown=(ACME,)), "ambiguous", (ACME,)),
    ("Are both customers?", around(shown=(ACME,)), "ambiguous", (ACME,)),
    ("compare them", around(shown=(ACME,)), "ambiguous", (ACME,)),
    ("Which of them is in Germany?", around(shown=(ACME,)), "ambiguous", (ACME,)),
    ("Who owns both of them?", around(shown=(BIRCH,), scope=(BIRCH, ACME)), "resolved", (ACME, BIRCH)),
    ("Who owns both companies?", around(shown=(BIRCH,), scope=(BIRCH, MARIA, ACME)), "resolved", (ACME, BIRCH)),
    ("Who owns these companies?", around(shown=(BIRCH,), scope=(BIRCH, ACME)), "resolved", (ACME, BIRCH)),
    ("compare them", around(shown=(BIRCH,), scope=(BIRCH, ACME)), "resolved", (ACME, BIRCH)),
    ("Who owns both?", around(shown=(CEDAR,), scope=(CEDAR, BIRCH, ACME)), "ambiguous", (ACME, BIRCH, CEDAR)),
    ("which one is bigger?", around(shown=(ACME,), several=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Which of them is in Germany?", around(shown=(ACME,), several=(BIRCH, ACME)), "resolved", (BIRCH, ACME)),
    ("which one is bigger?", around(shown=(CEDAR,), several=(ACME, BIRCH)), "not_needed", ()),
    ("which has the higher score?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("and the later close date?", around(shown=(RENEWAL, PILOT)), "resolved", (RENEWAL, PILOT)),
    ("which company is bigger?", around(shown=(BIRCH,), several=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("which deal closes later?", around(shown=(ACME, RENEWAL, PILOT)), "resolved", (RENEWAL, PILOT)),
    ("which deal closes later?", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("which was contacted last?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("who has more employees?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("are they in the same country?", around(shown=(BIRCH,), scope=(BIRCH, ACME)), "resolved", (ACME, BIRCH)),
    ("How do they differ?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("How do they differ?", around(shown=()), "not_needed", ()),
    ("any more?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("any more?", around(shown=(ACME, PILOT)), "not_needed", ()),
    ("which has the higher score?", around(shown=()), "not_needed", ()),
    ("and the best of luck", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("Which of them comes first?", around(scope=(ACME, BIRCH)), "not_needed", ()),
    ("Does it apply to both leads and prospects?", around(shown=()), "not_needed", ()),
    ("Are both fields needed?", around(shown=(ACME,)), "not_needed", ()),
    # Ordinals: the choices on offer, else the newest list in shown order.
    ("the second one", around(shown=(ACME, BIRCH, CEDAR)), "resolved", (BIRCH,)),
    ("The 3rd one please", around(shown=(ACME, BIRCH, CEDAR)), "resolved", (CEDAR,)),
    ("the last one", around(shown=(ACME, BIRCH, CEDAR)), "resolved", (CEDAR,)),
    ("Tell me about the second company", around(shown=(MARIA, ACME, JONAS, BIRCH)), "resolved", (BIRCH,)),
    ("Who owns the first deal?", around(shown=(ACME, RENEWAL, PILOT)), "resolved", (RENEWAL,)),
    ("number two", around(shown=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("What about #2?", around(shown=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("the fifth one", around(shown=(ACME, BIRCH)), "missing", ()),
    ("What does the second one do?", FIRST, "missing", ()),
    ("What does the second one do?", around(shown=(CHUNK,), listed=()), "not_needed", ()),
    ("Find a bank in Oslo and an insurer in Bergen, the first one listed.", FIRST, "not_needed", ()),
    ("What does the second one do?", around(listed=(CEDAR, SIGNALS)), "resolved", (SIGNALS,)),
    ("the second one", around(shown=(ACME, GONE, CEDAR)), "absent", (GONE,)),
    ("the second one", NOTHING, "not_needed", ()),
    ("the other one", around(shown=(ACME, BIRCH), asked=(ACME,)), "resolved", (BIRCH,)),
    ("the other one", around(shown=(ACME, BIRCH), asked=(ACME, BIRCH)), "ambiguous", (ACME, BIRCH)),
    ("and the other one?", around(shown=(BIRCH,), asked=(ACME, BIRCH), several=(ACME, BIRCH)), "resolved", (ACME,)),
    ("the other one", around(shown=(ACME,), asked=(ACME,)), "not_needed", ()),
    ("the latter", around(shown=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("What did the second quarter look like?", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("First, tell me what a deal is", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("the second one", around(options=options(RUN_A, RUN_B), shown=(ACME, BIRCH)), "resolved", (RUN_B,)),
    ("2", around(options=options(RUN_A, RUN_B)), "resolved", (RUN_B,)),
    ("first", around(options=options(RUN_A, RUN_B)), "resolved", (RUN_A,)),
    ("Option 1", around(options=options(RUN_A, RUN_B)), "resolved", (RUN_A,)),
    ("the third one", around(options=options(RUN_A, RUN_B)), "missing", (RUN_A, RUN_B)),
    ("the second one", around(options=options(ACME, GONE)), "absent", (GONE,)),
    ("the retail one: Signals Search: retail", around(options=options(RUN_A, RUN_B)), "resolved", (RUN_B,)),
    ("Birch Foods", around(options=options(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("Birch", around(options=options(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("May", around(options=WORDS), "not_needed", ()),
    ("What is a deal?", around(options=options(ACME, BIRCH)), "not_needed", ()),
    # Names match labels in scope, on the page and in the latest exchange.
    ("Who owns Birch Foods?", around(scope=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("who owns birch foods", around(page=BIRCH), "resolved", (BIRCH,)),
    ("Who owns Acme Logistics?", around(scope=(ACME, BIRCH)), "resolved", (ACME,)),
    ("Who owns Birch?", around(scope=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("Who owns Acme?", around(scope=(ACME, SECOND_ACME)), "ambiguous", (ACME, SECOND_ACME)),
    ("Who owns Acme Energy?", around(scope=(ACME, SECOND_ACME)), "resolved", (SECOND_ACME,)),
    ("Compare Birch Foods and Cedar", around(scope=(ACME, BIRCH, CEDAR)), "resolved", (BIRCH, CEDAR)),
    ("What is Maria's title?", around(shown=(MARIA, JONAS)), "resolved", (MARIA,)),
    ("What did Lopez say?", around(shown=(MARIA, JONAS)), "resolved", (MARIA,)),
    ("Who owns the Acme deal?", around(scope=(ACME,)), "not_needed", ()),
    ("Who owns the Birch deal?", around(scope=(BIRCH, PILOT)), "resolved", (PILOT,)),
    ("Who owns Birch Foods?", NOTHING, "not_needed", ()),
    ("Who owns Gone Corp?", around(scope=(GONE,)), "not_needed", ()),
    ("Is Birch Foods bigger than this company?", around(shown=(ACME, BIRCH)), "resolved", (BIRCH, ACME)),
    ("Compare it with Cedar", around(shown=(ACME,), scope=(ACME, CEDAR)), "resolved", (CEDAR, ACME)),
    ("Compare it with Cedar", around(sent=(ACME,), scope=(ACME, CEDAR)), "resolved", (CEDAR, ACME)),
    ("Is this company bigger than Cedar?", around(page=ACME, scope=(CEDAR,)), "resolved", (CEDAR, ACME)),
    ("Why did it change more than once?", around(shown=(ACME,)), "resolved", (ACME,)),
    ("Compare it with the others", around(shown=(ACME,), scope=(ACME, CEDAR)), "resolved", (ACME,)),
    ("Which of them has the higher score?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Is either of them a customer?", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Compare these two", around(shown=(ACME, BIRCH)), "resolved", (ACME, BIRCH)),
    ("Compare those two", around(shown=(ACME, BIRCH, CEDAR)), "ambiguous", (ACME, BIRCH, CEDAR)),
    ("Compare Cedar and Birch Foods", around(scope=(BIRCH, ACME, CEDAR)), "resolved", (BIRCH, CEDAR)),
    ("Compare Birch and Cedar GmbH", around(scope=(BIRCH, ACME, CEDAR)), "resolved", (BIRCH, CEDAR)),
    ("Who owns Acme Energy?", around(scope=(ACME, SECOND_ACME)), "resolved", (SECOND_ACME,)),
    ("What about Birch Foods, who owns it?", around(shown=(ACME,), scope=(BIRCH,)), "resolved", (BIRCH,)),
    # A run that was handed over is no list to count in.
    ("the second one", around(asked=(STARTED,), is_of_one_run=True), "missing", ()),
    ("ok, the first one please", around(asked=(STARTED,), is_of_one_run=True), "missing", ()),
    ("What does the second one do?", around(asked=(STARTED,), is_of_one_run=True), "not_needed", ()),
    # A bare question word leaves its record out.
    ("Since when?", around(shown=(ACME,), page=BIRCH), "resolved", (ACME,)),
    ("tell me more", around(shown=(ACME,)), "resolved", (ACME,)),
    ("more details please", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("And why?", around(asked=(ACME,)), "resolved", (ACME,)),
    ("Why?", around(shown=(ACME, BIRCH)), "not_needed", ()),
    ("Why?", around(shown=(), page=ACME), "not_needed", ()),
    ("Why is the sky blue?", around(shown=(ACME,)), "not_needed", ()),
    # "Here" is the page, where something of a record is asked for.
    ("What open deals do we have here?", around(page=ACME), "resolved", (ACME,)),
    ("What open deals do we have here?", around(page=GONE), "not_needed", ()),
    ("What open deals do we have here?", NOTHING, "not_needed", ()),
    ("What can you do here?", around(page=ACME), "not_needed", ()),
    ("Which agents are there here?", around(page=ACME), "not_needed", ()),
    # Counted are the records that were sent, where the reply listed none.
    ("And the second one?", around(asked=(ACME, BIRCH)), "resolved", (BIRCH,)),
    ("the second one", around(shown=(ACME,)), "not_needed", ()),
]  # fmt: skip


@pytest.mark.parametrize(("message", "places", "status", "refs"), CASES)
def test_words_point_at_records(message: str, places: Surroundings, status: str, refs: tuple[ResourceRef, ...]) -> None:
    reference = resolve_reference(message, places, RECORDS)

    assert (reference.status, [ref.key for ref in reference.refs]) == (status, [ref.key for ref in refs])


def test_labels_are_the_readers_and_absent_records_have_none() -> None:
    stored = ResourceRef("company", "1", "An old name")

    found = resolve_reference("Who owns this company?", around(sent=(stored,)), RECORDS)
    absent = resolve_reference("Who owns this company?", around(sent=(GONE,)), RECORDS)

    assert found == Reference("resolved", (ACME,), "this company")
    assert absent == Reference("absent", (ResourceRef("company", "99", ""),), "")


def test_a_choice_of_words_is_named_by_the_phrase() -> None:
    assert resolve_reference("the second one", around(options=WORDS), RECORDS) == Reference("not_needed", (), "May")


@pytest.mark.parametrize(
    ("message", "label"),
    [("May", "May"), ("may please", "May"), ("1", "April"), ("the last one", "May"), ("June", None), ("both", None)],
)
def test_a_choice_is_picked_by_number_or_name(message: str, label: str | None) -> None:
    picked = pick_option(message, WORDS)

    assert (picked.label if picked else None) == label


def described(ref: ResourceRef, **facts: str) -> Projection:
    return Projection(ref, ref.label, tuple(ProjectedField(name, value) for name, value in facts.items()))


DESCRIBED = [
    described(ACME, industry="Logistics software", country="Italy", note="They open a German office in the next year."),
    described(BIRCH, industry="Health software", country="United Kingdom"),
    described(CEDAR, industry="Logistics", country="Germany"),
    described(RUN_A, goal="Find hospitals in Spain"),
    described(RUN_B, goal="Find retailers in Norway"),
]
TOLD = Records({projection.ref.key: projection for projection in DESCRIBED})
COMPANIES = options(ACME, BIRCH, CEDAR)


@pytest.mark.parametrize(
    ("message", "offered", "picked"),
    [
        ("the Italian one", COMPANIES, ACME),
        ("Italy", COMPANIES, ACME),
        ("I mean the one in Italy, please", COMPANIES, ACME),
        ("the healthcare one", COMPANIES, BIRCH),
        ("the British company", COMPANIES, BIRCH),
        ("the UK one", COMPANIES, BIRCH),
        # What a record says in short goes before what it says at length.
        ("the German one", COMPANIES, CEDAR),
        ("the German logistics one", COMPANIES, CEDAR),
        ("the retail one", options(RUN_A, RUN_B), RUN_B),
        ("the one for hospitals", options(RUN_A, RUN_B), RUN_A),
        ("the Spanish run", options(RUN_A, RUN_B), RUN_A),
        ("Birch", COMPANIES, BIRCH),
    ],
)
def test_a_choice_is_picked_by_what_its_record_says(message, offered, picked):
    assert resolve_reference(message, around(options=offered), TOLD) == Reference("resolved", (picked,), picked.label)


def test_of_several_that_fit_the_description_all_are_candidates():
    reference = resolve_reference("the software one", around(options=COMPANIES), TOLD)

    assert (reference.status, reference.refs) == ("ambiguous", (ACME, BIRCH))


@pytest.mark.parametrize("message", ["both", "all of them", "All three, please"])
def test_all_choices_are_meant(message):
    assert resolve_reference(message, around(options=COMPANIES), TOLD).refs == (ACME, BIRCH, CEDAR)


@pytest.mark.parametrize(
    "message",
    ["not the Italian one", "neither", "none of them", "the French one", "in the spring", "Who owns the Italian one?",
     "What is a lifecycle stage?", "Find banks in Italy", "the Austrian one"],
)  # fmt: skip
def test_what_describes_no_choice_picks_none(message):
    assert resolve_reference(message, around(options=COMPANIES), TOLD).status != "resolved"


@pytest.mark.parametrize("message", ["When did its country change?", "so what is its industry now, Italy?"])
def test_a_question_about_one_of_the_choices_does_not_say_which(message):
    found = resolve_reference(message, around(options=COMPANIES), TOLD)

    assert (found.status, found.refs) == ("ambiguous", (ACME, BIRCH, CEDAR))
