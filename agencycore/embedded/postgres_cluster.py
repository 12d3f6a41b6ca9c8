"""The folder of the bundled PostgreSQL: made whole or not at all, and repaired before each start."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from agencycore.embedded import processes
from agencycore.embedded.folders import EmbeddedError
from agencycore.embedded.postgres_programs import VERSION
from agencycore.embedded.postgres_roles import SUPERUSER

INITDB_SECONDS = 120
STOP_SECONDS = 20
KILL_SECONDS = 5

HBA = """\
# Written at every start. The superuser is whoever runs the server (see pg_ident.conf); all others by password.
local all {superuser} peer map=server
local all all scram-sha-256
"""


class Cluster:
    def __init__(self, folder: Path, user: pwd.struct_passwd, *, is_durable: bool, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.user = user
        self.is_durable = is_durable
        self.say = say

    def make_folder(self, programs: Path) -> None:
        version_file = self.folder / "PG_VERSION"
        if version_file.exists() and (self.folder / "global" / "pg_control").exists():
            found = version_file.read_text().strip()
            if found != VERSION:
                raise EmbeddedError(
                    f"{self.folder} was made by PostgreSQL {found}, and this is {VERSION}. "
                    "Set AGENCYCORE_DATA to a new folder, or upgrade it with pg_upgrade."
                )
            return
        self._put_aside()
        draft = self.folder.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        self._initdb(programs, draft)
        # Only a complete folder gets the name that later starts trust.
        draft.rename(self.folder)

    def _put_aside(self) -> None:
        if not self.folder.exists():
            return
        if not any(self.folder.iterdir()):
            self.folder.rmdir()
            return
        aside = self.folder.with_name(time.strftime("postgres.incomplete-%Y%m%d-%H%M%S"))
        self.folder.rename(aside)
        self.say(f"The database folder was incomplete. It was moved to {aside}, and a new one is made.")

    def _initdb(self, programs: Path, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        os.chown(folder, self.user.pw_uid, self.user.pw_gid)
        arguments = [programs / "initdb", "-D", folder, "-U", SUPERUSER, "--auth=peer", "--encoding=UTF8"]
        # The same order of words on every machine, whatever its locales.
        arguments += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
        if not self.is_durable:
            arguments.append("--no-sync")
        try:
            done = subprocess.run(
                [str(argument) for argument in arguments],
                capture_output=True,
                text=True,
                timeout=INITDB_SECONDS,
                cwd="/",
                check=False,
                **processes.switch_user(self.user),
            )
        except subprocess.TimeoutExpired:
            raise EmbeddedError(f"Making the database in {folder} took more than {INITDB_SECONDS} s.") from None
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            reason = "\n".join((done.stderr or done.stdout).strip().splitlines()[-6:])
            raise EmbeddedError(f"The database could not be made in {folder}:\n{reason}")

    def write_access_rules(self) -> None:
        names = dict.fromkeys([self.user.pw_name, pwd.getpwuid(os.geteuid()).pw_name])
        identities = "".join(f'server "{name}" {SUPERUSER}\n' for name in names)
        for name, text in {"pg_hba.conf": HBA.format(superuser=SUPERUSER), "pg_ident.conf": identities}.items():
            path = self.folder / name
            path.write_text(text)
            path.chmod(0o600)
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def end_leftover(self) -> None:
        """End what is left of a server whose keeper was killed; after that its pid file means nothing."""
        left = self._processes()
        for number, seconds in (
            (signal.SIGINT, STOP_SECONDS),
            (signal.SIGQUIT, KILL_SECONDS),
            (signal.SIGKILL, KILL_SECONDS),
        ):
            for process in left:
                # Only the first process understands a polite request; the others follow it.
                if number != signal.SIGINT or process.pid == self._first_process():
                    _send(process, number)
            _, left = psutil.wait_procs(left, timeout=seconds)
        (self.folder / "postmaster.pid").unlink(missing_ok=True)

    def _processes(self) -> list[psutil.Process]:
        """Every process of a server of this folder: all of them work inside it."""
        return [process for process in psutil.process_iter() if _is_server(process, self.folder)]

    def _first_process(self) -> int | None:
        try:
            return int((self.folder / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return None


def _is_server(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.name() == "postgres" and process.cwd() == str(folder)
    except psutil.Error:
        return False


def _send(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
