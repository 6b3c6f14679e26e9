"""One running Chromium: started with a port of its own choosing, ended with all its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.browsing.process_tree import ProcessKey, alive, end_processes, tree_of
from leadline.errors import BrowserFailed

_PORT_FILE = "DevToolsActivePort"
_SOCKET_FOLDER_BYTES = 57
"""A socket's path has at most 107 bytes, of which Chromium's own part takes up to 50."""
_LOG_BYTES = 4000


@dataclass(slots=True)
class ChromiumProcess:
    """A live browser process; ``ws_url`` is its debugging address, ``port`` the port of it."""

    process: asyncio.subprocess.Process
    ws_url: str
    port: int
    known: set[ProcessKey] = field(default_factory=set)

    @property
    def pid(self) -> int:
        """Process id of the root process."""
        return self.process.pid

    @property
    def running(self) -> bool:
        """Whether the root process lives."""
        return self.process.returncode is None

    def look(self) -> None:
        """Take note of the processes it has now, so that none is lost when the root dies first."""
        self.known |= tree_of(self.pid)

    async def end(self, *, grace: float) -> bool:
        """End the whole tree; true when nothing is left of it."""
        return await _end(self.process, self.known, grace)


async def start_chromium(
    executable: Path, args: Sequence[str], *, profile: Path, log: Path, seconds: float
) -> ChromiumProcess:
    """Start a browser and wait for its debugging port; raises :class:`BrowserFailed`.

    A start that fails, takes too long or is cancelled leaves no process behind.
    """
    port_file = profile / _PORT_FILE
    port_file.unlink(missing_ok=True)
    with log.open("wb") as stream:
        try:
            process = await asyncio.create_subprocess_exec(
                str(executable),
                *args,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=_environment(profile),
            )
        except OSError as error:
            raise BrowserFailed(
                f"The browser {executable} cannot be started ({error.strerror or 'no reason'})."
            ) from None
    try:
        async with asyncio.timeout(seconds):
            port, path = await _debugging_address(process, port_file)
    except TimeoutError:
        await _end(process, set(), 0)
        raise BrowserFailed(
            f"The browser did not come up within {seconds:g} seconds{_hint(log)}"
        ) from None
    except _Ended:
        await _end(process, set(), 0)
        raise BrowserFailed(f"The browser ended right after its start{_hint(log)}") from None
    except BaseException:
        await asyncio.shield(_end(process, set(), 0))
        raise
    browser = ChromiumProcess(process, f"ws://127.0.0.1:{port}{path}", port)
    browser.look()
    return browser


def _environment(profile: Path) -> dict[str, str] | None:
    """The environment for a browser, or None for our own.

    Chromium puts a socket into the temporary folder and ends at once when the path is too long.
    The folder beside the profile goes with the run; the next ones are for runs that lie deep.
    """
    if os.name != "posix":
        return None
    usual = [profile.parent, Path(os.environ.get("TMPDIR", "/tmp")), Path("/tmp"), Path("/var/tmp")]
    for folder in usual:
        if len(os.fsencode(folder)) <= _SOCKET_FOLDER_BYTES and os.access(folder, os.W_OK):
            return {**os.environ, "TMPDIR": str(folder)}
    return None


def remove_profile(profile: Path) -> None:
    """Delete a profile folder that Leadline made, and the socket folder it points to."""
    with contextlib.suppress(OSError):
        sockets = (profile / "SingletonSocket").readlink().parent
        if sockets.name.lstrip(".").startswith(("org.chromium.", "com.google.Chrome.")):
            shutil.rmtree(sockets, ignore_errors=True)
    for _ in range(10):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
        time.sleep(0.05)  # a process that is just dying still wrote into it


class _Ended(Exception):
    """The process ended before it opened its port."""


async def _debugging_address(
    process: asyncio.subprocess.Process, port_file: Path
) -> tuple[int, str]:
    while True:
        lines = _lines(port_file)
        if len(lines) >= 2 and lines[0].isdigit():
            return int(lines[0]), lines[1]
        if process.returncode is not None:
            raise _Ended
        await asyncio.sleep(0.03)  # Chromium tells its port through this file alone


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


async def _end(process: asyncio.subprocess.Process, known: set[ProcessKey], grace: float) -> bool:
    known |= tree_of(process.pid)
    gone = await end_processes(known, grace=grace)
    if process.returncode is None and not alive({k for k in known if k.pid == process.pid}):
        async with asyncio.timeout(1):
            await process.wait()
    return gone


def _hint(log: Path) -> str:
    """What its log says about a start that failed, in a few words that people know."""
    try:
        text = log.read_bytes()[-_LOG_BYTES:].decode("utf-8", "replace").lower()
    except OSError:
        text = ""
    if "without --no-sandbox" in text or "no usable sandbox" in text:
        return ": its sandbox cannot start for this user. Run Leadline as a normal user."
    if "x server" in text or "display" in text:
        return ": there is no screen. Turn headless on."
    if "processsingleton" in text or "profile appears to be in use" in text:
        return ": its profile is in use. Close that browser first, or give its debugging address."
    if "existing browser session" in text:
        return ": its profile is open in another browser window. Close that window first."
    if "error while loading shared libraries" in text:
        return ": system libraries are missing. Run 'playwright install-deps chromium'."
    return "; 'leadline doctor' can tell more."
