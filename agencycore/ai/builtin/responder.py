"""The Responder that needs no language model: it routes, quotes and reads out, and never invents."""

from pathlib import Path

from django.conf import settings

from agencycore.ai.builtin.deciding import Decider
from agencycore.ai.builtin.reports import write_report
from agencycore.ai.builtin.routing import Router
from agencycore.ai.builtin.summary import summarise
from agencycore.ai.types import ContextBrief, DecisionRequest, ModelReply, ReportRequest, SummaryRequest, Usage
from agencycore.ai.wire import WireOutcome, render_decision

# Nothing is paid for, so nothing is counted.
NO_USAGE = Usage()


class BuiltinResponder:
    """Deterministic, without key or network. Facts come only from the brief's evidence, as it stands there."""

    name = "builtin"
    model = ""
    is_language_model = False

    def __init__(self) -> None:
        self._router = Router(Path(settings.ROUTING_EXAMPLES))

    def decide(self, request: DecisionRequest) -> ModelReply:
        reply = self._reply(self._decider(request).outcome())
        if request.on_text is not None:
            request.on_text(reply.text)
        return reply

    def _decider(self, request: DecisionRequest) -> "Decider":
        """A refused outcome is not tried again: the same brief would give the same one."""
        refused = request.repair.refused_reply if request.repair else ""
        return Decider(
            request.brief,
            self._router,
            may_start='"outcome":"delegate"' not in refused,
            may_ask='"outcome":"clarify"' not in refused,
        )

    def fallback(self, brief: ContextBrief) -> ModelReply:
        """The same answers, questions and stops, but no work is started: for use when a model failed."""
        return self._reply(Decider(brief, self._router, may_start=False, may_ask=True).outcome())

    def summarise(self, request: SummaryRequest) -> ModelReply:
        return self._wrapped(summarise(request.previous, request.messages, request.max_tokens))

    def report(self, request: ReportRequest) -> ModelReply:
        return self._wrapped(write_report(request))

    def _reply(self, outcome: WireOutcome) -> ModelReply:
        return self._wrapped(render_decision(outcome))

    def _wrapped(self, text: str) -> ModelReply:
        return ModelReply(text, "complete" if text else "empty", NO_USAGE, self.name, self.model)
