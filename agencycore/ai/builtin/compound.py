"""Two asks in one message: the part that can be answered, and the work that is offered beside it."""

import re

from agencycore.ai.builtin.examples import Intent
from agencycore.ai.builtin.language import content_stems
from agencycore.ai.builtin.routing import Route, Router
from agencycore.ai.types import ContextBrief

_WORK_VERBS = (
    "find|search|look for|look up|research|investigate|draft|write|compose|prepare|create|build|make|run|start|launch|"
    "qualify|score|enrich|analyse|analyze|compare|list|get|send|schedule|add|update|change|set up|check|review"
)
_PARTS = re.compile(
    rf"(?<=[.!?])\s+|\s*[,;]?\s+(?:and|then|also)\s+(?:then\s+|also\s+)?(?=(?:please\s+)?(?:{_WORK_VERBS})\b)|"
    r"\s*[,;]?\s+(?:and|also)\s+(?=(?:(?:tell me|explain|say)\s+)?(?:what|who|when|where|why|how|which)\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:please )?(?:explain|describe|define)\b|"
    r"(?:tell me )?(?:what|who|whose|when|where|why|how|which|is|are|do|does|did|has|have)\b"
)
_WORK: frozenset[Intent] = frozenset({"work_request", "authoring_request", "schedule_request"})
_QUESTIONS: frozenset[Intent] = frozenset(
    {"knowledge_question", "record_question", "run_question", "capability_question"}
)


def question_and_work(brief: ContextBrief, router: Router) -> tuple[Route, Route] | None:
    """The question's route and the work's, where the message holds one of each."""
    routes = _routes(brief, router)
    questions = [route for route in routes if route.intent in _QUESTIONS and _is_question(route.text)]
    work = [route for route in routes if route.intent in _WORK and not _is_question(route.text)]
    return (questions[0], work[0]) if questions and work else None


def two_questions(brief: ContextBrief, router: Router) -> list[Route]:
    """The routes of both questions, where the message holds two, one of which at least can be looked up."""
    routes = _routes(brief, router)
    are_questions = len(routes) == 2 and all(_is_question(route.text) for route in routes)
    return routes if are_questions and any(route.intent in _QUESTIONS for route in routes) else []


def _routes(brief: ContextBrief, router: Router) -> list[Route]:
    parts = [part.strip() for part in _PARTS.split(brief.message) if part and len(content_stems(part)) > 0]
    return [router.route_text(part, brief) for part in parts] if len(parts) > 1 else []


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?") or bool(_QUESTION.match(text.lower()))
