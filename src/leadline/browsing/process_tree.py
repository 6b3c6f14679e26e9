"""Ending a process with everything it started, and being sure of it.

psutil knows a process by pid and start time together, so that a reused pid is never mistaken for
it; the start time counts from the machine's own start, so a clock that is set anew changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import psutil

ProcessKey = psutil.Process


def tree_of(pid: int) -> set[ProcessKey]:
    """The process and its descendants, as far as they are alive."""
    try:
        root = psutil.Process(pid)
        return {root, *root.children(recursive=True)}
    except psutil.Error:
        return set()


def alive(keys: Iterable[ProcessKey]) -> list[psutil.Process]:
    """Those that still run. A zombie is over: it only waits for its parent to notice."""
    found = []
    for process in keys:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


async def end_processes(keys: Iterable[ProcessKey], *, grace: float, limit: float = 2.0) -> bool:
    """Ask politely for ``grace`` seconds, then kill; true when none is left after ``limit``."""
    known = set(keys)
    if grace > 0:
        _signal(alive(known), hard=False)
        if await _gone(known, grace):
            return True
    _signal(alive(known), hard=True)
    return await _gone(known, limit)


async def _gone(keys: set[ProcessKey], seconds: float) -> bool:
    deadline = asyncio.get_running_loop().time() + seconds
    while alive(keys):
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(0.03)  # the system tells nobody but the parent that a process ended
    return True


def _signal(processes: list[psutil.Process], *, hard: bool) -> None:
    for process in processes:
        try:
            if hard:
                process.kill()
            else:
                process.terminate()
        except psutil.Error:
            continue  # it ended by itself in between
