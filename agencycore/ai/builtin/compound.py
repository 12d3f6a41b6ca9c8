"""Several asks in one message: the questions to be answered, and the work to be offered beside them."""

from dataclasses import dataclass, replace

from agencycore.ai.asked import asks_for_work, is_question, split_asks
from agencycore.ai.beside_stop import stop_joined_on
from agencycore.ai.builtin.examples import Intent
from agencycore.ai.builtin.routing import Route, Router
from agencycore.ai.stop_requests import names_of_work
from agencycore.ai.types import ContextBrief

_WORK: frozenset[Intent] = frozenset({"work_request", "authoring_request", "schedule_request"})
_QUESTIONS: frozenset[Intent] = frozenset(
    {"knowledge_question", "record_question", "run_question", "capability_question"}
)
_NO_COMMANDS: frozenset[Intent] = _QUESTIONS | {"external_facts", "offtopic", "smalltalk"}


@dataclass(frozen=True, slots=True)
class Asks:
    """The routes of one message's asks, each kind in the order of the message.

    ``stop`` is what was joined on to them, and is to be asked for alone.
    """

    questions: tuple[Route, ...]
    work: tuple[Route, ...]
    stop: str = ""


def asks_of(brief: ContextBrief, router: Router) -> Asks | None:
    """The asks of a message that holds several, a question among them, and nothing but what can be told or started."""
    parts = split_asks(brief.message)
    joined, stop = stop_joined_on(brief.message, names_of_work(brief))
    parts = joined or parts
    if len(parts) < 2 and not stop:
        return None
    routes = [_as_asked(router.route_text(part, brief)) for part in parts]
    questions = tuple(route for route in routes if is_question(route.text))
    work = tuple(route for route in routes if not is_question(route.text) and route.intent in _WORK)
    can_be_told = work or any(route.intent in _QUESTIONS for route in questions)
    if not questions or not can_be_told or len(questions) + len(work) < len(routes):
        return None
    return Asks(questions, work, stop)


def _as_asked(route: Route) -> Route:
    """“Explain deals” is like a request for work, and “research Halden” like a question: their form says which."""
    if is_question(route.text):
        return replace(route, intent="knowledge_question") if route.intent in _WORK else route
    is_work = asks_for_work(route.text) and route.intent in _NO_COMMANDS
    return replace(route, intent="work_request") if is_work else route
