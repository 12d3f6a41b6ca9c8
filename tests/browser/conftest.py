"""A real browser against the real ASGI application, with turns carried out by threads of this process."""

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import pytest
import uvicorn
from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from agencycore.ai.scripted import ScriptedReply, ScriptedResponder, playing
from agencycore.asgi import application
from agencycore.celery import app as celery
from agencycore.tenancy import tenant
from chat import tasks as chat_tasks
from crm.models import Company
from knowledge import tasks as knowledge_tasks
from tests.people import Person

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PATIENCE_MILLISECONDS = 15_000
WORK = {
    "chat.process_turn": chat_tasks.process_turn,
    "chat.write_report": chat_tasks.write_report,
    "knowledge.ingest_source": knowledge_tasks.ingest_source,
}
expect.set_options(timeout=PATIENCE_MILLISECONDS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; browser tests need it (apt-get install chromium).")
    # Playwright's synchronous API runs a loop in this thread, which Django takes for asynchronous code.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    try:
        with sync_playwright() as playwright:
            launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            yield launched
            launched.close()
    finally:
        if before is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@dataclass
class Worker:
    """Takes the work that is rung for; ``pause`` holds what comes next back."""

    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2))
    gate: threading.Event = field(default_factory=threading.Event)

    def send_task(self, name: str, args: list[str], **options: object) -> None:
        if name in WORK:
            self.pool.submit(self._work, name, args)

    def _work(self, name: str, ids: list[str]) -> None:
        self.gate.wait()
        WORK[name](*ids)
        connections.close_all()

    def pause(self) -> None:
        self.gate.clear()

    def go_on(self) -> None:
        self.gate.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        """What is rung for inside is carried out by the test itself, not by a thread that comes first."""
        self.pause()
        yield
        self.go_on()


@pytest.fixture
def worker(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    working = Worker()
    working.go_on()
    monkeypatch.setattr(celery, "send_task", working.send_task)
    yield working
    working.go_on()
    working.pool.shutdown()


@pytest.fixture
def site(worker: Worker) -> Iterator[str]:
    """The address of the running product."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    config = uvicorn.Config(application, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join()


class Script(ScriptedResponder):
    def plan(self, *replies: ScriptedReply) -> None:
        self._replies.extend(replies)


@pytest.fixture
def responder(worker: Worker) -> Iterator[Script]:
    with playing(Script()) as script:
        yield cast(Script, script)


@pytest.fixture
def company(owner: Person) -> Company:
    with tenant(owner.organization.id):
        return Company.objects.create(organization=owner.organization, name="Larch & Sons", domain="larch.example")


@dataclass
class Visit:
    """One signed-in browser window, and what went wrong in it."""

    context: BrowserContext
    page: Page
    problems: list[str]


@pytest.fixture
def visits(browser: Browser, site: str, owner: Person) -> Iterator["Visits"]:
    made = Visits(browser, site, owner)
    yield made
    problems = [problem for visit in made.all for problem in visit.problems]
    for visit in made.all:
        visit.context.close()
    assert problems == []


@dataclass
class Visits:
    browser: Browser
    site: str
    person: Person
    all: list[Visit] = field(default_factory=list)

    def open(self, path: str = "/", *, width: int = 1280, **options: object) -> Visit:
        context = self.browser.new_context(
            base_url=self.site,
            viewport={"width": width, "height": 800},
            **options,  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        session = self.person.client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": session, "url": self.site}])
        visit = Visit(context, context.new_page(), [])
        # Also a refused script or style: the page keeps its own Content-Security-Policy.
        visit.page.on("pageerror", lambda error: visit.problems.append(str(error)))
        visit.page.on("console", lambda message: _note(visit, message.type, message.text))
        visit.page.goto(path)
        self.all.append(visit)
        return visit


def _note(visit: Visit, kind: str, text: str) -> None:
    # Chromium reports every 4xx answer as an error of its own; the tests look at those themselves.
    if kind == "error" and "Failed to load resource" not in text:
        visit.problems.append(text)


@pytest.fixture
def page(visits: Visits) -> Page:
    return visits.open().page
