"""A model's Markdown is harmless even in the most permissive renderer."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chat.frontdoor.characters import clean_characters
from chat.frontdoor.markdown import harmless_markdown
from chat.frontdoor.validation import Valid, validate
from tests.chat.frontdoor.briefs import answer_wire, brief, passage, reply
from tests.corpora import corpus

KNOWN = "https://docs.example/guide"
PERMISSIVE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RAW_HTML = re.compile(
    r"<(?!/?(?:p|em|strong|code|pre|h[1-6]|ul|ol|li|blockquote|hr|br|s|a|table|thead|tbody|tr|th|td)\b)"
)
FRAGMENTS = st.sampled_from(
    [
        *"![]()<>:`\\\n \"'a1/*_#-=&;",
        "![",
        "](",
        "]:",
        "<img src=x>",
        "<b>",
        "</b>",
        "<!--",
        "-->",
        "http://evil.example/?q=",
        KNOWN,
        "[x]",
        "[r1]",
        "[r9]",
        "(http://evil.example)",
        f"({KNOWN})",
        ". ",
        "[1]: ",
        "[1]",
        "[7]",
        "javascript:alert(1)",
        "data:image/png;base64,AA",
        "&lt;",
        "&#60;img&#62;",
        "\\[",
        "    ",
        "```",
    ]
)


def dangers(markdown):
    """What a renderer that allows everything would load, run or lead to."""
    html = PERMISSIVE.render(markdown)
    hrefs = [href for href in re.findall(r'href="([^"]*)"', html) if href != KNOWN]
    return (
        re.findall(r"<img", html)
        + hrefs
        + RAW_HTML.findall(html)
        + re.findall(r"<\w+ (?!href=|start=|class=|style=|/>)", html)
    )


@settings(max_examples=200)
@given(st.lists(FRAGMENTS, max_size=20).map("".join))
def test_no_text_loads_runs_or_leads_anywhere_unknown(text):
    assert dangers(harmless_markdown(text, lambda url: url == KNOWN)) == []


@settings(max_examples=120)
@given(st.lists(FRAGMENTS, max_size=24).map("".join))
def test_a_whole_answer_is_as_harmless_as_its_sentences(text):
    on = brief(passage("r1", f"See {KNOWN}"))

    result = validate(reply(answer_wire(f"Fact [r1]. {text}", "r1")), on)

    assert isinstance(result, Valid)
    assert dangers(result.decision.text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a < b and b > c", "a < b and b > c"),
        ("5<6 <3", "5<6 <3"),
        ("x <y", "x < y"),
        ("**bold** _it_ `code` ~~no~~", "**bold** _it_ `code` ~~no~~"),
        ("| a | b |\n|---|---|", "| a | b |\n|---|---|"),
        (f"[guide]({KNOWN})", f"[guide]({KNOWN})"),
        ("[deal](/deals/7/)", "[deal](/deals/7/)"),
        ("![alt](http://evil.example/x.png)", "alt"),
        ("[![alt](http://e/x.png)](http://e)", "alt"),
        ("<scr<b>ipt>alert(1)</scr</b>ipt>", "alert(1)"),
        ("<https://docs.example/guide>", "https://docs.example/guide"),
        ("[x](javascript:alert(1))", "[x] (javascript:alert(1))"),
        ("[1]: http://evil.example", "[1] : http://evil.example"),
    ],
)
def test_ordinary_markdown_stays_and_the_rest_becomes_words(text, shown):
    assert harmless_markdown(text, lambda url: url in (KNOWN, "/deals/7/")) == shown


@pytest.mark.parametrize("name", ["xss-payload-list/xss-payload-list.txt", "blns/blns.txt"])
def test_known_attacks_in_an_answer_come_out_as_words(name):
    lines = (corpus("attacks") / name).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    on = brief(passage("r1"))
    for start in range(0, len(lines), 25):
        text = "\n\n".join(clean_characters(line) for line in lines[start : start + 25])

        result = validate(reply(answer_wire(f"Fact [r1].\n\n{text}", "r1")), on)

        assert isinstance(result, Valid)
        assert dangers(result.decision.text) == []
