"""One owner a run: a lock of the operating system on ``control/owner.lock``.

Invariant: the lock dies with its owner, however that ends, so nothing is ever stale.
``control/owner.json`` only says who it is; it is believed only while the lock is held. The file
handle is not inherited by programs that the owner starts.

To see whether the lock is held one must try to take it. Such a probe holds it for microseconds;
therefore a real acquisition tries again for a moment, and so does a probe.
"""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor
from pydantic import BaseModel, ConfigDict, ValidationError

from leadline.errors import LeadlineError, RunBusy
from leadline.runs import processes
from leadline.runs.atomic import replace_json

_ACQUIRE_SECONDS = 0.5
_PROBES = 4
_PROBE_PAUSE = 0.01


class Owner(BaseModel):
    """The process that runs a run."""

    model_config = ConfigDict(frozen=True)

    pid: int
    create_time: float
    host: str

    @classmethod
    def me(cls) -> Owner:
        """This process."""
        pid = os.getpid()
        return cls(pid=pid, create_time=processes.create_time(pid) or 0.0, host=platform.node())

    def is_here(self) -> bool:
        """Whether it runs on this machine, as far as the host name tells."""
        return self.host == platform.node()

    def is_alive(self) -> bool:
        """Whether it lives; True for one on another machine, which cannot be looked at."""
        return not self.is_here() or processes.find(self.pid, self.create_time) is not None


class FileLock:
    """A lock on a file, held by this object and freed with its process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._handle is not None

    def try_acquire(self, seconds: float = 0.0) -> bool:
        """Take the lock, trying for so long; False when another holds it."""
        deadline = time.monotonic() + seconds
        while self._handle is None:
            handle = self._open()
            try:
                locked = lock_descriptor(handle, blocking=False)
            except BaseException:
                os.close(handle)
                raise
            if locked:
                self._handle = handle
                break
            os.close(handle)
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def _open(self) -> int:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LeadlineError(
                f"{self._path} cannot be opened ({error.strerror}); "
                "make room or allow writing there, then try again."
            ) from error

    def release(self) -> None:
        """Free the lock; without it nothing happens."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            unlock_descriptor(handle)
            os.close(handle)

    def __enter__(self) -> FileLock:
        if not self.try_acquire(10.0):
            raise LeadlineError(f"{self._path} stays locked by another process; try again.")
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class OwnerLock:
    """The ownership of a run folder."""

    def __init__(self, control: Path) -> None:
        self._lock = FileLock(control / "owner.lock")
        self._note = control / "owner.json"

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._lock.held

    def acquire(self) -> None:
        """Become the owner, or raise :class:`RunBusy` that names the one there is."""
        if not self._lock.try_acquire(_ACQUIRE_SECONDS):
            owner = read_note(self._note)
            who = f"process {owner.pid} on {owner.host}" if owner else "another process"
            raise RunBusy(f"The run is at work in {who}; stop it there or wait for its end.")
        try:
            replace_json(self._note, Owner.me().model_dump(), durable=False)
        except BaseException:
            self._lock.release()
            raise

    def release(self) -> None:
        """Give the run back; a second time does nothing."""
        if self._lock.held:
            self._note.unlink(missing_ok=True)
            self._lock.release()


def current_owner(control: Path) -> Owner | None:
    """Who owns the run now; None when nobody does, whatever ``owner.json`` says."""
    note = control / "owner.json"
    owner = read_note(note)
    if owner is None or not owner.is_alive():
        return None
    # Of an owner that is seen to live here, one look is enough; of another, it might be a probe.
    probes = 1 if owner.is_here() else _PROBES
    return read_note(note) if _is_held(control / "owner.lock", probes) else None


def read_note(path: Path) -> Owner | None:
    """The owner that ``owner.json`` names, whether it lives or not."""
    try:
        return Owner.model_validate(json.loads(path.read_bytes()))
    except (OSError, ValueError, ValidationError):
        return None


def _is_held(path: Path, probes: int) -> bool:
    if not path.exists():
        return False
    for attempt in range(probes):
        probe = FileLock(path)
        try:
            if probe.try_acquire():
                probe.release()
                return False
        except LeadlineError:  # may not be looked at (read-only): the note must do
            return True
        if attempt + 1 < probes:
            time.sleep(_PROBE_PAUSE)
    return True
