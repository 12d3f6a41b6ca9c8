"""Strict reading of environment variables: a bad value stops the start with one clear line."""

import os
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from dotenv import load_dotenv

# Variables of the process win over those of the file.
load_dotenv(Path(__file__).resolve().parent.parent / os.environ.get("AGENCYCORE_ENV_FILE", ".env"))

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def integer(name: str, default: int, *, minimum: int = 0) -> int:
    value = text(name)
    if not value:
        return default
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None
    if number < minimum:
        raise ImproperlyConfigured(f"{name} must be at least {minimum}, not {number}.")
    return number


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list; blanks are dropped."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def choice(name: str, default: str, allowed: set[str]) -> str:
    value = text(name, default) or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(sorted(allowed))}, not {value!r}.")
    return value


def database(name: str, url: str) -> dict[str, object]:
    """Django's database settings for ``postgresql://user:password@host:port/name``.

    A socket folder is given as ``?host=/folder``. Raises ImproperlyConfigured for other schemes.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(f"{name} must look like postgresql://user:password@host:5432/name.")
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    host = query.pop("host", parts.hostname or "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(query),
    }
