"""Find a Chromium, or install one: Playwright's, or on Debian the distribution's.

The order of finding is that of ``leadline.browsing.chromium``: ``BROWSER_PATH``, Playwright's own,
then ``chromium`` and ``chrome`` on this machine. Runs in the virtual environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bootstrap import SetupFailed, apt_install, root_prefix, say

from leadline.browsing.chromium import find_chromium
from leadline.errors import BrowserMissing
from leadline.settings import Settings

PLAYWRIGHT_SECONDS = 600


def main() -> int:
    """Make sure that there is a Chromium; the exit code is 0 when there is one."""
    if found():
        return 0
    say("No Chromium on this machine: installing Playwright's.")
    if install_with_playwright() and found():
        return 0
    say("Playwright could not install one.")
    try:
        apt_install("chromium", why="the browser that reads the pages is missing")
    except SetupFailed as failure:
        say(f"{failure} Or set BROWSER_PATH to a Chromium or Chrome.")
        return 1
    return 0 if found() else 1


def found() -> Path | None:
    """The Chromium that Leadline would use, or None."""
    try:
        return find_chromium(Settings().run_config(check_model=False).browser)
    except BrowserMissing:
        return None


def install_with_playwright() -> bool:
    """Whether Playwright could download its Chromium, and its libraries where we may install."""
    command = [sys.executable, "-m", "playwright", "install"]
    if shutil.which("apt-get") and root_prefix() is not None:
        command.append("--with-deps")
    try:
        done = subprocess.run(
            [*command, "chromium"],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            timeout=PLAYWRIGHT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
