"""Set up everything that Leadline needs: a virtual environment, the pinned packages, a Chromium.

Runs with the standard library alone on any Python that Leadline supports, and does only what is
missing: a stamp in the environment holds the hash of the lock it was made from.

    python3 scripts/bootstrap.py run    # what the app needs
    python3 scripts/bootstrap.py dev    # the same and the tools for tests and checks
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOCKS = {
    "run": ("requirements/runtime.txt", "requirements/build.txt"),
    "dev": ("requirements/dev.txt",),
}
OLDEST, NEWEST = (3, 11), (3, 14)


class SetupFailed(Exception):
    """One sentence on what to do."""


def main(arguments: list[str]) -> int:
    """Set up for ``run`` or ``dev``; the exit code is 0 when everything is there."""
    what = arguments[0] if arguments else "run"
    if what not in LOCKS:
        say(f"Unknown part {what!r}: use 'run' or 'dev'.")
        return 2
    try:
        check_python()
        make_environment()
        install(what)
        run(PYTHON, ROOT / "scripts" / "ensure_chromium.py")
    except SetupFailed as failure:
        say(str(failure))
        return 1
    return 0


def check_python() -> None:
    """Refuse a Python that the pinned packages do not support."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        raise SetupFailed(
            f"Leadline needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}; this is {found}. "
            "Install one of them and say 'make PYTHON=python3.11 …'."
        )


def make_environment() -> None:
    """Create ``.venv`` unless it works already."""
    if PYTHON.exists() and works(PYTHON, "-c", "import pip"):
        return
    say(f"Creating the virtual environment .venv with Python {sys.version.split()[0]}.")
    command = (sys.executable, "-m", "venv", "--clear", VENV)
    if works(*command):
        return
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    apt_install(f"python{version}-venv", why="the venv module of this Python is missing")
    run(*command)


def install(what: str) -> None:
    """Install the pinned packages and Leadline itself, unless this lock is installed already."""
    locks = [ROOT / name for name in LOCKS[what]]
    wanted = fingerprint(*locks, ROOT / "pyproject.toml")
    stamp = VENV / f".leadline-{what}"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("Installing the pinned packages; the first time takes a minute or two.")
    pip = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    # The locks are complete, so nothing is resolved: what is not in them is never fetched.
    files = [part for lock in locks for part in ("-r", str(lock))]
    run(*pip, "--require-hashes", "--no-deps", "--only-binary", ":all:", *files)
    say("Installing Leadline itself.")
    run(*pip, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT)
    stamp.write_text(wanted, encoding="utf-8")


def apt_install(package: str, *, why: str) -> None:
    """Install a Debian package where that is possible without asking for a password."""
    apt = shutil.which("apt-get")
    prefix = root_prefix()
    if apt is None or prefix is None:
        raise SetupFailed(f"Please install {package}: {why}.")
    say(f"Installing {package} with apt-get: {why}.")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(*prefix, apt, "update", "-qq", environment=environment)
    run(*prefix, apt, "install", "-y", "-qq", package, environment=environment)


def root_prefix() -> tuple[str, ...] | None:
    """What to put before a command to run it as root: nothing, sudo, or None when not possible."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return ()
    sudo = shutil.which("sudo")
    return (sudo, "-n") if sudo and works(sudo, "-n", "true") else None


def fingerprint(*paths: Path) -> str:
    """A hash over the files, and over the Python that the environment was made with."""
    digest = hashlib.sha256(sys.version.encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def works(*command: str | Path) -> bool:
    """Whether a command ends well; its output is not shown."""
    try:
        return subprocess.run([str(c) for c in command], capture_output=True).returncode == 0
    except OSError:
        return False


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run a command, its output shown; a failure ends the set-up."""
    words = [str(part) for part in command]
    if subprocess.run(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL).returncode:
        raise SetupFailed(f"This step of the set-up failed: {' '.join(words[:6])} …")


def say(sentence: str) -> None:
    """One line for the person who waits."""
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201 - a script talks to its user


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
