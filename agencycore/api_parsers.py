"""Reading what an API client sends."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError

ENCODING = "utf-8"


class JSONParser(parsers.JSONParser):
    """DRF's parser, for JSON that is text in the end: of any depth, and without halves of characters.

    JSON may write half of a character (``"\\ud83d"``), which no database, log or answer can hold.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            data = super().parse(stream, media_type, {**(parser_context or {}), "encoding": ENCODING})
            json.dumps(data, ensure_ascii=False).encode(ENCODING)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("The JSON holds half of a character (a lone surrogate).") from error
        return data
