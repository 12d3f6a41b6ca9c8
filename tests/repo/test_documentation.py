"""What the documentation promises exists, and what exists is documented."""

import re

from tests.repo.files import APPS, ROOT, relative

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / "engineering").glob("*.md")]
# A link to a file of the repo, not to an address or a place in the same page.
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#]+)")


def test_every_management_command_is_in_the_table_of_commands():
    commands = {
        path.stem
        for app in APPS
        for path in (ROOT / app).glob("management/commands/*.py")
        if not path.stem.startswith("_")
    }
    page = (ROOT / "docs" / "engineering" / "commands.md").read_text()

    listed = set(re.findall(r"^\| `([a-z_]+)[ `]", page, re.MULTILINE))
    assert listed == commands


def test_every_make_target_is_described():
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    text = (ROOT / "CONTRIBUTING.md").read_text() + (ROOT / "docs" / "engineering" / "operations.md").read_text()

    missing = {target for target in targets[1].split() if f"make {target}" not in text}

    assert missing == {"setup-dev"}


def test_links_between_documents_lead_somewhere():
    broken = {
        f"{relative(document)} -> {target}"
        for document in DOCUMENTS
        for target in LINK.findall(document.read_text())
        if not (document.parent / target).exists()
    }

    assert broken == set()


def test_the_folder_map_names_every_app():
    architecture = (ROOT / "docs" / "engineering" / "architecture.md").read_text()

    assert {app for app in APPS if f"{app}/" not in architecture} == set()
