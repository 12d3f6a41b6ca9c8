"""A lesson is shown from the outside: what a person sends, and what they find afterwards."""

from pathlib import Path

import pytest
from pytest_django import Settings

from tests.chat.pipeline import Model, Talk
from tests.people import Person


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    """Originals go to a folder of the test."""
    settings.MEDIA_ROOT = str(tmp_path / "media")
    return tmp_path / "media"


@pytest.fixture
def talk(owner: Person) -> Talk:
    """With a model that says what the test says."""
    return Talk(owner, Model("scripted"))


@pytest.fixture(params=["builtin", "scripted"])
def any_talk(request: pytest.FixtureRequest, owner: Person) -> Talk:
    """Once without a language model, once with one that says what the test says."""
    return Talk(owner, Model(request.param))
