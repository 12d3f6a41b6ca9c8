"""Everything that must hold before a change goes in; ``make test`` and CI run it.

    .venv/bin/python .ci/verify.py [--lint-only] [pytest arguments]

Every step runs even when an earlier one failed; pytest runs last, so its closing line is the last one.
Without DATABASE_URL and REDIS_URL the services of this run are its own, in a folder that goes with it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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

PARALLEL_TESTS = "2"
# Every code folder; var and .venv are not ours.
TYPED = ["agencycore", "organizations", "crm", "conversations", "knowledge", "runs", "chat", "tests", "manage.py"]
LINT_STEPS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy": ["-m", "mypy", *TYPED],
    "lint-imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
}
DATABASE_STEPS = {"makemigrations --check": ["manage.py", "makemigrations", "--check", "--dry-run"]}


def main(arguments: list[str]) -> int:
    is_lint_only = "--lint-only" in arguments
    with _own_services(is_wanted=not is_lint_only):
        failed = [name for name, step in LINT_STEPS.items() if not _passes(name, step)]
        if is_lint_only:
            return _report(failed)
        failed += [name for name, step in DATABASE_STEPS.items() if not _passes(name, step)]
        _report(failed)
        options = [argument for argument in arguments if argument != "--lint-only"]
        # Neighbours stay in one process, which makes what they share once; whoever is done first helps the other.
        spread = ["-n", PARALLEL_TESTS, "--dist", "worksteal"]
        is_green = _passes("pytest", ["-m", "pytest", *spread, *options])
    return int(bool(failed) or not is_green)


def _passes(name: str, step: list[str]) -> bool:
    print(f"--- {name}", flush=True)
    return subprocess.call([sys.executable, *step], cwd=CHECKOUT) == 0


def _report(failed: list[str]) -> int:
    if failed:
        print(f"--- FAILED: {', '.join(failed)}", flush=True)
    return int(bool(failed))


@contextmanager
def _own_services(*, is_wanted: bool) -> Iterator[None]:
    """A data folder for this run alone: several at once do not meet, and a killed one is cleared by the next."""
    tests = make_data_folder("test", 0o711)
    _clear_abandoned(tests)
    own = tests / str(os.getpid())
    os.environ |= {"AGENCYCORE_DATA": str(own), "AGENCYCORE_DURABLE": "no"}
    data_folder.cache_clear()
    try:
        if is_wanted:
            ensure_services()
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
