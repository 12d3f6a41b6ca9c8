"""``.venv`` is made when it is missing, and left alone when nothing changed."""

from pathlib import Path

import pytest

from agencycore.embedded import bootstrap


class Machine:
    """Records what would be installed; every program works unless told otherwise."""

    def __init__(self) -> None:
        self.installed: list[str] = []
        self.has_venv = False
        self.install_status = 0

    def call(self, command: list[str], **options: object) -> int:
        if command[1:3] == ["-m", "venv"]:
            self.has_venv = True
            Path(bootstrap.VENV).mkdir(exist_ok=True)
        elif "pip" in command:
            self.installed.append(command[-1])
            return self.install_status
        elif not self.has_venv:
            raise FileNotFoundError
        return 0


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(bootstrap, "CHECKOUT", str(tmp_path))
    monkeypatch.setattr(bootstrap, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(bootstrap, "STAMP", str(tmp_path / ".venv" / "requirements.sha256"))
    monkeypatch.setattr("subprocess.call", machine.call)
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / "requirements-dev.txt").write_text("b==1\n")
    return machine


def test_the_first_time_installs_and_the_second_time_does_nothing(machine: Machine):
    assert [bootstrap.main([]), bootstrap.main([])] == ["", ""]

    assert machine.installed == ["requirements.txt"]


def test_a_changed_requirement_is_installed(machine: Machine, tmp_path: Path):
    bootstrap.main([])
    (tmp_path / "requirements.txt").write_text("a==2\n")

    bootstrap.main([])

    assert machine.installed == ["requirements.txt", "requirements.txt"]


def test_development_requirements_serve_the_product_too(machine: Machine):
    bootstrap.main(["--dev"])
    bootstrap.main([])
    bootstrap.main(["--dev"])

    assert machine.installed == ["requirements-dev.txt"]


def test_a_failed_installation_is_told_and_repeated(machine: Machine):
    machine.install_status = 1
    assert "could not be installed" in bootstrap.main([])

    machine.install_status = 0
    assert bootstrap.main([]) == ""

    assert machine.installed == ["requirements.txt", "requirements.txt"]


def test_an_old_python_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.version_info", (3, 9, 2))

    assert bootstrap.main([]) == (
        "AgencyCore needs Python 3.11 or newer, and this is 3.9. Try: make run PYTHON=python3.11"
    )
