"""Makes ``.venv`` and installs the pinned requirements: ``python3 agencycore/embedded/bootstrap.py [--dev]``.

Run by ``make`` with the system's Python, so it uses the standard library only and is readable to old Pythons.
Skipped when nothing changed; the stamp is written last, so an interrupted installation is repeated.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

OLDEST_PYTHON = (3, 11)
CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VENV = os.path.join(CHECKOUT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "requirements.sha256")
RUNTIME = ["requirements.txt"]
DEVELOPMENT = ["requirements.txt", "requirements-dev.txt"]


def main(arguments: list[str]) -> str:
    """Returns what went wrong, in words for the person; empty when all is well."""
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(str(part) for part in sys.version_info[:2])
        return f"AgencyCore needs Python 3.11 or newer, and this is {found}. Try: make run PYTHON=python3.11"
    try:
        with open(os.path.join(CHECKOUT, ".venv.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second one finds the work done
            return prepare(DEVELOPMENT if "--dev" in arguments else RUNTIME)
    except OSError as error:
        return f"The folder {error.filename or CHECKOUT} cannot be written: {error.strerror}."


def prepare(requirements: list[str]) -> str:
    is_usable = starts(PYTHON)
    if is_usable and read_stamp() in {fingerprint(requirements), fingerprint(DEVELOPMENT)}:
        return ""
    if not is_usable:
        make_venv()
    if not starts(PYTHON):
        return "Python cannot make virtual environments here. On Debian: apt-get install python3-venv"
    print(f"Installing {requirements[-1]} into .venv", flush=True)
    install = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements[-1]]
    if subprocess.call(install, cwd=CHECKOUT):
        return "The requirements could not be installed; the lines above say why. Run the command again to go on."
    with open(STAMP, "w") as file:
        file.write(fingerprint(requirements))
    return ""


def fingerprint(requirements: list[str]) -> str:
    """Everything an installed .venv depends on: requirements, interpreter, and the place it was made for."""
    digest = hashlib.sha256(repr((sys.version_info[:3], CHECKOUT)).encode())
    for name in requirements:
        with open(os.path.join(CHECKOUT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def make_venv() -> None:
    """A new .venv; what is left of an old or half-made one goes first."""
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.call([sys.executable, "-m", "venv", VENV], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def starts(python: str) -> bool:
    """Whether the interpreter runs, is of our version, and has pip."""
    check = f"import sys, pip; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])!r})"
    try:
        return subprocess.call([python, "-c", check], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def read_stamp() -> str:
    try:
        with open(STAMP) as file:
            return file.read().strip()
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
