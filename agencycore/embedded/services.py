"""Using the bundled services: whoever needs one says so, and it runs until nobody does."""

import os
import signal
import subprocess
import sys
import time

import psutil

from agencycore import environment as env
from agencycore.embedded.folders import CHECKOUT, EmbeddedError, data_folder, make_data_folder
from agencycore.embedded.locks import FileLock, exclusive

# What a keeper tells the process that started it.
READY = "ready"
PROGRESS = "progress: "
LOCK_SECONDS = 60
START_SECONDS = 240
STOP_SECONDS = 45

# The shared locks of this process, and the keepers it started; both last as long as the process.
_used: dict[str, FileLock] = {}
_started: list[subprocess.Popen[str]] = []


def wanted_services() -> list[str]:
    """The services no address was given for."""
    database = env.text("DATABASE_URL") or env.text("DATABASE_OWNER_URL")
    return [name for name, address in {"postgres": database, "redis": env.text("REDIS_URL")}.items() if not address]


def ensure_services() -> None:
    """Have the wanted services running until this process ends; raises EmbeddedError with a clear text."""
    for name in wanted_services():
        if name not in _used:
            _use(name)


def release_services() -> None:
    """Give the services up and wait for those that nobody else uses to stop."""
    names = list(_used)
    for name in names:
        _used.pop(name).close()
    keepers = {name: pid for name in names if (pid := _keeper_pid(name))}
    for pid in keepers.values():
        _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while any(_is_stopping(name, pid) for name, pid in keepers.items()):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"A bundled service did not stop; see {data_folder() / 'log'}.")
        time.sleep(0.05)


def _use(name: str) -> None:
    locks = make_data_folder("locks")
    users = FileLock(locks / f"{name}.users")
    # Held by a keeper only while it stops its service.
    if not users.wait_shared(LOCK_SECONDS):
        raise EmbeddedError(f"The bundled {name} is being stopped and does not end; see {data_folder() / 'log'}.")
    try:
        with exclusive(locks / f"{name}.start", START_SECONDS) as is_free:
            if not is_free:
                raise EmbeddedError(f"Another command has been starting the bundled {name} for too long.")
            if not _keeper_pid(name):
                _start_keeper(name)
    except BaseException:
        users.close()
        raise
    _used[name] = users


def _start_keeper(name: str) -> None:
    with (make_data_folder("log") / "keeper.log").open("ab") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "agencycore.embedded.keeper", name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=CHECKOUT,
            env=os.environ | {"AGENCYCORE_DATA": str(data_folder())},
            start_new_session=True,
            text=True,
        )
    _started.append(keeper)
    said: list[str] = []
    assert keeper.stdout is not None
    with keeper.stdout as lines:
        # Ends with the keeper's own deadlines: it reports, or it exits.
        for line in lines:
            if line.strip() == READY:
                return
            if line.startswith(PROGRESS):
                print(line.removeprefix(PROGRESS), end="", file=sys.stderr, flush=True)
            else:
                said.append(line)
    keeper.wait()
    raise EmbeddedError("".join(said).strip() or f"The bundled {name} could not be started; see {log.name}.")


def _keeper_pid(name: str) -> int | None:
    """The process that keeps the service, None if there is none."""
    path = make_data_folder("locks") / f"{name}.keeper"
    with FileLock(path) as lock:
        if lock.try_exclusive():
            return None
        text = lock.read()
    return int(text) if text.isdigit() else None


def _is_stopping(name: str, pid: int) -> bool:
    """Whether the keeper ``pid`` is still there, although nobody uses its service any more."""
    for process in _started:
        process.poll()  # our own child would stay as a zombie
    if not psutil.pid_exists(pid):
        return False
    with FileLock(make_data_folder("locks") / f"{name}.users") as users:
        # Held exclusively by a keeper at work on stopping; shared by another command that goes on.
        return users.try_exclusive() or not users.try_shared()


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
