"""``make run``: the services, the web server, the workers and the clock, all of them or none.

The processes are children bound to this one: they end with it, even when it is killed. The database and
Redis belong to their keepers (see ``keeper``), which end them when nobody uses them any more.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from agencycore.embedded import processes
from agencycore.embedded.folders import CHECKOUT, EmbeddedError, data_folder, make_data_folder
from agencycore.embedded.locks import FileLock
from agencycore.embedded.programs import Program, background, front
from agencycore.embedded.services import ensure_services, release_services, wanted_services

HOST = "127.0.0.1"
HTTP_SERVER_ERROR = 500
READY_SECONDS = 90
POLL_SECONDS = 0.2
FIRST_BACKOFF_SECONDS = 1.0
LONGEST_BACKOFF_SECONDS = 30.0
# A process that lived this long starts again at once.
SETTLED_SECONDS = 60.0
FAILED_STARTS = 3
# How ``load_demo`` begins the line that names the demo's people and their password.
LOG_IN = "Log in as"


class Stopped(Exception):
    """Somebody asked us to stop."""


class Supervised:
    """One program, started again when it ends."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.environment = _environment() | dict(program.environment)
        self.log = make_data_folder("log") / f"{program.name}.log"
        self.failures = 0
        self.start_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.started_at = time.monotonic()
        self.process = processes.spawn(
            [sys.executable, *self.program.arguments],
            log=self.log,
            death_signal=self.program.death_signal,
            cwd=CHECKOUT,
            environment=self.environment,
        )

    def check(self) -> None:
        """Notice an end, and start again when its pause is over."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.start_at:
                self.start()
        elif self.process.poll() is not None:
            processes.stop(self.process, [])  # what it started goes with it
            lived = now - self.started_at
            self.failures = 1 if lived >= SETTLED_SECONDS else self.failures + 1
            pause = 0.0 if lived >= SETTLED_SECONDS else _backoff(self.failures)
            say(f"{self.program.name} ended (status {self.process.returncode}); again in {pause:.0f} s. See {self.log}")
            self.process, self.start_at = None, now + pause


class Supervisor:
    def __init__(self, port: int) -> None:
        self.port = port
        self.children: list[Supervised] = []
        self.address = f"http://{HOST}:{port}"
        self.stop_requested = False
        self.preparation: subprocess.Popen[str] | None = None

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        with FileLock(make_data_folder("locks") / "supervisor") as lock:
            if not lock.try_exclusive():
                raise EmbeddedError(f"AgencyCore is already running from {data_folder()}: {lock.read()}.")
            lock.write(f"process {os.getpid()}, {self.address}")
            refuse_taken_port(self.port)
            try:
                self._serve()
            except Stopped:
                say("Stopping.")
            finally:
                self._stop_all()
        return 0

    def _serve(self) -> None:
        began = time.monotonic()
        if wanted_services():
            say("Starting the database and Redis.")
        ensure_services()
        log_ins = self._prepare()
        self.children = [Supervised(program) for program in front(HOST, self.port)]
        self._wait_until_ready()
        self.children += [Supervised(program) for program in background()]
        say(f"AgencyCore chat is ready at {self.address}")
        for line in log_ins:
            say(line)
        say(f"It took {time.monotonic() - began:.0f} s. Logs are in {data_folder() / 'log'}. Ctrl-C stops everything.")
        while True:
            self._look_after_children()

    def _prepare(self) -> list[str]:
        """Tables, demo and platform documents, in one process; returns the lines about logging in."""
        me = os.getpid()
        self.preparation = subprocess.Popen(
            [sys.executable, "manage.py", "prepare"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            env=_environment(),
            start_new_session=True,
            preexec_fn=lambda: processes.bind_to_parent(signal.SIGTERM, me),
            text=True,
        )
        assert self.preparation.stdout is not None
        with self.preparation.stdout as output:
            lines = [_repeat(line) for line in output]
        status = self.preparation.wait()
        if self.stop_requested:
            raise Stopped
        if status:
            raise EmbeddedError("The database could not be prepared; the lines above say why.")
        return [line for line in lines if line.startswith(LOG_IN)]

    def _wait_until_ready(self) -> None:
        web = self.children[0]
        deadline = time.monotonic() + READY_SECONDS
        while not answers(f"{self.address}/login/"):
            self._look_after_children()
            if web.failures >= FAILED_STARTS or time.monotonic() > deadline:
                raise EmbeddedError(f"The web server does not start. The end of {web.log}:\n{processes.tail(web.log)}")

    def _look_after_children(self) -> None:
        for child in self.children:
            child.check()
        if self.stop_requested:
            raise Stopped
        time.sleep(POLL_SECONDS)

    def _request_stop(self, *signal_arguments: object) -> None:
        self.stop_requested = True
        if self.preparation is not None:
            self.preparation.terminate()

    def _stop_all(self) -> None:
        running = [(child.process, child.program) for child in self.children if child.process is not None]
        for process, program in running:
            process.send_signal(program.stop_signal)
        for process, program in running:
            processes.stop(process, [(program.stop_signal, program.stop_seconds)])
        release_services()


def refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise EmbeddedError(f"Port {port} needs rights this user does not have. Try: PORT=8001 make run") from None
        except OSError:
            raise EmbeddedError(f"Port {port} is taken by another program. Try: PORT={port + 1} make run") from None


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):  # noqa: S310  (our own address)
            return True
    except urllib.error.HTTPError as error:
        # Up, and not for this host: ALLOWED_HOSTS may name the public one only.
        return error.code < HTTP_SERVER_ERROR
    except OSError:
        return False


def say(text: str) -> None:
    print(text, flush=True)


def _repeat(line: str) -> str:
    if not line.startswith(LOG_IN):
        say(line.rstrip())
    return line.rstrip()


def _backoff(failures: int) -> float:
    return min(FIRST_BACKOFF_SECONDS * 2.0 ** (failures - 1), LONGEST_BACKOFF_SECONDS)


def _environment() -> dict[str, str]:
    return os.environ | {"AGENCYCORE_DATA": str(data_folder()), "PYTHONUNBUFFERED": "1"}
