"""The one entry point of context: a turn in, the bounded brief of its message out.

The history and the records around the message come first, because they decide what its words point
at and what to search for; then the sources are read one after the other in one read-only
transaction. Only a source that waits for another machine runs beside them.
"""

import logging
import time
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import cache, partial

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agencycore.ai.types import BriefItem, ContextBrief, MessageClass, Reference, SourceName, SourceReport
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor, tenant
from chat.context.guard import FAILED, LATE, Guard, own_time_limits
from chat.context.history import History, load_history, ref_of, refs_of
from chat.context.listed_definitions import told_definitions
from chat.context.own_runs import OwnRun, load_runs
from chat.context.packing import Packed, pack
from chat.context.port import (
    ITEM_LIMITS,
    SOURCE_ORDER,
    ContextRequest,
    ContextSource,
    Degraded,
    Skipped,
    Unavailable,
    get_sources,
)
from chat.context.preamble import build_preamble, shown_preambles
from chat.context.query import build_query
from chat.context.records import Records, read_records, refs_around
from chat.context.reference import (
    NOT_NEEDED,
    NOTHING_TOLD,
    TEXT_KINDS,
    Surroundings,
    Told,
    resolve_reference,
    surroundings_of,
)
from chat.context.run_reference import resolve_run
from chat.context.slow import SlowWatch
from chat.context.smalltalk import asks_how_it_goes, classify_message
from chat.models import Turn
from knowledge.languages import LANGUAGE_CODES, detect_language
from runs.capabilities import list_published
from runs.models import DefinitionVersion

logger = logging.getLogger(__name__)

OUTSIDE_CALLS = 8
# Fewer words do not tell a language.
LANGUAGE_WORDS = 4
DEFAULT_LANGUAGE = "en"
LANGUAGES: Mapping[str, str] = {name: code for code, name in LANGUAGE_CODES.items()}
SPEECH_ACTS: frozenset[MessageClass] = frozenset({"greeting", "thanks", "farewell", "about_assistant"})

_outside = ThreadPoolExecutor(max_workers=OUTSIDE_CALLS, thread_name_prefix="context")


def build_context(
    *,
    turn: Turn,
    actor: Actor,
    on_slow: Callable[[SourceName], None] | None = None,
    deadline: float | None = None,
) -> ContextBrief:
    """Everything a model may know of the turn's message, for ``actor``.

    Opens its own read-only transaction. ``on_slow`` is told once, from another thread, of a source
    that takes longer than two seconds. ``deadline`` is on the clock of ``time.monotonic``; without
    it, CONTEXT_TIMEOUT_SECONDS from now. A source that fails or is late is ``unavailable`` in the
    brief; only a lost database raises.
    """
    latest = time.monotonic() + settings.CONTEXT_TIMEOUT_SECONDS
    watch = SlowWatch(on_slow)
    guard = Guard(min(deadline or latest, latest), settings.SOURCE_TIMEOUT_SECONDS, watch)
    with watch.watching(), own_time_limits(), tenant(actor.organization_id, read_only=True):
        request = _prepare(turn, actor, guard)
        items = _read_sources(request, guard)
    return _brief(turn, request, items, guard)


def _prepare(turn: Turn, actor: Actor, guard: Guard) -> ContextRequest:
    """The message with its history and records read, its words resolved, its query built."""
    message = turn.message
    history = guard.read(
        "conversation",
        lambda: load_history(conversation=turn.conversation, message=message, actor=actor),
        History(),
    )
    refs = tuple(ref for ref in refs_of(message.refs) if ref.kind not in TEXT_KINDS)
    page = ref_of(message.page)
    message_class = _class_of(message.text, refs, history)
    if message_class == "greeting" and asks_how_it_goes(message.text) and _is_at_work(actor, turn, guard):
        message_class = "ordinary"
    around = refs_around(refs=refs, page=page, history=history)
    wanted = around if message_class == "conversation" else [ref for ref in around if ref.kind not in TEXT_KINDS]
    published = cache(partial(list_published, actor))
    told = _read_told(history, published, guard)
    wanted = [*wanted, *(ref for refs in told.values() for ref in refs)]
    records = guard.read("application", lambda: read_records(actor, wanted), Records())
    runs = _read_runs(actor, turn, message_class, guard)
    surroundings = surroundings_of(sent=refs, page=page, history=history, told=told)
    reference = (
        NOT_NEEDED
        if message_class in SPEECH_ACTS or guard.reading("application").state == "unavailable"
        else resolve_reference(message.text, surroundings, records, _run_meant(turn, surroundings, runs))
    )
    query = build_query(message=message.text, message_class=message_class, reference=reference, history=history)
    return ContextRequest(
        actor=actor,
        conversation_id=turn.conversation_id,
        message=message.text,
        message_class=message_class,
        query=query,
        reference=reference,
        refs=refs,
        page=page,
        history=history,
        records=records,
        list_published=published,
        runs=runs,
    )


def _read_told(history: History, published: Callable[[], list[DefinitionVersion]], guard: Guard) -> Told:
    said = {message.id: message for message in (*history.messages, *history.exchange)}
    return guard.read("definitions", lambda: told_definitions(list(said.values()), published), NOTHING_TOLD)


def _read_runs(actor: Actor, turn: Turn, message_class: MessageClass, guard: Guard) -> tuple[OwnRun, ...]:
    if message_class in SPEECH_ACTS or all(source.name != "runs" for source in get_sources()):
        return ()
    none: tuple[OwnRun, ...] = ()
    return guard.read("runs", lambda: load_runs(actor, turn.conversation_id), none)


def _is_at_work(actor: Actor, turn: Turn, guard: Guard) -> bool:
    return any(run.is_live and run.fact.is_of_conversation for run in _read_runs(actor, turn, "ordinary", guard))


def _run_meant(turn: Turn, around: Surroundings, runs: Sequence[OwnRun]) -> Reference | None:
    facts = [run.fact for run in runs]
    # "Today" is the organization's.
    now = timezone.now().astimezone(zoneinfo.ZoneInfo(turn.organization.time_zone))
    return resolve_run(turn.message.text, facts, exchange=around.exchange, page=around.page, now=now)


def _class_of(text: str, refs: Sequence[ResourceRef], history: History) -> MessageClass:
    """A message that comes with records, or before anything was said, is not about the conversation."""
    message_class = classify_message(text)
    if message_class == "conversation" and (refs or not history.exchange):
        return "ordinary"
    return message_class


def _read_sources(request: ContextRequest, guard: Guard) -> list[BriefItem]:
    sources = get_sources()
    beside = {source: _start_outside(source, request, guard) for source in sources if source.calls_out}
    inside = {source: _read(source, request, guard) for source in sources if source not in beside}
    found = inside | {source: _wait(source, future, guard) for source, future in beside.items()}
    return [item for source in sources for item in found[source][: ITEM_LIMITS[source.name]]]


def _read(source: ContextSource, request: ContextRequest, guard: Guard) -> list[BriefItem]:
    reading = guard.reading(source.name)
    nothing: list[BriefItem] = []
    try:
        return guard.read(source.name, lambda: source.read(request), nothing, to_deadline=source.calls_out)
    except Degraded as partly:
        reading.state, reading.reason = "degraded", partly.reason
        return partly.items
    except Skipped:
        reading.state = "skipped"
    except Unavailable as error:
        logger.warning("Context source %s is unavailable: %s", source.name, error)
        reading.give_up(str(error) or FAILED)
    return nothing


def _start_outside(source: ContextSource, request: ContextRequest, guard: Guard) -> "Future[list[BriefItem]]":
    return _outside.submit(_read_on_own_connection, source, request, guard)


def _read_on_own_connection(source: ContextSource, request: ContextRequest, guard: Guard) -> list[BriefItem]:
    try:
        with own_time_limits(), tenant(request.actor.organization_id, read_only=True):
            return _read(source, request, guard.for_own_transaction())
    finally:
        connection.close()


def _wait(source: ContextSource, future: "Future[list[BriefItem]]", guard: Guard) -> list[BriefItem]:
    """What the thread found, if it is done in time; it ends by its own limits otherwise, and is not heard."""
    try:
        return future.result(timeout=max(0.0, guard.deadline - time.monotonic()))
    except FutureTimeoutError:
        logger.warning("Context source %s was late.", source.name)
        guard.readings[source.name] = replace(guard.reading(source.name), state="unavailable", reason=LATE)
        return []


def _brief(turn: Turn, request: ContextRequest, items: Sequence[BriefItem], guard: Guard) -> ContextBrief:
    page = request.records.labelled([request.page]) if request.page else ()
    preamble = build_preamble(
        now=timezone.now(),
        time_zone=turn.organization.time_zone,
        page=page[0] if page else None,
        scope=request.records.labelled(request.history.scope),
    )
    packed = pack(items, settings.CONTEXT_TOKEN_BUDGET)
    return ContextBrief(
        message=request.message,
        query=request.query,
        message_class=request.message_class,
        preamble=preamble,
        reference=request.reference,
        items=_with_shown_preambles(packed.items, preamble),
        sources=_reports(packed, guard, request.history),
        token_breakdown={str(name): tokens for name, tokens in packed.tokens.items()},
        language=_language_of(request.message),
    )


def _with_shown_preambles(items: Sequence[BriefItem], preamble: str) -> tuple[BriefItem, ...]:
    sent = [index for index, item in enumerate(items) if item.kind == "message" and item.payload["role"] == "user"]
    shown = shown_preambles([str(items[index].payload["preamble"]) for index in sent], preamble)
    changed = dict(zip(sent, shown, strict=True))
    return tuple(
        replace(item, payload={**item.payload, "preamble": changed[index]}) if index in changed else item
        for index, item in enumerate(items)
    )


def _reports(packed: Packed, guard: Guard, history: History) -> tuple[SourceReport, ...]:
    configured: Mapping[SourceName, ContextSource] = {source.name: source for source in get_sources()}
    return tuple(_report(name, packed, guard, history) for name in SOURCE_ORDER if name in configured)


def _report(name: SourceName, packed: Packed, guard: Guard, history: History) -> SourceReport:
    reading = guard.reading(name)
    items = sum(item.source == name for item in packed.items)
    lost = history.uncovered if name == "conversation" else 0
    return SourceReport(
        name=name,
        state="empty" if reading.state == "ok" and not items else reading.state,
        milliseconds=reading.milliseconds,
        items=items,
        dropped=packed.dropped.get(name, 0) + lost,
        tokens=packed.tokens.get(name, 0),
        reason=reading.reason or (f"{lost} messages are not yet in the summary." if lost else ""),
    )


def _language_of(message: str) -> str:
    """The message's language as a two-letter code, where it is long enough to tell."""
    if len(message.split()) < LANGUAGE_WORDS:
        return DEFAULT_LANGUAGE
    return LANGUAGES.get(detect_language(message), DEFAULT_LANGUAGE)
