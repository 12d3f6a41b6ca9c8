"""Starting and ending child processes that never outlive their parent."""

import ctypes
import os
import pwd
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TypedDict

PR_SET_PDEATHSIG = 1
LOG_KEPT_BYTES = 20 * 1024 * 1024
_libc = ctypes.CDLL(None)


class SwitchUser(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


def bind_to_parent(death_signal: signal.Signals, parent: int) -> None:
    """Have the kernel send ``death_signal`` to this process when ``parent`` ends in any way."""
    if hasattr(_libc, "prctl"):
        _libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # the parent ended before the kernel was told


def spawn(
    arguments: Sequence[str | Path],
    *,
    log: Path,
    death_signal: signal.Signals,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    user: pwd.struct_passwd | None = None,
) -> subprocess.Popen[bytes]:
    """A child in a session of its own (no Ctrl-C from the terminal), bound to this process."""
    parent = os.getpid()
    with open_log(log) as output:
        return subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=dict(environment) if environment is not None else None,
            start_new_session=True,
            # Safe here: the processes of this room have no threads.
            preexec_fn=lambda: bind_to_parent(death_signal, parent),
            **switch_user(user),
        )


def switch_user(user: pwd.struct_passwd | None) -> SwitchUser:
    """The arguments with which subprocess runs a program as ``user`` (None: as ourselves)."""
    if user is None or user.pw_uid == os.geteuid():
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def open_log(path: Path) -> BinaryIO:
    """The log to append to; a long one is put aside first."""
    if path.exists() and path.stat().st_size > LOG_KEPT_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path.open("ab")


def tail(path: Path, lines: int = 12) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 8192))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def stop(process: subprocess.Popen[bytes], signals: Sequence[tuple[signal.Signals, float]]) -> None:
    """Send each signal and wait its seconds until the process ends; then kill its whole session."""
    for number, seconds in signals:
        if process.poll() is not None:
            break
        process.send_signal(number)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
    _kill_session(process.pid)
    process.wait()


def _kill_session(session: int) -> None:
    try:
        os.killpg(session, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
