"""The question of a long message is found at its ends."""

import pytest

from agencycore.ai.asked import (
    LONG_MESSAGE,
    asked_part,
    denies_work,
    is_question,
    offered_work,
    questions_beside_work,
    split_asks,
    told_about,
    topic_of,
)

LITTLE = "Some background that matters little. " * 20
PASTED = f"{LITTLE}Was it asked? It was, in the middle. {LITTLE}"
QUESTION = "What is a lifecycle stage?"


@pytest.mark.parametrize(
    "message",
    [
        f"{PASTED}\n\n{QUESTION}",
        f"{QUESTION}\n{PASTED}",
        f"{QUESTION} {PASTED}",
        f"{QUESTION}\n{PASTED}\n{QUESTION}",
        f"Hello. {QUESTION} {PASTED}",
        f"{PASTED} {QUESTION} Thanks!",
        " ".join([QUESTION] * 60),
    ],
)
def test_a_question_at_an_end_is_what_is_asked(message):
    assert asked_part(message) == QUESTION


@pytest.mark.parametrize("message", [PASTED, "word " * 1_600, "x" * 8_000, f"{'word ' * 1_600}?"])
def test_without_a_question_at_an_end_the_whole_is_asked(message):
    assert asked_part(message) == message


def test_a_shorter_message_is_read_as_a_whole():
    message = f"We met them at a fair in Hannover and they were quite interested in what we do. {QUESTION}"

    assert len(message) < LONG_MESSAGE
    assert asked_part(message) == message


TOLD = (
    "Last quarter our management reorganized the whole sales department, so now there are three teams instead of two. "
    "I was on holiday when it happened. I came back to a long list of things which I do not understand. "
)


@pytest.mark.parametrize(
    ("end", "asked"),
    [
        ("What is lifecycle stage?", "What is lifecycle stage?"),
        ("So: who can see my conversations? Thank you!", "So: who can see my conversations?"),
        ("Can you please explain what a prospect is", "Can you please explain what a prospect is"),
        ("I would like to know what an ICP is.", "I would like to know what an ICP is."),
        # What the question leans on comes along.
        ("I saw a score yesterday. How is it calculated?", "I saw a score yesterday. How is it calculated?"),
        ("Acme was moved to me. Who owned the account?", "Acme was moved to me. Who owned the account?"),
        ("A deal was lost. Why?", "A deal was lost. Why?"),
        ("I saw a box. What does the number in the box mean and why is it there?",
         "What does the number in the box mean and why is it there?"),
        # A request keeps what is said after it.
        ("Find fintechs in Oslo. We need twenty.", "Find fintechs in Oslo. We need twenty."),
        ("Please draft a mail to Jane. What is a deal?", "Please draft a mail to Jane. What is a deal?"),
        ("They liked it. Find fintechs that are like them.", "Find fintechs that are like them."),
    ],
)  # fmt: skip
def test_what_is_asked_after_a_long_story_is_found(end, asked):
    assert len(TOLD) > LONG_MESSAGE
    assert asked_part(f"{TOLD}{end}") == asked


@pytest.mark.parametrize(
    "message", [TOLD, f"{TOLD}When the deal was won we wrote to them.", f"{TOLD}Which is a pity.", f"{TOLD}Thanks!"]
)
def test_a_story_that_asks_nothing_is_read_as_a_whole(message):
    assert asked_part(message) == message


def test_two_questions_are_both_asked():
    assert asked_part(f"Who owns it? {PASTED} {QUESTION}") == f"Who owns it? {QUESTION}"


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Explain deals. Then start the prospect research", ("Explain deals.", "start the prospect research")),
        ("What is a deal stage? Then find fintechs", ("What is a deal stage?", "find fintechs")),
        ("Find partners and tell me what a signal is", ("Find partners", "tell me what a signal is")),
        ("Can you find fintechs, and explain what a deal is?", ("Can you find fintechs", "explain what a deal is?")),
        ("Draft a mail to Jane. Also, what is an ICP?", ("Draft a mail to Jane.", "what is an ICP?")),
        ("what is a lead, what is a prospect?", ("what is a lead", "what is a prospect?")),
        ("what are the limits and how can I upload files", ("what are the limits", "how can I upload files")),
        ("1. What is a lead?\n2. What is a deal?", ("What is a lead?", "What is a deal?")),
        ("I want to know what an ICP is, and please find ten", ("I want to know what an ICP is", "find ten")),
        ("Find firms in Oslo. They must be hiring. What is a signal?",
         ("Find firms in Oslo. They must be hiring.", "What is a signal?")),
        ("We sell to banks. What is an ICP? Draft a mail to Jane", ("What is an ICP?", "Draft a mail to Jane")),
        # A pronoun for the topic of the ask before is said in full.
        ("What is a prospect and how do I promote it?", ("What is a prospect", "how do I promote the prospect?")),
        ("What is an ICP and how do I change ours?", ("What is an ICP", "how do I change our ICP?")),
        ("Explain deals and how their stages change", ("Explain deals", "how the deals’ stages change")),
        ("Tell me what a lead is. Then find one and list its owners",
         ("Tell me what a lead is.", "find one", "list the lead’s owners")),
    ],
)  # fmt: skip
def test_the_asks_of_a_message_stand_apart(message, asks):
    assert split_asks(message) == asks


@pytest.mark.parametrize(
    "message",
    [
        "What is lifecycle stage?",
        "Compare Acme and Fabrikam",
        "Tell me about deals and stages",
        "How do I import companies and people?",
        "We sell to banks. What is an ICP?",
        "What is a deal? Why?",
        "Hello! What is a signal? Thanks",
        "Which companies match the ICP and which do not?",
        "Research Acme and tell me who their CEO is",
        "Find companies like Acme, then tell me how many there are",
        "The deal was won. We then wrote an e-mail.",
        "",
        "?",
    ],
)
def test_one_ask_is_not_taken_apart(message):
    assert split_asks(message) == (message,)


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("Explain deals. Then start the prospect research", ("Explain deals.",)),
        ("Find fintechs in Spain. What is the weather in Oslo?", ("What is the weather in Oslo?",)),
        ("What is a lead and what is a deal?", ()),
        ("Find fintechs in Spain and draft an e-mail", ()),
        ("What is a lead?", ()),
    ],
)
def test_questions_beside_work(message, questions):
    assert questions_beside_work(message) == questions


@pytest.mark.parametrize("text", ["Explain deals", "what is a deal", "Do we have one?", "can you tell me the stage"])
def test_questions(text):
    assert is_question(text)


@pytest.mark.parametrize("text", ["Find fintechs?", "can you draft a mail", "The deal was won", "start the search"])
def test_no_questions(text):
    assert not is_question(text)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What is your refund policy?", "refund policy"),
        ("Tell me what a signal is.", "signal"),
        ("Explain deals.", "deals"),
        ("tell me everything about deals", "deals"),
        ("How do I get started?", ""),
        ("What are you?", ""),
    ],
)
def test_the_topic_of_a_question(text, topic):
    assert topic_of(text) == topic


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Explain deals", "deals"),
        ("Can you tell me more about lifecycle stages?", "lifecycle stages?"),
        ("What does it explain?", "What does it explain?"),
        ("Explain it", "Explain it"),
    ],
)
def test_words_that_only_ask_to_be_told_are_left_out_of_a_search(text, told):
    assert told_about(text) == told


@pytest.mark.parametrize(
    ("offer", "work"),
    [
        ("Shall I also find fintechs?", "Find fintechs"),
        ("Would you like me to draft it?", "Draft it"),
        ("Soll ich suchen?", "Soll ich suchen?"),
    ],
)
def test_the_work_in_an_offer(offer, work):
    assert offered_work(offer) == work


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Don't find companies for me, just explain how it works", "Explain how it works"),
        ("Please do not start anything. What is a signal?", "What is a signal?"),
        ("don't search yet, find banks first", "Find banks first"),
        ("Don't find companies that post jobs", "Don't find companies that post jobs"),
        ("I don't find the deal, where is it?", "I don't find the deal, where is it?"),
        ("Why don't you find it?", "Why don't you find it?"),
    ],
)
def test_what_is_not_to_be_done_is_not_asked(message, asked):
    assert asked_part(message) == asked


@pytest.mark.parametrize(
    ("message", "is_denied"),
    [
        ("Please do not draft anything yet", True),
        ("You don't need to find anything.", True),
        ("Don't find companies, find people", False),
        ("Find companies that do not hire", False),
        ("I do not find it", False),
    ],
)
def test_work_is_denied_by_the_whole_message(message, is_denied):
    assert denies_work(message) is is_denied
