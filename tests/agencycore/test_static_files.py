"""Static files under ASGI: whole, in parts, unchanged, and without a warning."""

import warnings

from django.conf import settings
from django.test import AsyncClient

TOKENS = "/static/css/tokens.css"


async def get(**headers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return await AsyncClient().get(TOKENS, headers=headers)


async def test_a_file_is_answered_whole_under_its_type():
    response = await get()

    assert response.status_code == 200
    assert response["Content-Type"] == 'text/css; charset="utf-8"'
    assert response["Cache-Control"] == "max-age=60, public"
    assert not response.streaming
    assert response.content == (settings.BASE_DIR / "static/css/tokens.css").read_bytes()


async def test_a_file_the_browser_has_is_not_sent_again():
    first = await get()

    again = await get(**{"If-None-Match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")


async def test_a_range_is_a_part():
    response = await get(Range="bytes=0-1")

    assert (response.status_code, response.content, response["Content-Length"]) == (206, b"/*", "2")


async def test_only_the_head_is_answered_to_head():
    response = await AsyncClient().head(TOKENS)

    size = (settings.BASE_DIR / "static/css/tokens.css").stat().st_size
    assert (response.status_code, response.content, response["Content-Length"]) == (200, b"", str(size))


async def test_the_icon_that_browsers_ask_for_by_themselves_is_there():
    response = await AsyncClient().get("/favicon.ico")

    assert (response.status_code, response["Content-Type"]) == (200, "image/x-icon")
    assert response.content == (settings.BASE_DIR / "static/root/favicon.ico").read_bytes()
