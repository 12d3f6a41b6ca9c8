"""The actor's own runs: what was done, is being done, and why it stopped."""

from agencycore.ai.types import BriefItem, SourceName
from chat.context.items import record_item
from chat.context.own_runs import OwnRun
from chat.context.port import ITEM_LIMITS, ContextRequest, Skipped

SPEECH_ACTS = frozenset({"greeting", "thanks", "farewell", "about_assistant"})


class RunsSource:
    """Evidence. The runs are read before the message's words are resolved; here they are told."""

    name: SourceName = "runs"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        if request.message_class in SPEECH_ACTS:
            raise Skipped
        meant = {ref.key for ref in request.reference.refs}
        kept = sorted(request.runs, key=lambda run: (run.fact.ref.key not in meant, not run.is_live))
        kept = kept[: ITEM_LIMITS[self.name]]
        told = sorted([run for run in request.runs if run in kept], key=lambda run: run.fact.ref.key not in meant)
        resolved = request.reference.status == "resolved"
        return [
            _item(run, score=float(-index), pinned=resolved and run.fact.ref.key in meant)
            for index, run in enumerate(told)
        ]


def _item(run: OwnRun, *, score: float, pinned: bool) -> BriefItem:
    return record_item(
        run.projection,
        source="runs",
        score=score,
        pinned=pinned,
        payload={
            "state": run.fact.state,
            "live": run.is_live,
            "definition": run.fact.definition,
            "in_conversation": run.fact.is_of_conversation,
            "waiting_for": run.waiting_for,
            "question": run.question,
            "started": run.started,
            "refs": [{"kind": ref.kind, "id": ref.id} for ref in run.refs],
        },
    )
