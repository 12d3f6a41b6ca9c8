"""The links that every page shares."""

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.urls import NoReverseMatch, reverse

register = template.Library()


@register.inclusion_tag("_nav_link.html", takes_context=True)
def nav_link(context: Context, url_name: str, label: str, icon: str) -> dict[str, object]:
    """A link to a room's first page, marked when we are in that room; nothing where the room is not installed."""
    url = find_url(url_name)
    return {"url": url, "label": label, "icon": icon, "current": bool(url) and is_in_room(context.get("request"), url)}


def find_url(url_name: str) -> str:
    try:
        return reverse(url_name)
    except NoReverseMatch:
        return ""


def is_in_room(request: HttpRequest | None, url: str) -> bool:
    if request is None:
        return False
    if url == "/":
        return request.path == "/" or request.path.startswith("/chat/")
    return request.path.startswith(url)
