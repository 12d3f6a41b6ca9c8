"""A reply's Markdown as HTML that is safe to show: no raw HTML, no images, plain links, markers as links."""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Before each marker: text that is copied or read aloud does not run into the number, and no line breaks there.
NARROW_SPACE = "\u202f"
MARKER = re.compile(r"\[(\d{1,3})\]")
# A marker stands behind the end of its sentence, not before it.
MARKERS_BEFORE_STOP = re.compile(r" *((?: *\[\d{1,3}\])+)([.,;:!?…]+)")
# The page's own headings end at h2.
HEADING_SHIFT = 2

ALLOWED_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "a", "sup"),
    *("ul", "ol", "li", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"a": {"href", "title", "class", "data-dialog", "aria-label"}, "ol": {"start"}}


@dataclass(frozen=True, slots=True)
class Marker:
    """Where a reply's ``[n]`` leads."""

    number: int
    url: str
    label: str


def render_markdown(text: str, markers: Sequence[Marker] = ()) -> SafeString:
    """``text`` as sanitized HTML; a ``[n]`` becomes a link where ``markers`` holds n, and stays text elsewhere."""
    parser = _parser()
    tokens = parser.parse(text)
    by_number = {str(marker.number): marker for marker in markers}
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + HEADING_SHIFT)}"
        if token.children:
            token.children = [part for child in token.children for part in _with_markers(child, by_number)]
    rendered = parser.renderer.render(tokens, parser.options, {})
    # The sanitizer has the last word, also over what we wrote ourselves.
    return mark_safe(  # noqa: S308
        nh3.clean(
            rendered,
            tags=ALLOWED_TAGS,
            attributes=ALLOWED_ATTRIBUTES,
            url_schemes={"http", "https"},
            link_rel="noopener noreferrer nofollow",
        )
    )


@cache
def _parser() -> MarkdownIt:
    """Without link definitions: a text must not be able to lead ``[1]`` elsewhere."""
    return (
        MarkdownIt("commonmark", {"html": False, "linkify": False})
        .enable(["table", "strikethrough"])
        .disable(["reference", "image", "html_block", "html_inline", "autolink"])
    )


def _with_markers(token: Token, markers: Mapping[str, Marker]) -> list[Token]:
    if token.type != "text" or not MARKER.search(token.content):
        return [token]
    content = MARKERS_BEFORE_STOP.sub(lambda match: _behind(match, markers), token.content)
    texts_and_numbers = MARKER.split(content)  # text, number, text, number, …
    parts: list[Token] = []
    for position, part in enumerate(texts_and_numbers):
        if position % 2 == 0:
            parts.append(_text(part))
        elif part in markers:
            # A marker stands at its word: no line break between them.
            parts[-1].content = parts[-1].content.rstrip(" ")
            parts.append(_link(markers[part]))
        else:
            parts.append(_text(f"[{part}]"))
    return parts


def _behind(match: re.Match[str], markers: Mapping[str, Marker]) -> str:
    numbers = MARKER.findall(match[1])
    return match[2] + match[1].strip() if all(number in markers for number in numbers) else match[0]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _link(marker: Marker) -> Token:
    label = html.escape(f"Source {marker.number}: {marker.label}")
    link = f'<a class="marker" href="{html.escape(marker.url)}" data-dialog="panel" aria-label="{label}">'
    return Token("html_inline", "", 0, content=f"{NARROW_SPACE}<sup>{link}{marker.number}</a></sup>")
