"""What the scripted model says to the messages of the soak; the first line that fits."""

from typing import Any

Json = dict[str, Any]

NOT_KNOWN: Json = {
    "outcome": "answer",
    "citations": [],
    "unresolved": ["What is kept in the vault"],
    "offer": "",
    "text": "Not known here.",
}
STREAMED_TEXT = " ".join(f"Sentence {number} of an answer that is written while it is read." for number in range(1, 25))
STREAMED: Json = NOT_KNOWN | {"text": STREAMED_TEXT}
CITED: Json = {
    "outcome": "answer",
    "citations": ["r1"],
    "unresolved": [],
    "offer": "",
    "text": "It is told on the page that was found [r1].",
}
ASKED_BACK: Json = {"outcome": "clarify", "question": "Which one do you mean?", "options": []}
GREETING: Json = NOT_KNOWN | {"unresolved": [], "text": "Hello! What would you like to know?"}
DELEGATED: Json = {"outcome": "delegate", "capability": "soak-work", "input_json": "{}"}

SCRIPT: list[Json] = [
    {"match": "", "purpose": "summary", "reply": "A recap."},
    {"match": "(two seconds)", "reply": NOT_KNOWN, "delay_seconds": 2},
    {"match": "(streamed)", "reply": STREAMED, "pace_seconds": 0.02},
    {"match": "lifecycle stage", "reply": CITED},
    {"match": "one of them", "reply": ASKED_BACK},
    {"match": "Do the soak work", "reply": DELEGATED},
    {"match": "hello", "reply": GREETING},
    {"match": "", "reply": NOT_KNOWN},
]


def costly(tokens: int) -> list[Json]:
    """The script, with a first line whose calls cost what was reserved for them, and a little more."""
    usage = {"input": tokens, "output": tokens // 20}
    return [{"match": "(costly)", "reply": NOT_KNOWN, "usage": usage}, *SCRIPT]
