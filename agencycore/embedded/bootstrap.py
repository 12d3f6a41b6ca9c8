"""Makes ``.venv`` and installs the pinned requirements; run by ``make`` with the system's Python, standard library only.

    python3 agencycore/embedded/bootstrap.py [--dev]

Skipped when nothing changed: the stamp is written last, so an interrupted installation is repeated.
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


def main(arguments):
    if sys.version_info < OLDEST_PYTHON:
        return (
            "AgencyCore needs Python 3.11 or newer, and this is %d.%d. Try: make run PYTHON=python3.11"
            % sys.version_info[:2]
        )
    is_dev = "--dev" in arguments
    try:
        with open(os.path.join(CHECKOUT, ".venv.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second one finds the work done
            return prepare(is_dev)
    except OSError as error:
        return "The folder %s cannot be written: %s." % (error.filename or CHECKOUT, error.strerror)


def prepare(is_dev):
    requirements = "requirements-dev.txt" if is_dev else "requirements.txt"
    wanted = fingerprint(["requirements.txt"])
    wanted_dev = fingerprint(["requirements.txt", "requirements-dev.txt"])
    installed = read_stamp()
    if installed == wanted_dev or (installed == wanted and not is_dev):
        return 0
    if not starts(PYTHON):
        make_venv()
    if not starts(PYTHON):
        return "Python cannot make virtual environments here. On Debian: apt-get install python3-venv"
    print("Installing %s into .venv" % requirements, flush=True)
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]
    if subprocess.call(command, cwd=CHECKOUT):
        return "The requirements could not be installed; the lines above say why. Run the command again to go on."
    write_stamp(wanted_dev if is_dev else wanted)
    return 0


def fingerprint(names):
    """Everything an installed .venv depends on: requirements, interpreter, and the place it was made for."""
    digest = hashlib.sha256(repr((sys.version_info[:3], CHECKOUT)).encode())
    for name in names:
        with open(os.path.join(CHECKOUT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def make_venv():
    """A new .venv; what is left of an old or half-made one goes first."""
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.call([sys.executable, "-m", "venv", VENV], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def starts(python):
    """Whether the interpreter runs, is of our version, and has pip."""
    check = "import sys, pip; sys.exit(sys.version_info[:2] != %r)" % (sys.version_info[:2],)
    try:
        return subprocess.call([python, "-c", check], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def stamp_path():
    return os.path.join(VENV, "agencycore-requirements.sha256")


def read_stamp():
    if not starts(PYTHON):
        return ""
    try:
        with open(stamp_path()) as file:
            return file.read().strip()
    except OSError:
        return ""


def write_stamp(text):
    with open(stamp_path(), "w") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
