"""Hours of traffic in minutes, against real processes: ``make soak``, ``make soak PART=latency``.

Starts a product of its own (bundled services, web, two turns workers, the clock, a scripted model) in a folder
that goes with it. Each part asserts what must hold; the exit status is not 0 where one did not.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.soaking import cost_gates, idempotency, latency, streaming, talk
from bench.soaking.report import Report
from bench.soaking.script import SCRIPT
from tests.agencycore.bundled import new_data_folder
from tests.processes.instance import Instance, Member

Part = Callable[[Instance, Member, Member, Report], None]

PARTS: Mapping[str, Part] = {
    "latency": latency.run,
    "context": talk.context,
    "routing": talk.routing,
    "citations": talk.citations,
    "tenancy": talk.tenancy,
    "streaming": streaming.run,
    "idempotency": idempotency.run,
    "cost-gates": cost_gates.run,
}
# A killed worker every few seconds, and a lease that ends as soon; all else as in the product, the waiting of its
# database for the disk included.
ENVIRONMENT = {"LEASE_SECONDS": "5", "HEARTBEAT_SECONDS": "1", "SWEEP_SECONDS": "2", "AGENCYCORE_DURABLE": "yes"}
PROGRAMS = ("web", "beat", "turns", "turns-2")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all of them by default")
    chosen = parser.parse_args(arguments).parts or list(PARTS)
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    site = Instance(SCRIPT, new_data_folder(Path(tempfile.gettempdir())), **ENVIRONMENT)
    try:
        site.open(*PROGRAMS)
        reports = [_run(name, site) for name in chosen]
    finally:
        site.close()
    faults = [f"{report.part}: {fault}" for report in reports for fault in report.faults]
    print("\n".join(["", *(f"FAULT {fault}" for fault in faults)]) if faults else "\nEverything held.", flush=True)
    return int(bool(faults))


def _run(name: str, site: Instance) -> Report:
    report = Report(name)
    started = time.monotonic()
    try:
        PARTS[name](site, site.member("demo"), site.member("rival"), report)
    except Exception as error:
        # The other parts are of use all the same.
        report.faults.append(f"{type(error).__name__}: {error}")
    minute, *_ = os.getloadavg()
    took = f"{time.monotonic() - started:.0f} s, load {minute:.1f}"
    print(f"\n{name} ({took}){' FAILED' if report.faults else ''}")
    for what, figure in report.figures:
        print(f"    {what:62} {figure}")
    sys.stdout.flush()
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
