"""Everything that must hold before a change goes in; ``make test`` and CI run it.

    .venv/bin/python .ci/verify.py [--lint-only] [pytest arguments]

Every step runs even when another one failed; pytest runs last, so its closing line is the last one. The steps before it
run two at a time: type checking without a cache takes longer than all others together.
Without DATABASE_URL and REDIS_URL the services of this run are its own, in a folder that goes with it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT))
# The person's own .env, with a model key perhaps, is not what is tested.
os.environ["AGENCYCORE_ENV_FILE"] = ""
# Images of containers like to set it; each of the many processes of a run would compile product and tests anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from agencycore.embedded.folders import data_folder, make_data_folder  # noqa: E402  (needs the path)
from agencycore.embedded.services import ensure_services, release_services  # noqa: E402

Ran = subprocess.CompletedProcess[str]
PARALLEL_TESTS = "2"
STEPS_AT_ONCE = 2
# Every code folder; var and .venv are not ours.
TYPED = ["agencycore", "organizations", "crm", "conversations", "knowledge", "runs", "chat", "tests", "manage.py"]
LINT_STEPS = {
    "mypy": ["-m", "mypy", *TYPED],
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "lint-imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
}
DATABASE_STEPS = {"makemigrations --check": ["manage.py", "makemigrations", "--check", "--dry-run"]}


def main(arguments: list[str]) -> int:
    is_lint_only = "--lint-only" in arguments
    with _own_folder(), ThreadPoolExecutor(STEPS_AT_ONCE) as pool:
        steps = {name: pool.submit(_run, step) for name, step in LINT_STEPS.items()}
        if is_lint_only:
            return _report(_list_failed(steps))
        ensure_services()
        steps |= {name: pool.submit(_run, step) for name, step in DATABASE_STEPS.items()}
        failed = _list_failed(steps)
        _report(failed)
        # Neighbours stay in one process, which makes what they share once; whoever is done first helps the other.
        spread = ["-n", PARALLEL_TESTS, "--dist", "worksteal"]
        print("--- pytest", flush=True)
        status = subprocess.call([sys.executable, "-m", "pytest", *spread, *arguments], cwd=CHECKOUT)
    return int(bool(failed) or status != 0)


def _run(step: list[str]) -> Ran:
    return subprocess.run(
        [sys.executable, *step], cwd=CHECKOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _list_failed(steps: dict[str, Future[Ran]]) -> list[str]:
    """Says what each step said, in their order, and names those that failed."""
    failed = []
    for name, step in steps.items():
        print(f"--- {name}\n{step.result().stdout}", end="", flush=True)
        if step.result().returncode != 0:
            failed.append(name)
    return failed


def _report(failed: list[str]) -> int:
    if failed:
        print(f"--- FAILED: {', '.join(failed)}", flush=True)
    return int(bool(failed))


@contextmanager
def _own_folder() -> Iterator[None]:
    """A data folder for this run alone; services started in it end with it.

    Several at once do not meet, and a killed one is cleared by the next.
    """
    tests = make_data_folder("test", 0o711)
    _clear_abandoned(tests)
    own = tests / str(os.getpid())
    os.environ |= {"AGENCYCORE_DATA": str(own), "AGENCYCORE_DURABLE": "no"}
    data_folder.cache_clear()
    try:
        yield
    finally:
        release_services()
        shutil.rmtree(own, ignore_errors=True)


def _clear_abandoned(tests: Path) -> None:
    for folder in tests.iterdir():
        if not Path(f"/proc/{folder.name}").exists():
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
