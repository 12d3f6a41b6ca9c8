"""Every variable that is read stands in .env.example, and nothing else does."""

import re

from tests.repo.files import APPS, ROOT, python_files

READ = re.compile(r'\benv\.(?:text|flag|integer|words|choice|database)\(\s*"([A-Z_]+)"')
READ_DIRECTLY = re.compile(r'os\.environ(?:\.get\(|\[)\s*"([A-Z_]+)"')
NAMED = re.compile(r'_VARIABLE = "([A-Z_]+)"')
# Set by the program that calls us, not by a person.
OF_THE_SYSTEM = {"PATH", "HOME", "DJANGO_SETTINGS_MODULE"}


def test_env_example_lists_exactly_the_variables_that_are_read():
    source = "\n".join(path.read_text() for path in [*python_files(*APPS), ROOT / "manage.py"])
    read = {name for pattern in (READ, READ_DIRECTLY, NAMED) for name in pattern.findall(source)} - OF_THE_SYSTEM

    assert _listed() == sorted(read)


def test_every_listed_variable_stands_once():
    names = re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)

    assert len(names) == len(set(names))


def test_the_example_may_be_copied_as_it_is():
    """Copied to .env it must not change a default: empty, or the value that holds without it."""
    text = (ROOT / ".env.example").read_text()

    for secret in ("SECRET_KEY", "OPENAI_API_KEY", "DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"):
        assert f"\n{secret}=\n" in text


def _listed() -> list[str]:
    return sorted(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
