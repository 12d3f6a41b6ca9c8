"""Where the bundled services keep their data, sockets, logs and secrets."""

import contextlib
import hashlib
import os
import re
import secrets
import stat
from functools import cache
from pathlib import Path

from agencycore import environment as env

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED_DATA = Path("/var/lib/agencycore")
SHORT_SOCKETS = Path("/tmp")  # noqa: S108  (a socket path may have 107 bytes; the folder below it is private)
LONGEST_SOCKET_PATH = 100
LONGEST_SOCKET_NAME = ".s.PGSQL.5432.lock"
SERVICE_USER = "pgserver"


class EmbeddedError(Exception):
    """The bundled services cannot run; the text says why and what to do."""


def is_root() -> bool:
    return os.geteuid() == 0


@cache
def data_folder() -> Path:
    """``AGENCYCORE_DATA``, else ``var`` in the checkout, else (root, private checkout) below /var/lib."""
    named = env.text("AGENCYCORE_DATA")
    if named:
        return (CHECKOUT / Path(named).expanduser()).resolve()
    folder = CHECKOUT / "var"
    if is_root() and not _open_to_all(CHECKOUT):
        return SHARED_DATA / _short_name(CHECKOUT)
    return folder


def make_data_folder(name: str = "", mode: int = 0o700) -> Path:
    """The data folder, or one below it, made if missing. Existing folders keep their mode."""
    data = data_folder()
    folder = data / name
    try:
        # The database of a root start runs as another user, who has to walk through.
        _make(data, 0o711 if is_root() else 0o700)
        _make(folder, mode)
    except OSError as error:
        raise EmbeddedError(
            f"The data folder {folder} cannot be used: {error.strerror}. "
            "Set AGENCYCORE_DATA to a folder of yours, or correct its owner."
        ) from error
    return folder


@cache
def socket_folder(service: str) -> Path:
    """The folder of the service's socket, with a path short enough for the kernel."""
    folder = data_folder() / "run" / service
    if len(os.fsencode(folder / LONGEST_SOCKET_NAME)) <= LONGEST_SOCKET_PATH:
        return folder
    return SHORT_SOCKETS / f"agencycore-{os.geteuid()}-{service}-{_short_name(data_folder())[-8:]}"


def make_socket_folder(service: str, user: int, group: int) -> Path:
    """The service's socket folder, private to the user the service runs as."""
    folder = socket_folder(service)
    make_data_folder()
    _make(folder, 0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), user}:
        raise EmbeddedError(f"{folder} belongs to somebody else. Remove it, or set AGENCYCORE_DATA to a shorter path.")
    if user != os.geteuid():
        os.chown(folder, user, group)
    return folder


def drop_socket_folder(service: str) -> None:
    """After the service ended cleanly; a folder with something in it stays."""
    with contextlib.suppress(OSError):
        socket_folder(service).rmdir()


@cache
def secret(name: str) -> str:
    """A generated secret, the same for ever; its file is readable by its owner only."""
    path = make_data_folder("secrets") / name
    if not path.exists():
        _write_once(path, secrets.token_urlsafe(48))
    try:
        value = path.read_text().strip()
    except OSError as error:
        raise EmbeddedError(f"The secret {path} cannot be read: {error.strerror}.") from error
    if not value:
        raise EmbeddedError(f"The secret {path} is empty. Remove the file; a new one is made.")
    return value


def _write_once(path: Path, value: str) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(value)
        # Of two processes that start at once, the first one's secret stands.
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError as error:
        raise EmbeddedError(f"The secret {path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)


def _make(folder: Path, mode: int) -> None:
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        _make(folder.parent, 0o755)
    folder.mkdir(mode=mode, exist_ok=True)
    folder.chmod(mode)


def _open_to_all(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))


def _short_name(path: Path) -> str:
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', path.name).strip('-') or 'data'}-{digest}"
