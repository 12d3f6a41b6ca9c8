"""What tests of the page share: the script's own header, and a page's text on one line."""

import re

FETCH = {"HTTP_X_REQUESTED_WITH": "fetch"}


def body(response):
    return re.sub(r"\s+", " ", response.content.decode())
