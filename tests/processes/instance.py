"""A running product of one's own: bundled services, and every process started and killed by name."""

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any

import psutil
import psycopg

from agencycore.embedded.programs import Program, background, front
from tests.agencycore.bundled import ROOT, DataFolder, new_data_folder, wait_until
from tests.agencycore.test_embedded_supervisor import free_port

HOST = "127.0.0.1"
REQUEST_SECONDS = 60
Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Member:
    """Somebody of the demo, signed in: ``token`` for the API, ``cookie`` for pages and sockets."""

    name: str
    organization_id: str
    token: str
    cookie: str


class Instance:
    """``script`` holds the lines of the scripted model, ``environment`` the settings of every process.

    ``data`` may be a prepared folder; it is a new one otherwise, and goes with the instance in both cases.
    """

    def __init__(self, script: Sequence[Json], data: DataFolder | None = None, **environment: str) -> None:
        self.data = data or new_data_folder()
        self.port = free_port()
        self.address = f"http://{HOST}:{self.port}"
        self._script = self.data.path / "replies.jsonl"
        self.rewrite_script(script)
        self.data.environment |= {
            "RESPONDER": "agencycore.ai.scripted.ScriptedFileResponder",
            "SCRIPTED_REPLIES": str(self._script),
            "EMBEDDER": "agencycore.ai.builtin.BuiltinEmbedder",
            "MESSAGES_PER_MINUTE": "1000000",
            "API_REQUESTS_PER_MINUTE": "1000000",
            "PYTHONUNBUFFERED": "1",
            **environment,
        }
        self._programs = self._known_programs()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._holder: subprocess.Popen[str] | None = None
        self._password = ""

    # --- Life

    def open(self, *programs: str) -> None:
        """Start the services and ``programs`` on a prepared database with the demo; returns when web answers."""
        (self.data.path / "log").mkdir(mode=0o711, exist_ok=True)
        self._holder = self.data.hold()
        self._password = self.data.prepare().partition("password ")[2].split()[0]
        for name in programs:
            self.start(name)
        self.wait_ready()

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)
        self.data.end()

    def wait_ready(self) -> None:
        wait_until(self._answers)
        wait_until(lambda: self.are_ready([name for name in self._running if name.startswith("turns")]))

    def are_ready(self, workers: Sequence[str]) -> bool:
        return all(" ready." in self.log(name) for name in workers)

    def log(self, name: str) -> str:
        return (self.data.path / "log" / f"{name}.log").read_text(errors="replace")

    def start(self, name: str) -> None:
        """Start a program: web, turns, turns-2 (and any other number), work, beat."""
        program = self._programs["turns" if name.startswith("turns") else name]
        path = self.data.path / "log" / f"{name}.log"
        with path.open("wb") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, *(part.replace("turns@", f"{name}@") for part in program.arguments)],
                cwd=ROOT,
                env=self.data.environment | dict(program.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """SIGKILL to the program and to everything it started."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def rewrite_script(self, script: Sequence[Json]) -> None:
        """What the model says in processes that are started from now on."""
        self._script.write_text("\n".join(json.dumps(line) for line in script))

    def holder_of(self, turn: str) -> str:
        """The name of the worker that holds the turn's lease."""
        [[owner]] = self.rows("SELECT owner FROM dispatch_dispatch WHERE object_id = %s", turn)
        pid = int(owner.rpartition(":")[2])
        return next(name for name, process in self._running.items() if process.pid == pid)

    # --- Redis

    def redis(self) -> psutil.Process:
        # Its title covers its environment, by which DataFolder knows a process.
        return psutil.Process(int((self.data.path / "redis" / "server.pid").read_text()))

    @contextmanager
    def redis_away(self) -> Iterator[None]:
        """No Redis while the block runs: its keeper is kept from starting it again."""
        [keeper] = self.data.processes("keeper redis")
        keeper.suspend()
        try:
            self.redis().terminate()
            wait_until(lambda: not self.redis_answers())
            yield
        finally:
            keeper.resume()
        wait_until(self.redis_answers)

    @contextmanager
    def redis_hanging(self) -> Iterator[None]:
        """A Redis that takes connections and answers nothing while the block runs."""
        server = self.redis()
        server.suspend()
        try:
            yield
        finally:
            server.resume()

    def redis_command(self, *words: str) -> bytes:
        with self._redis_socket() as client:
            client.sendall((" ".join(words) + "\r\n").encode())
            return client.recv(64)

    def redis_answers(self) -> bool:
        try:
            return self.redis_command("PING").startswith(b"+PONG")
        except OSError:
            return False

    # --- The database, as its superuser: row-level security hides nothing

    def connect(self) -> "psycopg.Connection[tuple[Any, ...]]":
        folder = str(self.data.path / "run" / "postgres")
        return psycopg.connect(host=folder, user="postgres", dbname="agencycore", autocommit=True)

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self.connect() as connection:
            return connection.execute(sql.encode(), parameters).fetchall()

    @contextmanager
    def transaction(self, sql: str, *parameters: object) -> Iterator[None]:
        """Hold what ``sql`` locks while the block runs."""
        with self.connect() as connection, connection.transaction():
            connection.execute(sql.encode(), parameters)
            yield

    def turn(self, turn_id: str) -> Json:
        with self.connect() as connection:
            cursor = connection.execute("SELECT * FROM chat_turn WHERE id = %s", [turn_id])
            assert cursor.description is not None
            row = cursor.fetchone()
            assert row is not None
            return dict(zip([column.name for column in cursor.description], row, strict=True))

    def wait_for_state(self, turn_id: str, *states: str) -> Json:
        wait_until(lambda: self.turn(turn_id)["state"] in states)
        return self.turn(turn_id)

    # --- People and requests

    def member(self, name: str) -> Member:
        [[user_id, organization_id]] = self.rows(
            "SELECT user_id, organization_id::text FROM organizations_membership m JOIN organizations_user u "
            "ON u.id = m.user_id WHERE u.username = %s LIMIT 1",
            name,
        )
        token = secrets.token_hex(20)
        self.rows(
            "INSERT INTO authtoken_token (key, created, user_id) VALUES (%s, now(), %s) "
            "ON CONFLICT (user_id) DO UPDATE SET key = excluded.key RETURNING key",
            token,
            user_id,
        )
        return Member(name, organization_id, token, self._log_in(name))

    def api(self, member: Member, method: str, path: str, body: Mapping[str, object] | None = None) -> Answer:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=REQUEST_SECONDS)
        headers = {"Authorization": f"Token {member.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, f"/api/v1/{path}", json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            text = response.read()
            return Answer(response.status, json.loads(text) if text else None)
        finally:
            connection.close()

    def page(self, member: Member, path: str) -> int:
        """The status of a page as the member's browser gets it."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=REQUEST_SECONDS)
        try:
            connection.request("GET", path, headers={"Cookie": member.cookie})
            return connection.getresponse().status
        finally:
            connection.close()

    def begin(self, member: Member, title: str = "") -> str:
        """A fresh conversation."""
        answer = self.api(member, "POST", "conversations/", {"title": title})
        assert answer.status == 201, answer
        return str(answer.body["id"])

    def post(self, member: Member, conversation: str, text: str, **fields: object) -> str:
        """Send a message; its turn."""
        body = {"text": text, "client_message_id": secrets.token_hex(8), **fields}
        answer = self.api(member, "POST", f"conversations/{conversation}/messages/", body)
        assert answer.status == 201, answer
        return str(answer.body["id"])

    def socket_address(self, conversation: str, after: int = 0) -> str:
        return f"ws://{HOST}:{self.port}/ws/conversations/{conversation}/?after={after}"

    # --- Private

    def _known_programs(self) -> dict[str, Program]:
        known = {program.name: program for program in (*front(HOST, self.port), *background())}
        beat = known["beat"]
        schedule = str(self.data.path / "schedule")
        return known | {"beat": Program("beat", (*beat.arguments[:-1], schedule))}

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/login/", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def _log_in(self, name: str) -> str:
        jar = CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        browser.open(f"{self.address}/login/", timeout=REQUEST_SECONDS).close()
        form = {"username": name, "password": self._password, "csrfmiddlewaretoken": _cookie(jar, "csrftoken")}
        browser.open(f"{self.address}/login/", urllib.parse.urlencode(form).encode(), REQUEST_SECONDS).close()
        return f"sessionid={_cookie(jar, 'sessionid')}"

    def _redis_socket(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(1)
        client.connect(str(self.data.path / "run" / "redis" / "redis.sock"))
        return client


def _cookie(jar: CookieJar, name: str) -> str:
    return next(str(cookie.value) for cookie in jar if cookie.name == name)
