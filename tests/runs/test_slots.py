from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.runs.slots import MachineSlots


class Stop:
    def __init__(self) -> None:
        self.asked = False

    def is_set(self) -> bool:
        return self.asked


async def test_no_more_than_there_are(tmp_path: Path) -> None:
    """safety 43: two runs share the machine's slots; surplus work waits."""
    one, other = MachineSlots(tmp_path, 2), MachineSlots(tmp_path, 2)
    first, second = await one.acquire(), await other.acquire()
    assert one.try_acquire() is None
    waiting = asyncio.create_task(one.acquire())
    await asyncio.sleep(0)
    assert not waiting.done()
    second.release()
    second.release()
    with await waiting:
        assert other.try_acquire() is None
    first.release()
    assert other.try_acquire() is not None


async def test_a_wait_ends_by_cancelling_and_by_stop(tmp_path: Path) -> None:
    slots = MachineSlots(tmp_path, 1)
    with await slots.acquire():
        waiting = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        stop = Stop()
        waiting = asyncio.create_task(slots.acquire(stop))
        await asyncio.sleep(0)
        stop.asked = True
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert slots.try_acquire() is not None


def test_a_dead_holder_frees_its_slot(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from leadline.runs.slots import MachineSlots
slot = MachineSlots(Path(sys.argv[1]), 1).try_acquire()
print(slot is not None, flush=True)
time.sleep(60)
"""
    slots = MachineSlots(tmp_path, 1)
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"True"
        assert slots.try_acquire() is None
        holder.kill()
        holder.wait()
    assert slots.try_acquire() is not None
