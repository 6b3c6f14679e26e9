"""Process trees, found and ended. A pid alone is never trusted: it may have been given anew.

A process is known by its pid and its time of birth. psutil checks the latter before it signals,
and what is a zombie counts as gone (its parent has yet to collect it, which is not our business).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

_SAME_BIRTH = 0.05
"""Seconds by which two readings of one process's time of birth may differ."""


def create_time(pid: int) -> float | None:
    """Time of birth of a living process; None when it is gone.

    On Linux it counts from the start of the machine, else from the epoch: a clock that is set
    anew (a time server, a machine that slept) must not make another process of it.
    """
    process = find(pid)
    try:
        return _birth(process) if process else None
    except (psutil.Error, OSError):
        return None


def _birth(process: psutil.Process) -> float:
    if not psutil.LINUX:
        return process.create_time()
    stat = Path(f"/proc/{process.pid}/stat").read_bytes()
    # The name of the program stands in brackets and may hold anything, brackets too.
    after_name = stat[stat.rindex(b")") + 2 :].split()
    return int(after_name[19]) / os.sysconf("SC_CLK_TCK")


def find(pid: int, born: float | None = None) -> psutil.Process | None:
    """The living process ``pid``, born at ``born`` if given; None when there is none."""
    try:
        process = psutil.Process(pid)
        if born is not None and abs(_birth(process) - born) > _SAME_BIRTH:
            return None
        return process if is_alive(process) else None
    except (psutil.Error, OSError, ValueError, OverflowError):
        return None


def is_alive(process: psutil.Process) -> bool:
    """Whether it still runs, and is the same process."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def process_tree(pid: int, born: float | None = None) -> list[psutil.Process]:
    """The process and all that descend from it, the root first; empty when it is gone."""
    root = find(pid, born)
    if root is None:
        return []
    try:
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return [root]


def end_tree(pid: int, grace: float = 2.0, *, born: float | None = None) -> list[int]:
    """End a process and all its descendants; return the pids that could not be ended.

    They are asked to end, and killed after ``grace`` seconds. Children that appear meanwhile are
    ended too. This blocks for at most about ``grace`` + 2 seconds.
    """
    return end_processes(process_tree(pid, born), grace)


def end_children(pid: int, grace: float = 2.0) -> list[int]:
    """End all that descends from a process, not the process itself; see :func:`end_tree`."""
    return end_processes(process_tree(pid)[1:], grace)


def end_processes(processes: Iterable[psutil.Process], grace: float = 2.0) -> list[int]:
    """End these processes and what they start meanwhile; see :func:`end_tree`."""
    known = {process.pid: process for process in processes if process.pid != os.getpid()}
    if grace > 0:
        for process in known.values():
            with contextlib.suppress(psutil.Error):
                process.terminate()
        wait_gone(known.values(), grace)
    for _ in range(3):
        known.update(_late_children(known.values()))
        alive = [process for process in known.values() if is_alive(process)]
        if not alive:
            return []
        for process in alive:
            with contextlib.suppress(psutil.Error):
                process.kill()
        wait_gone(alive, 0.6)
    return [process.pid for process in known.values() if is_alive(process)]


def wait_gone(processes: Iterable[psutil.Process], seconds: float) -> bool:
    """Wait until all are gone; False when some live on after ``seconds``.

    psutil's own wait would collect a child's exit code that belongs to its ``Popen``.
    """
    deadline = time.monotonic() + seconds
    left = [process for process in processes if is_alive(process)]
    while left:
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
        left = [process for process in left if is_alive(process)]
    return True


def end_session(leader: int, born: float, grace: float = 0.0) -> list[int]:
    """End what is left of the session that the process ``leader`` led, itself gone or not.

    A process that was started with its own session gives its number to all that it starts; they
    keep it when it dies. Systems without sessions (Windows) have nothing to sweep here.
    """
    if not hasattr(os, "getsid") or leader in (os.getpid(), os.getsid(0)):
        return []
    now_leading = find(leader)
    if now_leading is not None and find(leader, born) is None:
        return []  # another process has that number today, its session is not ours
    members: list[psutil.Process] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if os.getsid(process.pid) == leader and _birth(process) >= born - _SAME_BIRTH:
                members.append(process)
    return end_processes(members, grace)


def _late_children(processes: Iterable[psutil.Process]) -> dict[int, psutil.Process]:
    found: dict[int, psutil.Process] = {}
    for process in list(processes):
        with contextlib.suppress(psutil.Error):
            found.update({child.pid: child for child in process.children(recursive=True)})
    return found
