"""File locks: they end with the process that holds them, however it ends."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

POLL_SECONDS = 0.05


class FileLock:
    """An advisory lock on a file that is never removed; its text names the exclusive holder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def try_shared(self) -> bool:
        return self._try(fcntl.LOCK_SH)

    def try_exclusive(self) -> bool:
        return self._try(fcntl.LOCK_EX)

    def wait_shared(self, seconds: float) -> bool:
        return _wait(self.try_shared, seconds)

    def wait_exclusive(self, seconds: float) -> bool:
        return _wait(self.try_exclusive, seconds)

    def unlock(self) -> None:
        fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def write(self, text: str) -> None:
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, text.encode(), 0)

    def read(self) -> str:
        return os.pread(self.descriptor, 4096, 0).decode(errors="replace").strip()

    def is_current(self) -> bool:
        """False once somebody removed the file, and with it most likely the data beside it."""
        try:
            return self.path.stat().st_ino == os.fstat(self.descriptor).st_ino
        except FileNotFoundError:
            return False

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _try(self, kind: int) -> bool:
        try:
            fcntl.flock(self.descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _wait(attempt: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not attempt():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


@contextmanager
def exclusive(path: Path, seconds: float) -> Iterator[bool]:
    """Hold ``path`` exclusively; yields whether it was free within ``seconds``."""
    with FileLock(path) as lock:
        yield lock.wait_exclusive(seconds)
