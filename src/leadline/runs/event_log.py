"""``audit.jsonl``: one JSON object a line, numbered from 1 without gaps, only ever appended to.

Invariants: a line is written by one call and ends in a newline, so a line without one is torn (a
crash, a full disk) and never counted; a whole line that cannot be read is damage, said with the
file's name and a copy beside it, never skipped. What a box or a report rests on is on the disk
before ``append`` returns.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from leadline.domain import events as ev
from leadline.errors import LeadlineError, RunFolderDamaged
from leadline.runs.atomic import replace_bytes

_SYNCED = (
    ev.PlanWritten,
    ev.TaskFinished,
    ev.FindingRecorded,
    ev.ClaimsMerged,
    ev.ClaimChecked,
    ev.PageRead,
    ev.ReportReady,
    *ev.LAST_EVENTS,
)


class OpenedLog(NamedTuple):
    """What :meth:`EventLog.open` found."""

    log: EventLog
    entries: list[ev.Entry]
    torn_bytes: int
    """Length of a torn last line that was cut off; 0: none."""


class EventLog:
    """Appends to the log; any thread may. Only the owner of the run makes one."""

    def __init__(self, path: Path, *, seq: int, size: int, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._seq = seq
        self._size = size
        self._clock = clock
        self._lock = threading.Lock()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._handle: int | None = os.open(path, flags, 0o644)

    @classmethod
    def open(
        cls, path: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> OpenedLog:
        """Read the log, repair a torn last line, and make ready to append.

        Raises :class:`RunFolderDamaged` when a whole line cannot be read.
        """
        try:
            content = path.read_bytes() if path.exists() else b""
            entries, size = _parse(path, content, first_seq=1)
            log = cls(path, seq=len(entries), size=size, clock=clock)
        except OSError as error:
            raise unreadable(path, error) from error
        torn = content[size:]
        if torn:
            log._cut_back()
        return OpenedLog(log, entries, len(torn))

    def append(self, event: ev.Event, *, task: str = "") -> ev.Entry:
        """Write one event and return its entry, as a reader will see it.

        Raises :class:`LeadlineError` when it cannot be written; the log is then as before.
        """
        with self._lock:
            if self._handle is None:
                raise LeadlineError(f"{self._path} is closed; the run has ended.")
            if os.fstat(self._handle).st_nlink == 0 and not self._path.exists():
                raise LeadlineError(
                    f"{self._path} was deleted while the run was at work; it cannot go on."
                )
            entry = ev.Entry(seq=self._seq + 1, ts=_stored(self._clock()), task=task, event=event)
            line, entry = _encode(entry)
            try:
                _write_all(self._handle, line)
                if isinstance(event, _SYNCED):
                    os.fsync(self._handle)
            except OSError as error:
                self._cut_back()
                raise LeadlineError(
                    f"{self._path} could not be written ({error.strerror}); what was recorded "
                    "before is kept. Make room on the disk, then resume the run."
                ) from error
            self._size += len(line)
            self._seq = entry.seq
            return entry

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None

    def _cut_back(self) -> None:
        """Take away what stands behind the last whole line."""
        os.truncate(self._path, self._size)


def read_log(path: Path, offset: int = 0) -> tuple[list[ev.Entry], int]:
    """The whole lines from byte ``offset`` on, and the offset to go on from.

    For readers in any process: a line that is being written is left for the next call. Raises
    :class:`RunFolderDamaged` when a whole line cannot be read.
    """
    try:
        with path.open("rb") as file:
            file.seek(offset)
            content = file.read()
    except FileNotFoundError:
        return [], offset
    except OSError as error:
        raise unreadable(path, error) from error
    entries, size = _parse(path, content, first_seq=1 if offset == 0 else None)
    return entries, offset + size


def _parse(path: Path, content: bytes, *, first_seq: int | None) -> tuple[list[ev.Entry], int]:
    entries: list[ev.Entry] = []
    size = content.rfind(b"\n") + 1
    expected = first_seq
    for line in content[:size].split(b"\n")[:-1]:
        try:
            entry = ev.Entry.from_wire(json.loads(line))
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise _damaged(path, (expected or 1) + (0 if expected else len(entries))) from error
        if expected is not None and entry.seq != expected:
            raise _damaged(path, expected)
        expected = entry.seq + 1
        entries.append(entry)
    return entries, size


def _damaged(path: Path, number: int) -> RunFolderDamaged:
    backup = back_up(path)
    return RunFolderDamaged(
        f"{path} is damaged at entry {number}; nothing was changed and a copy is at {backup.name}. "
        "Put back a good copy of the file, or start a new run from its plan."
    )


def unreadable(path: Path, error: OSError) -> RunFolderDamaged:
    """The error for a file that is there and cannot be opened."""
    return RunFolderDamaged(
        f"{path} cannot be opened ({error.strerror}); allow access to it or put back a good copy."
    )


def back_up(path: Path) -> Path:
    """Copy a damaged file beside itself, once for the same content, and return the copy."""
    content = path.read_bytes()
    mark = hashlib.sha256(content).hexdigest()[:8]
    backup = path.with_name(f"{path.name}.damaged-{mark}")
    if not backup.exists():
        replace_bytes(backup, content)
    return backup


def _stored(now: datetime) -> datetime:
    """The time as the line holds it, in milliseconds: a writer sees what a reader will see."""
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def _encode(entry: ev.Entry) -> tuple[bytes, ev.Entry]:
    text = json.dumps(entry.to_wire(), ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n", entry
    except UnicodeEncodeError:
        # Half a surrogate pair has no UTF-8: what is stored is also what the writer sees.
        line = text.encode("utf-8", "replace")
        return line + b"\n", ev.Entry.from_wire(json.loads(line))


def _write_all(handle: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(handle, rest) :]
