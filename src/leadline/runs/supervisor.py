"""Starts runs as processes of their own, keeps surplus ones waiting, and enforces a stop.

Nothing that counts is in this object: who runs is seen by held locks, who waits by tickets in the
run folders, so several supervisors (a server, command lines) share one store and any of them can
stop any run. In memory are only the secrets of runs that wait and the handles of children.

A start is decided under a lock of the store, so ``max_running`` holds across processes. Methods
block for a moment (``stop`` up to its timeout): call them from a thread, not an event loop.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from leadline.domain.config import RunConfig
from leadline.domain.events import RunFailed, RunStopped
from leadline.domain.projection import LastEvent
from leadline.domain.run import RunStatus
from leadline.errors import LeadlineError, RunBusy
from leadline.runs import processes
from leadline.runs.atomic import replace_json
from leadline.runs.control import Ticket
from leadline.runs.folder import RunFolder
from leadline.runs.lock import FileLock, Owner, OwnerLock, read_note
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

_LOG_MAX_BYTES = 1_000_000
_FORCE_SECONDS = 2.0
"""What is kept of a stop's time to end processes by force."""
_EXIT_BUSY = 4
"""Exit code of a runner that found another owner."""


class _Child(NamedTuple):
    process: subprocess.Popen[bytes]
    owner: Owner


class _Asked(NamedTuple):
    owners: frozenset[Owner]
    deadline: float


class Supervisor:
    """Starts, queues and stops the runs of a store. Thread-safe."""

    def __init__(
        self,
        store: RunStore,
        *,
        max_running: int,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``environment`` is what a run's process gets; None: that of this process."""
        self._store = store
        self._max_running = max(1, max_running)
        self._environment = dict(os.environ if environment is None else environment)
        self._secrets: dict[str, dict[str, str]] = {}
        self._children: dict[str, _Child] = {}
        self._leaving: list[_Child] = []
        """Children whose run was started anew before they were quite gone."""
        self._asked: dict[str, _Asked] = {}
        """Runs that were asked to stop: the very processes that were, and until when."""
        self._lock = threading.RLock()

    # Start

    def start(
        self,
        task_id: str,
        secrets: Mapping[str, str] | None = None,
        *,
        config: RunConfig | None = None,
        retry_failed: bool = False,
    ) -> bool:
        """Start a run, or let it wait its turn; True when its process is up.

        ``secrets`` become environment variables of the process and are written nowhere. A
        ``config`` replaces the run's own; ``retry_failed`` opens its failed tasks again. Raises
        :class:`RunBusy` when the run is at work or waits already, :class:`RunFolderDamaged` when
        it could not work in its folder; nothing is changed then.
        """
        folder = self._store.open(task_id)
        with self._deciding():
            self._reap()
            self._refuse_active(folder)
            folder.check()
            folder.control.clear_stop()
            _set_queued(folder, config)
            if retry_failed:
                folder.reopen_failed()
            folder.control.write_ticket(Ticket(by=Owner.me(), asked_at=time.time()))
            self._secrets[task_id] = dict(secrets or {})
            self._start_waiting()
            return task_id in self._children

    def resume(
        self,
        task_id: str,
        secrets: Mapping[str, str] | None = None,
        *,
        config: RunConfig | None = None,
        retry_failed: bool = False,
    ) -> bool:
        """Go on with a run that halted, was stopped, failed or was interrupted; like ``start``."""
        return self.start(task_id, secrets, config=config, retry_failed=retry_failed)

    def poll(self) -> None:
        """Do what time brings: collect dead children and sweep what they left, end runs that were
        asked to stop and did not, start runs that wait. Call it every second or so."""
        for task_id, asked in list(self._asked.items()):
            if not any(_lives(owner) for owner in asked.owners):
                self._asked.pop(task_id, None)
            elif time.monotonic() >= asked.deadline:
                self._asked.pop(task_id, None)
                self._force({task_id: asked.owners})
        with self._deciding():
            self._reap()
            self._start_waiting()

    def _start_waiting(self) -> None:
        active = 0
        waiting: list[tuple[float, RunFolder]] = []
        for folder in self._folders():
            ticket = folder.control.ticket()
            if folder.owner() is not None or (ticket is not None and ticket.is_starting):
                active += 1
            elif ticket is not None and self._is_mine_to_start(folder, ticket):
                waiting.append((ticket.asked_at, folder))
        waits = {folder.task_id for _, folder in waiting}
        self._secrets = {k: v for k, v in self._secrets.items() if k in waits}
        for _, folder in sorted(waiting, key=lambda pair: pair[0]):
            if active >= self._max_running:
                return
            with contextlib.suppress(LeadlineError):  # it says so itself; the next one may go
                self._spawn(folder)
                active += 1

    def _is_mine_to_start(self, folder: RunFolder, ticket: Ticket) -> bool:
        if ticket.child is not None:
            return False
        mine = folder.task_id in self._secrets and ticket.by.pid == os.getpid()
        # Who asked for it is gone: the run would wait for ever.
        return mine or (ticket.by.is_here() and not ticket.by.is_alive())

    def _spawn(self, folder: RunFolder) -> None:
        task_id = folder.task_id
        environment = {
            "PYTHONUTF8": "1",
            **self._environment,
            **self._secrets.get(task_id, {}),
        }
        command = [
            sys.executable,
            "-m",
            "leadline.runner",
            task_id,
            "--root",
            str(folder.path.parent),
        ]
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        else:
            flags = 0
        try:
            with _open_log(folder.control.runner_log) as log:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    start_new_session=True,
                    creationflags=flags,
                )
        except OSError as error:
            reason = f"The run's process could not be started ({error.strerror})."
            _mark(folder, RunFailed(reason=reason))
            raise LeadlineError(reason) from error
        finally:
            self._secrets.pop(task_id, None)
        me = Owner.me()
        born = processes.create_time(process.pid) or time.time()
        owner = Owner(pid=process.pid, create_time=born, host=me.host)
        if task_id in self._children:
            self._leaving.append(self._children[task_id])
        self._children[task_id] = _Child(process, owner)
        ticket = Ticket(by=me, child=owner, asked_at=time.time())
        if folder.owner() is None:
            folder.control.write_ticket(ticket)

    def _refuse_active(self, folder: RunFolder) -> None:
        owner = folder.owner()
        if owner is not None:
            raise RunBusy(
                f"The run is at work in process {owner.pid} on {owner.host}; "
                "stop it there or wait for its end."
            )
        ticket = folder.control.ticket()
        if ticket is not None and (ticket.is_starting or ticket.is_waiting):
            raise RunBusy("The run is queued already and starts by itself.")

    # Stop

    def request_stop(self, task_id: str, timeout: float = 10.0) -> None:
        """Ask a run to stop and return at once; ``poll`` ends it by force if it does not obey."""
        folder = self._store.open(task_id)
        if self._end_waiting(folder) or self._is_over(task_id):
            return
        owners = frozenset(self._workers(folder))
        folder.request_stop()
        if folder.owner() is None:
            self._force({task_id: owners})  # it is still being launched and has nothing to finish
        elif task_id not in self._asked or self._asked[task_id].owners != owners:
            # Bound to these processes: a session that is resumed meanwhile was not asked to stop.
            deadline = time.monotonic() + max(0.0, timeout - _FORCE_SECONDS)
            self._asked[task_id] = _Asked(owners, deadline)

    def stop(self, task_id: str, timeout: float = 10.0) -> RunStatus:
        """Stop a run and return its status once nothing of it is at work.

        After ``timeout`` seconds at the latest its whole process tree was ended by force. Works
        from any process on the machine; a run on another machine is asked only.
        """
        self._stop_many([task_id], timeout)
        return self._store.open(task_id).status()

    def stop_all(self, timeout: float = 10.0) -> None:
        """Stop every run that this supervisor started or lets wait."""
        with self._lock:
            ids = {*self._children, *self._secrets}
        self._stop_many(ids, timeout)

    def wait_over(self, task_id: str, timeout: float) -> bool:
        """Wait until the process of a run that came to its end is gone; False if it is not."""
        deadline = time.monotonic() + timeout
        while not self._is_over(task_id):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.02)
        with self._deciding():
            self._reap()
        return True

    def never_began(self, task_id: str) -> bool:
        """Whether a run that was to start has no process any more and nobody who starts it.

        So it is when its process could neither work in its folder nor say so there.
        """
        folder = self._folder(task_id)
        ticket = folder.control.ticket()
        if self._workers(folder) or (ticket is not None and ticket.is_waiting):
            return False
        return folder.record().status is RunStatus.QUEUED

    def _stop_many(self, task_ids: Iterable[str], timeout: float) -> None:
        deadline = time.monotonic() + max(0.0, timeout - _FORCE_SECONDS)
        left: dict[str, frozenset[Owner]] = {}
        for task_id in task_ids:
            folder = self._store.open(task_id)
            workers = frozenset(self._workers(folder))
            if not self._end_waiting(folder) and workers:
                folder.request_stop()
                left[task_id] = workers
        launching = {i: left[i] for i in left if self._folder(i).owner() is None}
        if launching:
            self._force(launching)  # nothing to finish yet
        while left and time.monotonic() < deadline:
            left = {i: owners for i, owners in left.items() if any(_lives(o) for o in owners)}
            if left:
                time.sleep(0.05)
        if left:
            self._force(left)
        with self._deciding():
            self._reap()

    def _end_waiting(self, folder: RunFolder) -> bool:
        """End a run that waits its turn; False when a process is at work on it."""
        with self._deciding():
            if self._workers(folder) or folder.record().status is not RunStatus.QUEUED:
                return False
            self._secrets.pop(folder.task_id, None)
            folder.control.clear_ticket()
            return _mark(folder, RunStopped(reason="Stopped before it began."))

    def _force(self, asked: Mapping[str, Iterable[Owner]]) -> None:
        """End the process trees of these runs, sweep their sessions, say that they were stopped."""
        folders = [self._folder(task_id) for task_id in asked]
        owners = [
            owner
            for of_run in asked.values()
            for owner in of_run
            if owner.is_here() and owner.pid != os.getpid()
        ]
        doomed = [p for o in owners for p in processes.process_tree(o.pid, o.create_time)]
        processes.end_processes(doomed, grace=0.3)
        for owner in owners:
            processes.end_session(owner.pid, owner.create_time)
        with self._deciding():
            self._reap()
            for folder in folders:
                if self._workers(folder):
                    continue
                # A folder that is damaged or was deleted meanwhile says so when it is looked at.
                with contextlib.suppress(LeadlineError):
                    status = folder.status()
                    if status is RunStatus.INTERRUPTED or status.is_active:
                        _mark(folder, RunStopped(reason="Stopped; its process was ended by force."))

    # What is there

    def _is_over(self, task_id: str) -> bool:
        return not self._workers(self._folder(task_id))

    def _workers(self, folder: RunFolder) -> list[Owner]:
        """The processes that are at work on a run, or about to be."""
        found = []
        owner = folder.owner()
        if owner is not None:
            found.append(owner)
        ticket = folder.control.ticket()
        if ticket is not None and ticket.child is not None and ticket.is_starting:
            found.append(ticket.child)
        child = self._children.get(folder.task_id)
        if child is not None and child.process.poll() is None:
            found.append(child.owner)
        return list(dict.fromkeys(found))

    def _folder(self, task_id: str) -> RunFolder:
        return RunFolder(self._store.root / task_id)

    def _folders(self) -> Iterator[RunFolder]:
        for task_id in self._store.task_ids():
            yield self._folder(task_id)

    def _reap(self) -> None:
        for child in list(self._leaving):
            if child.process.poll() is not None:
                self._leaving.remove(child)
                processes.end_session(child.owner.pid, child.owner.create_time)
        for task_id, child in list(self._children.items()):
            code = child.process.poll()
            if code is None:
                continue
            del self._children[task_id]
            processes.end_session(child.owner.pid, child.owner.create_time)
            with contextlib.suppress(LeadlineError):  # deleted meanwhile, or damaged: seen there
                self._bury(self._store.open(task_id), child.owner, code)
        for folder in self._folders():
            note = read_note(folder.control.path / "owner.json")
            if note is not None and note.is_here() and not note.is_alive():
                processes.end_session(note.pid, note.create_time)
                with contextlib.suppress(LeadlineError):  # a new owner has it already
                    lock = OwnerLock(folder.control.path)
                    lock.acquire()
                    lock.release()

    def _bury(self, folder: RunFolder, dead: Owner, code: int) -> None:
        """Put in order what a dead child of ours left in its folder."""
        ticket = folder.control.ticket()
        if ticket is not None and ticket.child == dead:
            folder.control.clear_ticket()
        if folder.owner() is not None or folder.record().status is not RunStatus.QUEUED:
            return
        if ticket is not None and ticket.is_waiting:
            return
        if folder.control.stop_requested():
            _mark(folder, RunStopped(reason="Stopped before it began."))
        elif code != _EXIT_BUSY:
            reason = (
                f"Its process ended before it began (exit code {code}); "
                "control/runner.log in its folder has the details."
            )
            _mark(folder, RunFailed(reason=reason))

    @contextlib.contextmanager
    def _deciding(self) -> Iterator[None]:
        """Only one supervisor at a time decides what starts."""
        with self._lock:
            self._store.root.mkdir(parents=True, exist_ok=True)
            with FileLock(self._store.root / ".queue.lock"):
                yield


def _lives(owner: Owner) -> bool:
    return owner.is_here() and owner.pid != os.getpid() and owner.is_alive()


def _set_queued(folder: RunFolder, config: RunConfig | None) -> None:
    if folder.record().status is RunStatus.QUEUED and config is None:
        return
    lock = OwnerLock(folder.control.path)
    lock.acquire()
    try:
        record = folder.record()
        queued = record.model_copy(
            update={
                "status": RunStatus.QUEUED,
                "reason": "",
                "ended_at": None,
                "config": config or record.config,
            }
        )
        replace_json(folder.file("run.json"), queued.model_dump(mode="json"))
    finally:
        lock.release()


def _mark(folder: RunFolder, last: LastEvent) -> bool:
    """Write the last event of a run that has no process; False when it has one after all."""
    try:
        with RunSession.acquire(folder) as session:
            session.end(last)
    except RunBusy:
        return False
    return True


@contextlib.contextmanager
def _open_log(path: Path) -> Iterator[int]:
    """The file for what a run's process prints, begun anew when it has grown large."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(handle).st_size > _LOG_MAX_BYTES:
            os.truncate(path, 0)
        yield handle
    finally:
        os.close(handle)
