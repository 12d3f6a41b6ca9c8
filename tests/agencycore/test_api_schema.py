"""The OpenAPI schema and docs/engineering/api.md tell what the API does: the same addresses, and how each can end."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml
from django.test import Client
from django.urls import get_resolver

from organizations.access import TenantAPIView

ROOT = Path(__file__).parents[2]
API = "/api/v1/"
PARAMETER = re.compile(r"[<{][^>}]*[>}]")
METHODS = r"GET|POST|PATCH|PUT|DELETE"
TOLD = re.compile(rf"`((?:(?:{METHODS}) )+)([a-z{{][^`\s]*)`")
COUNT_OF_OPERATIONS = 20


@pytest.fixture(scope="module")
def schema():
    response = Client().get(f"{API}schema/")
    assert response.status_code == 200
    return yaml.safe_load(response.content)


@pytest.fixture(scope="module")
def operations(schema):
    return {
        (method.upper(), path): operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def plain(path: str) -> str:
    """The path below /api/v1/ with its parameters without names."""
    return PARAMETER.sub("{}", path.removeprefix(API))


def test_every_address_of_the_api_is_described(schema):
    api = [each for each in get_resolver().url_patterns if str(each.pattern) == "api/v1/"]
    addresses = {plain(str(address.pattern)) for include in api for address in include.url_patterns}

    assert {plain(path) for path in schema["paths"]} == addresses - {"schema/"}


def test_what_the_documentation_names_is_what_there_is(operations):
    text = (ROOT / "docs/engineering/api.md").read_text()
    told = {(method, plain(path)) for methods, path in TOLD.findall(text) for method in methods.split()}

    assert told == {(method, plain(path)) for method, path in operations}


def test_every_operation_is_described_in_words_of_its_own(operations):
    assert len(operations) == COUNT_OF_OPERATIONS
    words = Counter(operation.get("description", "") for operation in operations.values())

    assert [each for each, times in words.items() if times > 1 or len(each) < 20] == []
    assert not [each for each in words if (TenantAPIView.__doc__ or "?")[:30] in each]


def test_every_operation_tells_how_it_refuses(operations):
    for key, operation in operations.items():
        for status in ("400", "401", "403", "404"):
            told = operation["responses"][status]["content"]["application/json"]["schema"]
            assert told == {"$ref": "#/components/schemas/Refusal"}, (key, status)


@pytest.mark.parametrize(("method", "path"), [("POST", "chat/"), ("GET", "turns/{turn_id}/events")])
def test_the_streams_are_described_as_streams(operations, method, path):
    operation = operations[method, f"{API}{path}"]

    assert list(operation["responses"]["200"]["content"]) == ["text/event-stream"]
    assert "X-Organization" in {each["name"] for each in operation["parameters"]}


def test_sending_tells_its_conflict_and_its_limit(operations):
    for path in ("chat/", "conversations/{conversation_id}/messages/"):
        assert {"409", "429"} <= set(operations["POST", f"{API}{path}"]["responses"])


def test_feedback_tells_that_some_messages_take_none(operations):
    assert "409" in operations["PUT", f"{API}messages/{{message_id}}/feedback/"]["responses"]


def test_lists_in_parts_and_deletions_are_described_as_they_are(operations, schema):
    def schema_of(method, path):
        return operations[method, f"{API}{path}"]["responses"]["200"]["content"]["application/json"]["schema"]

    for path in ("conversations/", "knowledge/", "conversations/{conversation_id}/messages/"):
        part = schema["components"]["schemas"][schema_of("GET", path)["$ref"].rsplit("/", 1)[1]]
        assert set(part["properties"]) == {"next", "previous", "results"}
    assert schema_of("DELETE", "knowledge/{source_id}/") == {"$ref": "#/components/schemas/Receipt"}
    assert "204" in operations["DELETE", f"{API}conversations/{{conversation_id}}/"]["responses"]


def test_the_schema_is_named_and_has_the_version_of_the_product(schema):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert (schema["info"]["title"], schema["info"]["version"]) == ("AgencyCore chat", version)
