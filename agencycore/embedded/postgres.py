"""The bundled PostgreSQL: one folder, one socket, two roles."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from agencycore import environment as env
from agencycore.embedded import processes
from agencycore.embedded.folders import (
    EmbeddedError,
    data_folder,
    drop_socket_folder,
    make_data_folder,
    make_socket_folder,
    socket_folder,
)
from agencycore.embedded.postgres_cluster import Cluster
from agencycore.embedded.postgres_programs import find_programs, refuse_unreachable, service_user
from agencycore.embedded.postgres_roles import connect_as_superuser, provision

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


class Postgres:
    """The server process; see ``keeper`` for who starts and stops it."""

    name = "postgres"

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.user = service_user()
        self.folder = data_folder() / "postgres"
        self.log = make_data_folder("log") / "postgres.log"
        self.is_durable = env.flag("AGENCYCORE_DURABLE", default=True)
        self.cluster = Cluster(self.folder, self.user, is_durable=self.is_durable, say=say)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server, making or repairing its folder first; returns when it takes log-ins."""
        programs = find_programs(self.user)
        sockets = make_socket_folder(self.name, self.user.pw_uid, self.user.pw_gid)
        refuse_unreachable(self.user)
        self.cluster.make_folder(programs)
        self.cluster.end_leftover()
        for stale in sockets.glob(".s.PGSQL.*"):
            stale.unlink()
        self.cluster.write_access_rules()
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
        drop_socket_folder(self.name)

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


def _shared_memory() -> dict[str, str]:
    """Containers give /dev/shm 64 MB, too little for a parallel index build."""
    try:
        found = os.statvfs("/dev/shm")  # noqa: S108  (measured, not written)
    except OSError:
        return {"dynamic_shared_memory_type": "mmap"}
    is_small = found.f_frsize * found.f_blocks < SMALL_SHARED_MEMORY_BYTES
    return {"dynamic_shared_memory_type": "mmap"} if is_small else {}
