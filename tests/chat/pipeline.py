"""One message through the whole pipeline: the page's request, the worker's task, the rows, the socket's events."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from asgiref.sync import async_to_sync, sync_to_async
from channels.db import database_sync_to_async
from django.conf import settings
from django.utils import timezone

from agencycore.ai.scripted import ScriptedReport, playing
from agencycore.ai.types import BriefItem, DecisionRequest
from agencycore.ai.wire import WireAnswer, WireClarify, WireControlRun, WireDelegate, WireOption, WireOutcome
from agencycore.asgi import application
from agencycore.refs import ResourceRef
from agencycore.streams.models import Stream
from agencycore.tenancy import tenant
from chat import tasks
from chat.models import Turn
from conversations.models import Message, stream_of
from crm.models import Company
from runs.ender import Act, play
from runs.models import Run
from tests.people import Person
from tests.sockets import Socket

FETCH = {"X-Requested-With": "fetch"}
Decide = Callable[[DecisionRequest], WireOutcome]


@dataclass(frozen=True)
class Model:
    """The adapter a scenario runs with; ``decisions`` and ``reports`` are what a scripted one says."""

    name: str

    @contextmanager
    def deciding(self, *decisions: Decide | WireOutcome) -> Iterator[None]:
        if self.name == "builtin":
            yield
            return
        with playing(decisions, summaries=["A recap."]):
            yield

    @contextmanager
    def reporting(self, *reports: ScriptedReport) -> Iterator[None]:
        if self.name == "builtin":
            yield
            return
        with playing(reports=reports):
            yield


@dataclass
class Talk:
    """A conversation of one person, as their browser and the workers carry it on."""

    person: Person
    model: Model
    turns: list[Turn] = field(default_factory=list)

    @property
    def organization_id(self) -> uuid.UUID:
        return self.person.actor.organization_id

    @property
    def conversation_id(self) -> uuid.UUID:
        return self.turns[0].conversation_id

    def post(self, text: str, *refs: ResourceRef, client_message_id: str = "", **fields: str) -> Turn:
        """The page's own request; the turn it began."""
        client_message_id = client_message_id or str(uuid.uuid4())
        url = f"/chat/{self.conversation_id}/messages/" if self.turns else "/chat/messages/"
        form = {
            "text": text,
            "client_message_id": client_message_id,
            "ref": [f"{ref.kind}:{ref.id}" for ref in refs],
            **fields,
        }
        response = self.person.client.post(url, form, headers=FETCH)
        assert response.status_code == 201, response.content
        with tenant(self.organization_id):
            turn = Turn.objects.get(message__client_message_id=client_message_id)
        if turn.id not in [known.id for known in self.turns]:
            self.turns.append(turn)
        return turn

    def work(self, turn: Turn) -> Turn:
        """What a worker does that was rung for the turn."""
        tasks.process_turn(str(turn.organization_id), str(turn.id))
        return self.reread(turn)

    def say(self, text: str, *refs: ResourceRef, decision: Decide | WireOutcome) -> Turn:
        turn = self.post(text, *refs)
        with self.model.deciding(decision):
            return self.work(turn)

    def reread(self, turn: Turn) -> Turn:
        with tenant(self.organization_id):
            return Turn.objects.select_related("reply", "message").get(id=turn.id)

    def end(self, turn: Turn, *acts: Act) -> Run:
        assert turn.run_id is not None, (turn.state, turn.refusals)
        return play(*acts, organization_id=self.organization_id, run_id=turn.run_id)

    def report(self, turn: Turn, *reports: ScriptedReport) -> None:
        """What a worker does that was rung for the report."""
        with self.model.reporting(*reports):
            tasks.write_report(str(turn.organization_id), str(turn.run_id))

    def run(self, turn: Turn) -> Run:
        with tenant(self.organization_id):
            return Run.objects.select_related("version__definition").get(id=turn.run_id)

    def replies(self, turn: Turn) -> list[Message]:
        """Everything that stands under the turn's message, in order."""
        with tenant(self.organization_id):
            replies = Message.objects.filter(in_reply_to=turn.message_id).order_by("ordinal")
            return list(replies.prefetch_related("citations"))

    def cited(self, turn: Turn) -> list[tuple[str, str]]:
        return [(c.kind, c.resource_id) for reply in self.replies(turn) for c in reply.citations.all()]

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """What a page that opens now hears over its socket: everything told of the conversation."""
        with tenant(self.organization_id):
            last = Stream.objects.get(name=stream_of(self.conversation_id)).last_number
        heard = async_to_sync(_hear)(self.person, f"/ws/conversations/{self.conversation_id}/?after=0", last)
        return [(event["type"], event["payload"]) for event in heard]

    def states(self, turn: Turn) -> list[str]:
        """The turn's progress as it was told."""
        return [told["state"] for kind, told in self.events() if kind == "turn.state" and told["turn"] == str(turn.id)]

    def page(self) -> str:
        return self.person.client.get(f"/chat/{self.conversation_id}/").content.decode()


async def _hear(person: Person, path: str, last: int) -> list[dict[str, Any]]:
    """The stored events up to number ``last``, as the whole application sends them to a browser of the person's.

    Reads go to the thread of the test, whose open connection alone sees what its transaction holds.
    """
    with (
        patch("agencycore.streams.consumer.off_loop", database_sync_to_async),
        patch("channels.db.close_old_connections"),
    ):
        socket = Socket(application, path, await sync_to_async(cookie_headers)(person))
        assert await socket.open() == "websocket.accept"
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1]["number"] != last:
            event = await socket.hear()
            heard += [event] if event["number"] is not None else []
        await socket.leave()
    return heard


def cookie_headers(person: Person) -> list[tuple[bytes, bytes]]:
    """What a signed-in browser sends with every request."""
    cookie = f"{settings.SESSION_COOKIE_NAME}={person.client.cookies['sessionid'].value}"
    return [(b"origin", b"http://127.0.0.1"), (b"cookie", cookie.encode())]


def company(person: Person, name: str) -> ResourceRef:
    with tenant(person.actor.organization_id):
        made = Company.objects.create(
            organization=person.organization,
            name=name,
            domain=f"{name.lower()}.example",
            industry="Fintech",
            owner=person.user,
            stage_since=timezone.now(),
        )
    return ResourceRef("company", str(made.id), name)


def answer_from(*kinds: str, label: str = "") -> Decide:
    """A model that reads out the first evidence of those kinds, with its key."""

    def decide(request: DecisionRequest) -> WireOutcome:
        item = first(request, *kinds, label=label)
        said = item.text.strip().splitlines()
        text = "\n".join(f"{line} [{item.key}]" for line in said if line.strip())
        return WireAnswer(outcome="answer", citations=[item.key], unresolved=[], offer="", text=text)

    return decide


def first(request: DecisionRequest, *kinds: str, label: str = "") -> BriefItem:
    found = [item for item in request.brief.evidence if item.kind in kinds and label in item.label]
    assert found, [(item.kind, item.label) for item in request.brief.items]
    return found[0]


def nothing_known(gap: str, text: str = "That is not known here.") -> WireAnswer:
    return WireAnswer(outcome="answer", citations=[], unresolved=[gap], offer="", text=text)


def delegate_to(slug: str) -> WireDelegate:
    return WireDelegate(outcome="delegate", capability=slug, input_json="{}")


def ask_which(request: DecisionRequest) -> WireOutcome:
    """A model that asks back with the candidates of the brief."""
    refs = request.brief.reference.refs
    options = [WireOption(label=ref.label, ref=f"{ref.kind}:{ref.id}") for ref in refs]
    return WireClarify(outcome="clarify", question="Which one do you mean?", options=options)


def stop_the_live_one(request: DecisionRequest) -> WireOutcome:
    live = next(item for item in request.brief.of("runs") if item.payload["live"])
    return WireControlRun(outcome="control_run", run_id=live.id, action="cancel")
