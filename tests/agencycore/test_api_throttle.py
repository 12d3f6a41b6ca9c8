"""How many requests of the API a person may make in a minute."""

import uuid

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from agencycore import api_throttle
from organizations.access import TenantAPIView
from tests.chat.conversations import answer, ask

pytestmark = pytest.mark.django_db

LIST = "/api/v1/conversations/"
JSON = "application/json"
TEN_SECONDS_INTO_A_MINUTE = 1_000_000_030.0


@pytest.fixture(autouse=True)
def counted_alone(monkeypatch):
    """In a minute that does not end during the test, and apart from other tests, which share the Redis."""
    monkeypatch.setattr(api_throttle, "KEY_PREFIX", f"test:{uuid.uuid4()}")
    monkeypatch.setattr(api_throttle, "time", lambda: TEN_SECONDS_INTO_A_MINUTE)
    # The views that stream would leave this test's transaction.
    monkeypatch.setattr(
        "agencycore.streams.database.database_sync_to_async",
        lambda read, **_: sync_to_async(read, thread_sensitive=True),
    )


def statuses(client: Client, times: int) -> list[int]:
    return [client.get(LIST).status_code for _ in range(times)]


def test_more_requests_than_the_rate_are_refused_in_words_until_the_next_minute(owner, settings, monkeypatch):
    settings.API_REQUESTS_PER_MINUTE = 2

    assert statuses(owner.client, 2) == [200, 200]
    refused = owner.client.get(LIST)

    assert (refused.status_code, refused["Retry-After"]) == (429, "50")
    words = "These are too many requests in a minute. Wait a moment and go on."
    assert refused.json() == {"detail": words, "code": "throttled"}
    monkeypatch.setattr(api_throttle, "time", lambda: TEN_SECONDS_INTO_A_MINUTE + 50)
    assert statuses(owner.client, 3) == [200, 200, 429]


def test_everybody_is_counted_alone(owner, teammate, stranger, settings):
    settings.API_REQUESTS_PER_MINUTE = 1

    assert statuses(owner.client, 2) == [200, 429]
    for person in (teammate, stranger):
        assert statuses(person.client, 2) == [200, 429]


def test_all_processes_count_together(owner, settings):
    settings.API_REQUESTS_PER_MINUTE = 2
    other_process = api_throttle.RequestCounter(settings.REDIS_URL)

    assert other_process.seconds_to_wait(f"user:{owner.user.pk}") is None
    assert statuses(owner.client, 2) == [200, 429]
    assert other_process.seconds_to_wait(f"user:{owner.user.pk}") == 50


def addresses() -> list[str]:
    api = [each for each in get_resolver().url_patterns if str(each.pattern) == "api/v1/"]
    found = [str(address.pattern) for include in api for address in include.url_patterns]
    return [each for each in found if each != "schema/"]  # answers in YAML


@pytest.mark.parametrize("address", addresses())
def test_every_address_is_counted(owner, settings, address):
    settings.API_REQUESTS_PER_MINUTE = 0
    parts = [str(uuid.uuid4()) if part.startswith("<") else part for part in address.split("/")]
    method = "POST" if address == "chat/" else "GET"

    response = owner.client.generic(method, f"/api/v1/{'/'.join(parts)}", "{}", JSON)

    assert (response.status_code, response.json()["code"], response["Retry-After"]) == (429, "throttled", "50")


def test_the_schema_is_counted_by_address_for_who_is_nobody(db, settings):
    settings.API_REQUESTS_PER_MINUTE = 0

    assert Client().get("/api/v1/schema/").status_code == 429
    assert Client().get(LIST).status_code == 401


def test_a_stream_counts_as_one_request(owner, settings):
    question = ask(owner)
    answer(owner, question)
    settings.API_REQUESTS_PER_MINUTE = 2
    turn = owner.client.get(f"{LIST}{question.conversation_id}/messages/").json()["results"][0]["turn"]

    response = owner.client.get(f"/api/v1/turns/{turn['id']}/events")

    assert response.status_code == 200
    assert statuses(owner.client, 1) == [429]


def test_counting_takes_no_statement(owner, monkeypatch):
    client = owner.client

    def statements() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(LIST).status_code == 200
        return [query["sql"] for query in captured]

    counted = statements()
    monkeypatch.setattr(TenantAPIView, "throttle_classes", [])

    assert len(counted) == len(statements())


@pytest.fixture
def redis_away(settings, tmp_path):
    settings.REDIS_URL = f"unix://{tmp_path}/none.sock"
    api_throttle._counter.cache_clear()
    yield
    api_throttle._counter.cache_clear()


def test_without_redis_nothing_is_refused_and_it_is_said_once(owner, settings, redis_away, caplog):
    settings.API_REQUESTS_PER_MINUTE = 1

    assert statuses(owner.client, 3) == [200, 200, 200]
    assert [each.levelname for each in caplog.records if each.name == api_throttle.__name__] == ["WARNING"]
