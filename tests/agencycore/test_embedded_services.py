"""The bundled PostgreSQL and Redis: started when needed, gone when not, repaired when broken."""

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agencycore.bundled import DataFolder, new_data_folder, prepared_data_folder, wait_until

pytestmark = pytest.mark.processes


@pytest.fixture
def data() -> Iterator[DataFolder]:
    """Before the first start."""
    folder = new_data_folder()
    yield folder
    folder.end()


@pytest.fixture
def used() -> Iterator[DataFolder]:
    """The database was made by an earlier start."""
    folder = prepared_data_folder()
    yield folder
    folder.end()


def test_they_run_while_a_command_uses_them_and_end_with_it(used: DataFolder):
    with used.held():
        assert used.query("SELECT current_user") == "[('postgres',)]"
        assert len(used.processes("agencycore.embedded.keeper")) == 2

    wait_until(lambda: used.processes() == [])


def test_the_first_of_two_commands_to_end_leaves_the_services_to_the_other(used: DataFolder):
    with used.held():
        with used.held():
            pass

        assert used.query("SELECT 1") == "[(1,)]"
        assert len(used.processes("agencycore.embedded.keeper")) == 2


def test_a_killed_command_does_not_keep_them_running(used: DataFolder):
    used.hold().kill()

    wait_until(lambda: used.processes() == [])


def test_log_ins_need_their_password_and_the_roles_are_bound(data: DataFolder):
    with data.held():
        refused = data.query("SELECT 1", user="agencycore")
        roles = data.query(
            "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles "
            "WHERE rolname LIKE 'agencycore%' ORDER BY 1"
        )
        extension = data.query("SELECT extname FROM pg_extension WHERE extname = 'vector'")

    assert refused.endswith("no password supplied")
    assert roles == "[('agencycore', False, False, False, False), ('agencycore_owner', False, False, False, True)]"
    assert extension == "[('vector',)]"


def test_secrets_are_readable_by_their_owner_only(data: DataFolder):
    with data.held():
        data.run("from agencycore.embedded.defaults import secret_key; secret_key()")

    secrets = sorted((data.path / "secrets").iterdir())
    assert [path.name for path in secrets] == ["agencycore", "agencycore_owner", "secret_key"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in secrets} == {0o600}
    assert stat.S_IMODE((data.path / "secrets").stat().st_mode) == 0o700


def test_a_killed_keeper_takes_its_server_along_and_the_next_start_repairs(used: DataFolder):
    used.hold()
    for process in used.processes("agencycore.embedded.keeper"):
        process.kill()
    wait_until(lambda: used.processes("postgres -D") == used.processes("redis-server") == [])

    with used.held():
        assert used.query("SELECT 1") == "[(1,)]"


def test_a_killed_server_is_started_again(used: DataFolder):
    with used.held():
        (first,) = [process for process in used.processes("postgres -D") if process.name() == "postgres"]
        first.kill()

        wait_until(lambda: used.query("SELECT 1") == "[(1,)]")


def test_a_stale_pid_file_with_the_number_of_another_program_is_dropped(used: DataFolder):
    with used.held():
        pid_file = (used.path / "postgres" / "postmaster.pid").read_text()
    wait_until(lambda: used.processes() == [])
    lines = pid_file.splitlines()
    (used.path / "postgres" / "postmaster.pid").write_text("\n".join([str(os.getppid()), *lines[1:]]) + "\n")

    with used.held():
        assert used.query("SELECT 1") == "[(1,)]"


def test_a_half_made_folder_is_put_aside_and_named(data: DataFolder):
    (data.path / "postgres").mkdir()
    (data.path / "postgres" / "PG_VERSION").write_text("18\n")
    (data.path / "postgres.new").mkdir()
    (data.path / "postgres.new" / "base").write_text("half")

    with data.held():
        assert data.query("SELECT 1") == "[(1,)]"

    aside = [path.name for path in data.path.glob("postgres.incomplete-*")]
    assert len(aside) == 1
    assert not (data.path / "postgres.new").exists()


def test_a_folder_of_another_version_is_refused_and_kept(data: DataFolder):
    (data.path / "postgres" / "global").mkdir(parents=True)
    (data.path / "postgres" / "global" / "pg_control").write_text("")
    (data.path / "postgres" / "PG_VERSION").write_text("16\n")

    with pytest.raises(AssertionError, match="was made by PostgreSQL 16, and this is 18"):
        data.hold()

    assert (data.path / "postgres" / "PG_VERSION").read_text() == "16\n"


def test_a_path_too_long_for_sockets_still_works():
    parent = new_data_folder()
    data = DataFolder(parent.path / ("long" * 30))

    try:
        with data.held():
            assert data.query("SELECT 1") == "[(1,)]"
            folder = Path(data.run("from agencycore.embedded.folders import *; print(socket_folder('redis'))").strip())
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        wait_until(lambda: not folder.exists())
    finally:
        data.end()
        parent.end()


def test_a_folder_that_cannot_be_made_is_named():
    data = DataFolder(Path("/proc/agencycore"))

    with pytest.raises(AssertionError, match=r"refused: The data folder /proc/agencycore.* cannot be used"):
        data.hold()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the database as another user")
def test_as_root_a_private_folder_is_refused_and_stays_private():
    parent = new_data_folder()
    parent.path.chmod(0o700)
    data = DataFolder(parent.path / "inside")

    try:
        with pytest.raises(AssertionError, match="one of the folders above it is private, and it stays so"):
            data.hold()
        assert stat.S_IMODE(parent.path.stat().st_mode) == 0o700
    finally:
        data.end()
        parent.end()


def test_an_address_of_ones_own_replaces_the_bundled_part(data: DataFolder):
    data.environment |= {"DATABASE_URL": "postgresql://u:p@db.example/x", "REDIS_URL": "redis://r.example"}

    with data.held():
        assert data.processes("keeper") == []


def test_starting_at_the_same_moment_starts_each_server_once(data: DataFolder):
    holders = [
        data.python("-c", "from agencycore.embedded.services import *; ensure_services(); input()") for _ in "123"
    ]
    wait_until(lambda: (data.path / "locks" / "redis.keeper").exists() and len(data.processes("keeper")) == 2)

    outputs = [holder.communicate("\n") for holder in holders]

    assert [(holder.returncode, text) for holder, (text, _) in zip(holders, outputs, strict=True)] == [(0, "")] * 3
    wait_until(lambda: data.processes() == [])


def test_a_terminal_hang_up_and_an_interrupt_do_not_reach_the_servers(used: DataFolder):
    with used.held():
        for process in used.processes("agencycore.embedded.keeper"):
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGHUP)

        assert used.query("SELECT 1") == "[(1,)]"
        assert len(used.processes("agencycore.embedded.keeper")) == 2
