"""What the openai adapter itself costs: milliseconds a call against a server in this process that answers at once.

Run: ``python -m bench.openai_overhead [CALLS]``
"""

import os
import statistics
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")
django.setup()

from django.test.utils import override_settings  # noqa: E402

from agencycore.ai.openai import OpenAIResponder  # noqa: E402
from tests.agencycore.ai.requests import decision_request  # noqa: E402
from tests.agencycore.ai.scenarios import SCENARIOS  # noqa: E402
from tests.agencycore.ai.scripted_server import VendorServer  # noqa: E402

CALLS = 200


def main(calls: int) -> None:
    with VendorServer().running() as server:
        for api in ("responses", "chat_completions"):
            with override_settings(OPENAI_API_KEY="key", OPENAI_BASE_URL=server.base_url, OPENAI_API=api):
                for is_streamed in (False, True):
                    server.play(*[SCENARIOS["good_decision"]] * (calls + 1))
                    times = measure(OpenAIResponder(), calls, is_streamed=is_streamed)
                    report(f"{api}, {'streamed' if is_streamed else 'whole'}", times)


def measure(responder: OpenAIResponder, calls: int, *, is_streamed: bool) -> list[float]:
    """Milliseconds of each call; the first is the one that builds the SDK's types."""
    times = []
    for _ in range(calls + 1):
        began = time.perf_counter()
        responder.decide(decision_request(on_text=(lambda text: None) if is_streamed else None))
        times.append((time.perf_counter() - began) * 1_000)
    return times


def report(name: str, times: list[float]) -> None:
    first, *later = times
    median, p95 = statistics.median(later), sorted(later)[int(len(later) * 0.95)]
    print(f"{name:28} first {first:7.1f}  median {median:5.2f}  p95 {p95:5.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)
