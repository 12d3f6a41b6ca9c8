"""``make run`` as a person meets it: it starts, it says why not, it stops, and it survives what is killed."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator

import psutil
import pytest

from tests.agencycore.bundled import DataFolder, new_data_folder, prepared_data_folder, wait_until

pytestmark = pytest.mark.processes

PROGRAMS = ("uvicorn", "-Q turns", "-Q work", "celery -A agencycore beat")


class Product:
    """One ``make run`` in a folder of its own."""

    def __init__(self, data: DataFolder) -> None:
        self.data = data
        self.port = free_port()
        self.lines: list[str] = []

    def start(self) -> "subprocess.Popen[str]":
        self.process = self.data.python("-m", "agencycore.embedded", PORT=str(self.port))
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith("It took"):
                return self.process
        raise AssertionError("\n".join(self.lines))

    def log_in_page(self) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/login/") as response:
            return int(response.status)

    def programs(self, part: str) -> list[psutil.Process]:
        """The top process of each program whose command line holds ``part``."""
        found = self.data.processes(part)
        return [process for process in found if process.ppid() not in {other.pid for other in found}]


@pytest.fixture
def data() -> Iterator[DataFolder]:
    folder = new_data_folder()
    yield folder
    folder.end()


@pytest.fixture
def prepared() -> Iterator[DataFolder]:
    folder = prepared_data_folder()
    yield folder
    folder.end()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_it_runs_restarts_what_is_killed_and_stops_whole(data: DataFolder):
    product = Product(data)

    running = product.start()

    assert f"AgencyCore chat is ready at http://127.0.0.1:{product.port}" in product.lines
    assert [line for line in product.lines if re.fullmatch(r"Log in as .*demo.* of .*, password .+", line)]
    assert product.log_in_page() == 200
    wait_until(lambda: all(len(product.programs(part)) == 1 for part in PROGRAMS))

    second = data.python("-m", "agencycore.embedded", PORT=str(free_port()))
    said = second.communicate()[0]
    assert (second.returncode, f"process {running.pid}, http://127.0.0.1:{product.port}" in said) == (1, True)

    (web,) = product.programs("uvicorn")
    web.kill()
    wait_until(lambda: product.programs("uvicorn") not in ([], [web]))

    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 0
    assert data.processes() == []


def test_a_killed_supervisor_leaves_nothing_and_the_next_start_works(prepared: DataFolder):
    product = Product(prepared)
    product.start().kill()
    wait_until(lambda: prepared.processes() == [])

    again = product.start()

    assert product.log_in_page() == 200
    again.terminate()
    assert again.wait(60) == 0
    assert prepared.processes() == []


def test_a_taken_port_is_named_before_anything_starts(data: DataFolder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        refused = data.python("-m", "agencycore.embedded", PORT=str(port))
        said = refused.communicate()[0]

    assert refused.returncode == 1
    assert said == (
        f"AgencyCore did not start. Port {port} is taken by another program. Try: PORT={port + 1} make run\n"
    )
    assert data.processes() == []


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("eight", "PORT must be a whole number, not 'eight'."),
        ("0", "PORT must be at least 1, not 0."),
        ("70000", "PORT must be at most 65535, not 70000."),
    ],
)
def test_a_port_that_is_none_is_refused(data: DataFolder, port: str, message: str):
    refused = data.python("-m", "agencycore.embedded", PORT=port)

    assert refused.communicate()[0] == f"AgencyCore did not start. {message}\n"
    assert refused.returncode == 1


def test_an_interrupt_while_it_starts_stops_it_whole(data: DataFolder):
    starting = data.python("-m", "agencycore.embedded", PORT=str(free_port()))
    wait_until(lambda: data.processes("manage.py prepare") != [])

    starting.send_signal(signal.SIGTERM)

    assert "Stopping." in starting.communicate(timeout=60)[0]
    assert starting.returncode == 0
    assert data.processes() == []


def test_it_stops_with_the_make_that_started_it(data: DataFolder):
    shell = subprocess.Popen(
        ["/bin/sh", "-c", f"PORT={free_port()} {sys.executable} -m agencycore.embedded --stop-with-parent; exit"],
        cwd=data.root,
        env=data.environment,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: data.processes("manage.py prepare") != [])

    shell.kill()

    wait_until(lambda: data.processes() == [])
    shell.wait()
