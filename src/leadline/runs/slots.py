"""A machine-wide limit: so many slots, one lock file each, shared by all processes that use them.

Invariant: a slot is freed by its holder or, when that dies, by the operating system; there is no
count that could go wrong. Who waits tries again every so often: there is no queue, and nobody is
passed over for long while slots change hands.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

from leadline.domain.ports import StopSignal
from leadline.runs.lock import FileLock

_POLL_SECONDS = 0.1


class Slot:
    """One of the slots, held until it is released or its process ends."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    def release(self) -> None:
        """Give it back; a second time does nothing."""
        self._lock.release()

    def __enter__(self) -> Slot:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class MachineSlots:
    """``count`` slots in ``directory``; every process of this user names the same directory."""

    def __init__(self, directory: Path, count: int) -> None:
        if count < 1:
            raise ValueError("There must be at least one slot.")
        self._directory = directory
        self._count = count

    async def acquire(self, stop: StopSignal | None = None) -> Slot:
        """Wait for a slot. Cancelling ends the wait; so does ``stop``, with ``CancelledError``."""
        while True:
            if stop is not None and stop.is_set():
                raise asyncio.CancelledError("The run was asked to stop.")
            slot = self.try_acquire()
            if slot is not None:
                return slot
            await asyncio.sleep(_POLL_SECONDS * random.uniform(1, 2))

    def try_acquire(self) -> Slot | None:
        """A slot if one is free now."""
        first = os.getpid() % self._count
        for number in range(self._count):
            index = (first + number) % self._count
            lock = FileLock(self._directory / f"slot-{index}.lock")
            if lock.try_acquire():
                return Slot(lock)
        return None
