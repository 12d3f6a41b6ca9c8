"""What may be said."""

import pytest

from conversations.guardrails import InvalidMessage, clean_message_text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  hello  ", "hello"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\tstays", "tab\tstays"),
        ("bell\x07 and nul\x00 go", "bell and nul go"),
        ("\x1b[31mred", "[31mred"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("emoji 👩‍🚀 and العربية stay", "emoji 👩‍🚀 and العربية stay"),
    ],
)
def test_control_characters_go_and_words_stay(text, kept):
    assert clean_message_text(text) == kept


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\u200d\u2060 \u200f", "\x07"])
def test_what_shows_nothing_is_no_message(text):
    with pytest.raises(InvalidMessage, match="Write a message first"):
        clean_message_text(text)


def test_a_message_too_long_says_how_long_it_is():
    with pytest.raises(InvalidMessage, match="8,001 characters; the longest is 8,000"):
        clean_message_text("x" * 8_001)
