"""Every measurement, one after the other: ``make bench``, ``make bench NAME=turn``.

Each is a process of its own; one that fails, or misses what it asserts, is named at the end.
"""

import argparse
import os
import subprocess
import sys
import time

from agencycore.embedded.services import ensure_services, release_services

# Quick ones first; the last ones index up to 100,000 passages the first time.
BENCHES = ("openai_overhead", "builtin_routing", "context", "crm", "relevance", "search", "rewording", "turn")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(BENCHES)}; all of them by default")
    chosen = parser.parse_args(arguments).names or BENCHES
    unknown = [name for name in chosen if name not in BENCHES]
    if unknown:
        parser.error(f"there is no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    ensure_services()
    try:
        failed = [name for name in chosen if not _passes(name)]
    finally:
        release_services()
    print(f"\nFAILED: {', '.join(failed)}" if failed else "\nAll were measured, and hold what they assert.")
    return int(bool(failed))


def _passes(name: str) -> bool:
    print(f"\n--- {name}", flush=True)
    started = time.monotonic()
    # Figures, and not a line for each request.
    environment = {"LOG_LEVEL": "WARNING"} | os.environ
    status = subprocess.call([sys.executable, "-m", f"bench.{name}"], env=environment)  # noqa: S603 -- one of BENCHES
    print(f"--- {name}: {time.monotonic() - started:.0f} s, status {status}", flush=True)
    return status == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
