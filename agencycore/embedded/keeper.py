"""Keeps one bundled service alive while somebody uses it, and stops it when nobody does.

``python -m agencycore.embedded.keeper postgres|redis``, started by ``services``. Users hold a shared lock on
``<name>.users``; the keeper ends its service once it gets that lock for itself. A lock ends with its
process, so a killed command never keeps a service running, and two commands never stop each other's.
"""

import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Protocol

from agencycore import environment as env
from agencycore.embedded.folders import EmbeddedError, make_data_folder
from agencycore.embedded.locks import FileLock
from agencycore.embedded.services import PROGRESS, READY

POLL_SECONDS = 0.1
FIRST_BACKOFF_SECONDS = 1.0
LONGEST_BACKOFF_SECONDS = 30.0


class Service(Protocol):
    """One server. ``start`` repairs what it finds and returns when the server answers."""

    name: str

    def start(self) -> subprocess.Popen[bytes]: ...

    def stop(self, process: subprocess.Popen[bytes]) -> None: ...


def find_service(name: str, say: Callable[[str], None]) -> Service:
    """A keeper loads the code of its own service only: Redis needs no database driver."""
    module, kind = {"postgres": ("postgres", "Postgres"), "redis": ("redis_server", "Redis")}[name]
    service: Service = getattr(importlib.import_module(f"agencycore.embedded.{module}"), kind)(say)
    return service


class Keeper:
    def __init__(self, service: Service, users: FileLock, idle_seconds: float) -> None:
        self.service = service
        self.users = users
        self.idle_seconds = idle_seconds
        self.backoff_seconds = FIRST_BACKOFF_SECONDS

    def stop_when_unused(self, *signal_arguments: object) -> None:
        self.idle_seconds = 0

    def keep(self, process: subprocess.Popen[bytes]) -> None:
        """Returns once the service is unused and stopped."""
        used_at = time.monotonic()
        while self.users.is_current():
            if process.poll() is not None:
                process = self._start_again()
            if self.users.try_exclusive():
                # While this lock is held nobody new comes in, so the service may be stopped.
                if time.monotonic() - used_at >= self.idle_seconds:
                    break
                self.users.unlock()
            else:
                used_at = time.monotonic()
            time.sleep(POLL_SECONDS)
        self.service.stop(process)

    def _start_again(self) -> subprocess.Popen[bytes]:
        while True:
            print(f"{self.service.name} ended; starting it again.", flush=True)
            time.sleep(self.backoff_seconds)
            self.backoff_seconds = min(self.backoff_seconds * 2, LONGEST_BACKOFF_SECONDS)
            try:
                return self.service.start()
            except EmbeddedError as error:
                print(error, flush=True)


def main(name: str) -> int:
    locks = make_data_folder("locks")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with FileLock(locks / f"{name}.keeper") as alone, FileLock(locks / f"{name}.users") as users:
        if not alone.wait_exclusive(seconds=60):
            print(f"Another process already keeps {name}.")
            return 1
        alone.write(str(os.getpid()))
        try:
            service = find_service(name, _say)
            process = service.start()
        except (EmbeddedError, OSError) as error:
            print(error)
            return 1
        keeper = Keeper(service, users, env.integer("AGENCYCORE_IDLE_SECONDS", 10))
        signal.signal(signal.SIGTERM, keeper.stop_when_unused)
        _report_ready(name)
        keeper.keep(process)
    return 0


def _say(text: str) -> None:
    print(PROGRESS + text, flush=True)


def _report_ready(name: str) -> None:
    """Tell the process that waits for us, and leave its pipe for the log."""
    print(READY, flush=True)
    with (make_data_folder("log") / "keeper.log").open("ab") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
