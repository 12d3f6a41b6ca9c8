"""A model's Markdown made harmless: no raw HTML, no images, no links that the brief does not hold.

Works on any piece of a text: what is made harmless stays so when the pieces are joined, because
nothing relies on a closing half that may stand in another piece.
"""

import re
from collections.abc import Callable

IsKnownUrl = Callable[[str], bool]

# Stands for a kept link while the text around it is changed; controls are cleaned out before.
_KEPT = "\x01{}\x01"
_KEPT_PATTERN = re.compile("(!?)\x01(\\d+)\x01")

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]*)>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# A "<" before any of these could open a tag in some renderer; before a space it is a character.
_OPENER = re.compile(r"<(?=[^\s\d=<])|<$")
_TARGET = r"\(\s*<?([^()\s<>]*)>?(?:\s+[^()]*)?\)"
_IMAGE = re.compile(r"!\[([^\[\]]*)\](?:" + _TARGET + r"|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\]" + _TARGET)
_ALLOWED_SCHEMES = ("https://", "http://", "mailto:")


def harmless_markdown(text: str, is_known_url: IsKnownUrl) -> str:
    """``text`` with HTML and images taken out, and links kept only where ``is_known_url``."""
    text = _AUTOLINK.sub(r"\1", _COMMENT.sub("", text))
    text = _until_stable(_without_tags_and_images, text)
    return _break_links(_OPENER.sub("< ", text), is_known_url)


def without_images(text: str) -> str:
    return _IMAGE.sub(r"\1", text)


def _without_tags_and_images(text: str) -> str:
    return without_images(_TAG.sub("", text))


def _until_stable(change: Callable[[str], str], text: str) -> str:
    """Removing one thing may join the halves of another."""
    while (changed := change(text)) != text:
        text = changed
    return text


def _break_links(text: str, is_known_url: IsKnownUrl) -> str:
    kept: list[str] = []

    def keep_or_unlink(match: re.Match[str]) -> str:
        label, url = match.groups()
        if label.isdecimal() or not _is_allowed(url) or not is_known_url(url):
            return label
        kept.append(f"[{label}]({url})")
        return _KEPT.format(len(kept) - 1)

    text = _LINK.sub(keep_or_unlink, text)
    # With these two broken, nothing that is left can be a link, an image or a reference definition.
    text = text.replace("](", "] (").replace("]:", "] :")
    return _KEPT_PATTERN.sub(lambda match: (match[1] and "! ") + kept[int(match[2])], text)


def _is_allowed(url: str) -> bool:
    is_own_page = url.startswith("/") and not url.startswith(("//", "/\\"))
    return is_own_page or url.lower().startswith(_ALLOWED_SCHEMES)
