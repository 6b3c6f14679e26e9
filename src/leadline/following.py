"""Start a run as a child process and follow it through its folder until it ends.

Command line and Python API share this. The engine is never imported: what is seen here is what any
other process sees. A stop is asked for in the folder; the supervisor ends the run's process tree
when it is asked twice, or when the run has not obeyed within ``STOP_SECONDS``.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from leadline.domain.config import RunConfig
from leadline.domain.events import Entry
from leadline.domain.plan import Plan
from leadline.domain.plan_markdown import parse_plan
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.errors import InvalidPlan, LeadlineError, UserError
from leadline.provider_keys import check_keys
from leadline.runs.folder import PLAN_FILE, PLAN_MAX_BYTES, RunFolder
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings

LOOK_SECONDS = 0.2
SUPERVISE_SECONDS = 1.0
STOP_SECONDS = 10.0
EXIT_SECONDS = 5.0
"""How long the process of a run may take to be gone after its last event."""

Watcher = Callable[[RunRecord, RunView, Sequence[Entry]], None]
"""Called at each look: the record, the run as its log tells it, and what is new."""


class StopRequest:
    """Set from a signal handler or another thread; counts how often it was asked for."""

    def __init__(self) -> None:
        self.times = 0
        self._event = threading.Event()

    def ask(self) -> None:
        """Ask once more: the first is a request, the second an order."""
        self.times += 1
        self._event.set()

    def wait(self, seconds: float) -> None:
        """Sleep for so long; a first request ends the sleep."""
        if self.times:
            time.sleep(seconds)
        else:
            self._event.wait(seconds)


class Launcher:
    """Makes, starts, resumes and follows runs below one root."""

    def __init__(self, settings: Settings, root: Path | None = None) -> None:
        self.settings = settings
        self.store = RunStore(root or settings.runs_dir)
        self.supervisor = Supervisor(
            self.store, max_running=settings.max_running, environment=dict(os.environ)
        )

    def start(self, topic: str, config: RunConfig, *, plan: Plan | None = None) -> RunFolder:
        """Make a run and start it (or queue it behind others).

        Raises :class:`InvalidSetting` before anything is made when the model's key is missing.
        """
        secrets = self._secrets(config)
        folder = self.store.create(topic, config, plan=plan)
        self.supervisor.start(folder.task_id, secrets)
        return folder

    def resume(
        self,
        task_id: str,
        changes: Mapping[str, Any] | None = None,
        *,
        retry_failed: bool = False,
    ) -> tuple[RunFolder, int]:
        """Go on with a run; returns it and the log's length before, to follow it from.

        ``changes`` are settings that the run shall have from now on, such as a higher limit.
        Raises :class:`InvalidSetting` before anything is changed when the model's key is missing.
        """
        folder = self.store.open(task_id)
        _, cursor = folder.read_events()
        config = folder.record().config
        changed = self.settings.changed_config(config, **changes) if changes else None
        self.supervisor.resume(
            task_id,
            self._secrets(changed or config),
            config=changed,
            retry_failed=retry_failed,
        )
        return folder, cursor

    def stop(self, task_id: str) -> bool:
        """Stop a run, whoever started it; False when it was not at work."""
        folder = self.store.open(task_id)
        if not folder.status().is_active:
            return False
        self.supervisor.stop(task_id, timeout=STOP_SECONDS)
        return True

    def follow(
        self,
        folder: RunFolder,
        *,
        watch: Watcher,
        stop: StopRequest,
        on_stopping: Callable[[], None] = lambda: None,
        cursor: int = 0,
    ) -> RunRecord:
        """Look at the run five times a second until it ends; returns its last record.

        The record's status is what an outsider sees: ``interrupted`` when its process is gone
        without a word. Raises :class:`LeadlineError` when it could not even begin.
        """
        asked = 0
        supervise_at = 0.0
        while True:
            if time.monotonic() >= supervise_at:
                self.supervisor.poll()
                if self.supervisor.never_began(folder.task_id):
                    log = folder.control.runner_log
                    raise LeadlineError(f"The run could not begin; {log} has the details.")
                supervise_at = time.monotonic() + SUPERVISE_SECONDS
            view = folder.view()
            # Read after the status: once it is final, these are all there are.
            entries, cursor = folder.read_events(cursor)
            record = folder.record().model_copy(
                update={"status": view.status, "reason": view.reason}
            )
            watch(record, view, entries)
            if not view.status.is_active:
                if not self.supervisor.wait_over(folder.task_id, EXIT_SECONDS):
                    self.supervisor.stop(folder.task_id, timeout=0)
                return record
            if stop.times and not asked:
                on_stopping()
                self.supervisor.request_stop(folder.task_id, timeout=STOP_SECONDS)
            elif stop.times > 1 and asked < 2:
                self.supervisor.stop(folder.task_id, timeout=0)
            asked = stop.times
            stop.wait(LOOK_SECONDS)

    def _secrets(self, config: RunConfig) -> dict[str, str]:
        keys = self.settings.run_keys(config)
        check_keys(config, keys)
        return keys


@contextmanager
def stopped_by_signals(stop: StopRequest) -> Iterator[None]:
    """Inside, Ctrl-C and SIGTERM ask for a stop instead of raising.

    Outside the main thread, where Python allows no handlers, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.ask()

    numbers = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def plan_from(store: RunStore, named: str) -> tuple[Plan, str]:
    """A plan to start from and its topic, from a plan file or a run as :meth:`RunStore.find`
    takes it.

    Files that browser-use/web-ui wrote are plans too, and so is a folder that has one. Raises
    :class:`UserError` when there is neither, :class:`InvalidPlan` when there is no task in it.
    """
    is_id = re.fullmatch(r"[A-Za-z0-9-]+", named) is not None
    path = Path(named).expanduser()
    try:
        if not is_id or not (store.root / named).is_dir():
            if (path / PLAN_FILE).is_file():
                path = path / PLAN_FILE
            if path.is_file():
                return _plan_of_file(path)
            if path.is_dir():
                raise UserError(f"{named[:200]!r} is a folder without a plan; name a plan file.")
    except OSError as error:
        raise UserError(f"{named[:200]!r} cannot be read ({error.strerror}).") from None
    if not is_id:
        raise UserError(f"There is no plan file {named[:200]!r}.")
    task_id = store.find(named)
    plan = store.plan_of(task_id)
    known = {row.task_id: row.topic for row in store.history()}
    return plan, known.get(task_id, task_id)


def _plan_of_file(path: Path) -> tuple[Plan, str]:
    try:
        if path.stat().st_size > PLAN_MAX_BYTES:
            raise InvalidPlan(
                f"{path.name} is longer than {PLAN_MAX_BYTES // 1000} KB; that is no plan."
            )
        plan = parse_plan(path.read_text(encoding="utf-8-sig", errors="replace"))
    except OSError as error:
        raise UserError(f"{path.name} cannot be read ({error.strerror}).") from None
    if not any(True for _ in plan.tasks()):
        raise InvalidPlan(f'{path.name} has no task; a task is a line like "- [ ] …".')
    return plan, ", ".join(category.name for category in plan.categories if category.name)
