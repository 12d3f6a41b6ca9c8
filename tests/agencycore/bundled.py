"""Drives the bundled services from outside, in a data folder of the test's own."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60.0
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


def new_data_folder() -> DataFolder:
    """Below a folder that everybody may enter: as root the database runs as another user."""
    path = Path(tempfile.mkdtemp(prefix="agencycore-"))
    path.chmod(0o711)
    return DataFolder(path)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
