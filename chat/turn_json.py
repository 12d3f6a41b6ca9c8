"""A finished turn as the stable JSON contract of ``manage.py ask`` (see docs/engineering/commands.md)."""

from typing import Any

from chat.models import Turn
from conversations.models import Citation, Message
from organizations.models import UsageRecord

Json = dict[str, Any]


def turn_as_json(turn: Turn) -> Json:
    """Every key is always there, null where it does not apply. Reads inside the caller's tenant."""
    reply = turn.reply
    decision: Json = turn.decision or {}
    outcome = turn.outcome or None
    return {
        "turn": str(turn.id),
        "conversation": str(turn.conversation_id),
        "state": turn.shown_state,
        "outcome": outcome,
        "text": _text(turn),
        "citations": [_citation(citation) for citation in reply.citations.all()] if reply else [],
        "unresolved": list(reply.unresolved) if reply else [],
        "capability": decision.get("capability") if outcome == "delegate" else None,
        "input": decision.get("input") if outcome == "delegate" else None,
        "run": str(turn.run_id) if turn.run_id else None,
        "action": decision.get("action") if outcome == "control_run" else None,
        "options": list(reply.options) if reply else [],
        "brief": _brief(turn),
        "tokens": _tokens(turn),
        "timings_ms": turn.timings,
        "provider": turn.provider or None,
        "fallback": turn.fallback or None,
        "report": _report(turn),
    }


def _text(turn: Turn) -> str | None:
    """What is shown: the reply, why there is none, or where the message went."""
    if turn.reply is not None:
        return turn.reply.text
    return turn.error_text or (Turn.State.REPLIED.label if turn.state == Turn.State.REPLIED else None)


def _citation(citation: Citation) -> Json:
    return {
        "marker": citation.marker,
        "key": citation.key,
        "kind": citation.kind,
        "id": citation.resource_id,
        "label": citation.label,
        "position": citation.position or None,
        "excerpt": citation.excerpt,
    }


def _brief(turn: Turn) -> Json:
    brief: Json = turn.brief or {}
    reference = brief.get("reference", {})
    return {
        "items": [
            {
                "key": item["key"] or None,
                "source": item["source"],
                "kind": item["kind"],
                "id": item["id"],
                "label": item["label"],
                "tokens": item["tokens"],
            }
            for item in brief.get("items", [])
        ],
        "sources": {
            report["name"]: {"state": report["state"], "ms": report["milliseconds"], "items": report["items"]}
            for report in brief.get("sources", [])
        },
        "reference": {"status": reference.get("status"), "refs": reference.get("refs", [])},
    }


def _tokens(turn: Turn) -> Json:
    usage = UsageRecord.objects.filter(owner_id=turn.id, purpose="decision").first()
    return {
        "context": turn.token_breakdown,
        "input": usage.input_tokens if usage else 0,
        "cached_input": usage.cached_input_tokens if usage else 0,
        "output": usage.output_tokens if usage else 0,
    }


def _report(turn: Turn) -> str | None:
    if turn.run_id is None:
        return None
    report = Message.objects.filter(run_id=turn.run_id, kind=Message.Kind.REPORT).first()
    return report.text if report else None
