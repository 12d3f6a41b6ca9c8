"""The product's own files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("agencycore", "organizations", "crm", "conversations", "knowledge", "runs", "chat")
CODE = (*APPS, "tests", "bench", ".ci")


def python_files(*folders: str) -> list[Path]:
    """Python files of the folders, of all code folders without any; migrations are made by Django."""
    found = [path for folder in folders or CODE for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))
