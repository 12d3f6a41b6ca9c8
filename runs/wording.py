"""Runs and definitions in product words."""

from collections.abc import Mapping, Sequence

from runs.models import Run

RESULT_LENGTH = 12_000
RESULT_LINES = 60


def run_state(run: Run) -> str:
    """As a person would say it: "waiting for your answer"."""
    if run.state == Run.State.WAITING:
        return f"waiting for {run.get_waiting_for_display().lower()}"
    return run.get_state_display().lower()


def run_label(run: Run) -> str:
    """The state as a label: "Waiting for your answer"."""
    words = run_state(run)
    return f"{words[:1].upper()}{words[1:]}"


def run_result(run: Run) -> str:
    """What the run has to say: its result's own words, else its values one a line; "" without a result."""
    result = run.result or {}
    own_words = next((result[name] for name in ("text", "message") if isinstance(result.get(name), str)), None)
    text = "\n".join(_value_lines(result)[:RESULT_LINES]) if own_words is None else str(own_words)
    return text if len(text) <= RESULT_LENGTH else f"{text[: RESULT_LENGTH - 1]}…"


def run_cause(run: Run) -> str:
    """Why the run waits or ended as it did; "" while it works."""
    match run.state:
        case Run.State.WAITING if run.question:
            return f"It asked: {run.question}"
        case Run.State.FAILED:
            return run.failure_text
        case Run.State.CANCELLED:
            return "It was stopped" + (f" by {run.cancelled_by.shown_name}" if run.cancelled_by else "")
        case _:
            return ""


def describe_named(names: Sequence[str], *, hidden: int = 0, unnamed: int = 0) -> str:
    """Records by name; those that their reader may not see, or that are gone, and those beyond the list by number."""
    parts = [", ".join(names)] if names else []
    if hidden:
        parts.append(f"{_records(hidden, more=bool(names))} cannot be shown")
    if unnamed:
        parts.append(f"{_records(unnamed, more=True)} not listed here")
    return "; ".join(parts)


def describe_steps(spec: Mapping[str, object]) -> str:
    """The steps in order, with the approvals between them."""
    steps = spec.get("steps")
    if not isinstance(steps, list):
        return ""
    return "; ".join(f"{number}. {_step(step)}" for number, step in enumerate(steps, start=1))


def describe_tools(spec: Mapping[str, object]) -> str:
    return _joined(spec.get("tools"))


def describe_writes(spec: Mapping[str, object]) -> str:
    return _joined(spec.get("writes")) or "none"


def describe_memory(spec: Mapping[str, object]) -> str:
    match spec.get("memory", "omit"):
        case "session":
            return "keeps its notes for later runs in the same conversation"
        case _:
            return "keeps nothing after a run has ended"


def _records(number: int, *, more: bool) -> str:
    """ "2 more records"."""
    return f"{number}{' more' if more else ''} record{'' if number == 1 else 's'}"


def _step(step: object) -> str:
    if not isinstance(step, Mapping):
        return str(step)
    approval = ", after an approval" if step.get("approval") else ""
    return f"{step.get('name', 'step')}{approval}"


def _joined(names: object) -> str:
    return ", ".join(str(name) for name in names) if isinstance(names, list) else ""


def _value_lines(value: object, name: str = "") -> list[str]:
    match value:
        case Mapping():
            named = ((f"{name} {key}".strip().replace("_", " "), entry) for key, entry in value.items())
            return [line for words, entry in named for line in _value_lines(entry, words)]
        case str() | int() | float() | bool():
            return [f"{name}: {value}"]
        case Sequence():
            return [line for entry in value for line in _value_lines(entry, name)]
        case _:
            return []
