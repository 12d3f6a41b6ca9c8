"""Drives the bundled services from outside, in a data folder of the test's own."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import psutil

from agencycore.embedded.locks import exclusive

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60.0
PREPARE_SECONDS = 240
MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 * 1024**3
# Looking at every process of the machine takes a while, too.
POLL_SECONDS = 0.1
OF_OTHERS = (
    *("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_POOL_SIZE", "DATABASE_POOL_TIMEOUT"),
    *("REDIS_URL", "SECRET_KEY", "OPENAI_API_KEY"),
)

HOLD = """
import sys
from agencycore.embedded.services import EmbeddedError, ensure_services, release_services
try:
    ensure_services()
except EmbeddedError as error:
    sys.exit(f"refused: {error}")
print("ready", flush=True)
if sys.stdin.readline():
    release_services()
"""


class DataFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = ROOT
        self.environment = {name: value for name, value in os.environ.items() if name not in OF_OTHERS} | {
            "AGENCYCORE_DATA": str(path),
            "AGENCYCORE_DURABLE": "no",
            "AGENCYCORE_ENV_FILE": "",
            "AGENCYCORE_IDLE_SECONDS": "0",
            "PYTHONPATH": str(ROOT),
        }

    def python(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, code: str) -> str:
        """What the code prints, errors included."""
        return self.python("-c", code).communicate(timeout=PATIENCE_SECONDS)[0]

    def prepare(self) -> str:
        """Tables, demo and documentation, unless they are there; what was said about them, the log-ins in it."""
        note = self.path / "prepared.txt"
        if not note.exists():
            process = self.python("manage.py", "prepare")
            said = process.communicate(timeout=PREPARE_SECONDS)[0]
            assert process.returncode == 0, said
            note.write_text(said)
        return note.read_text()

    @contextmanager
    def held(self) -> "Iterator[subprocess.Popen[str]]":
        """A command that uses the services until the block ends; it leaves politely."""
        holder = self.hold()
        try:
            yield holder
        finally:
            if holder.poll() is None:
                holder.communicate("\n", timeout=PATIENCE_SECONDS)

    def hold(self) -> "subprocess.Popen[str]":
        holder = self.python("-c", HOLD)
        assert holder.stdout is not None
        said = ""
        for line in holder.stdout:
            if line == "ready\n":
                return holder
            said += line
        raise AssertionError(said)

    def processes(self, name: str = "") -> list[psutil.Process]:
        """Live processes that were started for this folder."""
        return [process for process in psutil.process_iter() if self._owns(process) and name in _title(process)]

    def query(self, sql: str, *, user: str = "postgres") -> str:
        code = (
            "import psycopg; from agencycore.embedded.folders import socket_folder\n"
            f"connection = psycopg.connect(host=str(socket_folder('postgres')), user={user!r}, dbname='agencycore')\n"
            f"print(connection.execute({sql!r}).fetchall())"
        )
        return self.run(code).strip().splitlines()[-1]

    def end(self) -> None:
        for process in self.processes():
            process.kill()
        wait_until(lambda: self.processes() == [])
        shutil.rmtree(self.path, ignore_errors=True)

    def _owns(self, process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE and process.environ().get("AGENCYCORE_DATA") == str(
                self.path
            )
        except psutil.Error:
            return False


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def new_data_folder(parent: Path | None = None) -> DataFolder:
    """Below a folder that everybody may enter: as root the database runs as another user."""
    path = Path(tempfile.mkdtemp(prefix="data-", dir=parent or session_folder()))
    path.chmod(0o711)
    return DataFolder(path)


def prepared_data_folder() -> DataFolder:
    """A data folder as a first ``make run`` leaves it, nothing running: a copy of the one of this test session."""
    original = session_folder() / "prepared"
    folder = new_data_folder()
    with exclusive(original.with_suffix(".lock"), PREPARE_SECONDS) as is_free:
        assert is_free
        if not original.exists():
            _make_prepared(original)
        # Not shutil: the database's files keep their owner.
        subprocess.run(["cp", "-a", f"{original}/.", str(folder.path)], check=True)
    return folder


@cache
def session_folder() -> Path:
    """One for all processes of a test session, in memory if there is room: making databases is mostly writing."""
    session = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    base = MEMORY if _has_room(MEMORY) else Path(tempfile.gettempdir())
    for other in base.glob("agencycore-tests-*"):
        if not Path("/proc", other.name.rpartition("-")[2]).exists():
            shutil.rmtree(other, ignore_errors=True)  # of a session that was killed
    folder = base / f"agencycore-tests-{session}"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    atexit.register(_leave, folder)
    return folder


def _has_room(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    return shutil.disk_usage(folder).free > ROOM_BYTES


def _leave(folder: Path) -> None:
    """Whoever comes after us makes again what was shared."""
    with suppress(FileNotFoundError), exclusive(folder / "prepared.lock", PREPARE_SECONDS):
        shutil.rmtree(folder / "prepared", ignore_errors=True)
    with suppress(OSError):
        (folder / "prepared.lock").unlink(missing_ok=True)
        folder.rmdir()


def _make_prepared(path: Path) -> None:
    folder = new_data_folder()
    with folder.held():
        folder.prepare()
    wait_until(lambda: folder.processes() == [])
    for name in ("run", "log", "locks"):
        shutil.rmtree(folder.path / name, ignore_errors=True)
    folder.path.rename(path)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(POLL_SECONDS)
