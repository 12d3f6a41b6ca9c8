"""Texts cut into sentences: nothing is lost, and it does not matter how the text arrives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.frontdoor.sentences import SENTENCE_LIMIT, Sentences

ALPHABET = st.sampled_from([*'ab. !?\n[]r1,;。")*E-', "e.g.", "1. ", "[r1]", "[r12, r3]", "Dr.", "\n\n", "…"])


def cut(text, size=None):
    sentences = Sentences()
    found = []
    for start in range(0, len(text), size or max(1, len(text))):
        found += sentences.feed(text[start : start + (size or len(text))])
    return found + sentences.finish()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One. ", "Two."]),
        ("One? Two! Three…", ["One? ", "Two! ", "Three…"]),
        ("One. [r1] Two.[r2] Three.", ["One. [r1] ", "Two.[r2] ", "Three."]),
        ("One [r1]. Two", ["One [r1]. ", "Two"]),
        ("Use e.g. this. Or i.e. that.", ["Use e.g. this. ", "Or i.e. that."]),
        ("Dr. Berg and J. Smith of Acme Inc. agree. Yes.", ["Dr. Berg and J. Smith of Acme Inc. agree. ", "Yes."]),
        ("It is 3.5 percent. Fine.", ["It is 3.5 percent. ", "Fine."]),
        ("1. First. More\n2. Second", ["1. First. ", "More\n", "2. Second"]),
        ("“Stop.” He left.", ["“Stop.” ", "He left."]),
        ("**Bold.** Next", ["**Bold.** ", "Next"]),
        ("終わり。次。", ["終わり。", "次。"]),
        ("Title\n\nText. More", ["Title\n\n", "Text. ", "More"]),
        ("a.b.c is one", ["a.b.c is one"]),
        ("It started. a person owns it", ["It started. ", "a person owns it"]),
        ("About approx. five per dept. and month", ["About approx. five per dept. and month"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text, sentences):
    assert cut(text) == sentences


@settings(max_examples=150)
@given(st.lists(ALPHABET, max_size=60).map("".join), st.integers(1, 7))
def test_cuts_depend_on_the_text_alone_and_lose_nothing(text, size):
    assert cut(text, size) == cut(text, 1) == cut(text)
    assert "".join(cut(text)) == text


@pytest.mark.parametrize("unit", ["word ", "x", "a. b", "[r1]", ". ", "\n "])
def test_a_sentence_without_end_is_cut(unit):
    text = unit * (3 * SENTENCE_LIMIT // len(unit))

    assert cut(text, 173) == cut(text, 1) == cut(text)
    assert max(map(len, cut(text))) <= SENTENCE_LIMIT + 300
