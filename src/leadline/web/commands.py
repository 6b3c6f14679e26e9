"""What the page may do to runs. Each command checks, acts through the folder or the supervisor,
and raises a ``LeadlineError`` with one sentence when it cannot.

Invariant: a key that was typed into the page is held here, in memory, for the runs that were
started with it, and leaves only towards the run's own process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from leadline.domain.config import RunConfig
from leadline.domain.plan import Plan
from leadline.domain.run import RunRecord, RunStatus
from leadline.errors import PlanConflict, UnknownRun, UserError
from leadline.runs.store import RunStore
from leadline.runs.supervisor import Supervisor
from leadline.settings import Settings
from leadline.web.live import LiveRuns
from leadline.web.plan_merge import merge_progress

SAME_CLICK_SECONDS = 5.0
"""Within this time the same wish, said again, is a second click and no second wish."""


@dataclass(frozen=True)
class _Repeated:
    """A run that was started from the plan of an earlier one."""

    run: str
    plan: Plan
    at: float


class Commands:
    """Start, stop, resume, repeat, delete, and edit the plan."""

    def __init__(
        self,
        settings: Settings,
        store: RunStore,
        supervisor: Supervisor,
        live: LiveRuns,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.store = store
        self.live = live
        self._supervisor = supervisor
        self._keys: dict[str, SecretStr] = {}
        self._clock = clock
        self._repeating = threading.Lock()
        self._repeated: dict[str, _Repeated] = {}
        self._went_on: dict[str, float] = {}

    def start(self, topic: str, config: RunConfig, *, plan: Plan | None, key: str) -> str:
        """Create a run and start it (or queue it); returns its id."""
        folder = self.store.create(topic, config, plan=plan)
        if key:
            self._keys[folder.task_id] = SecretStr(key)
        self._supervisor.start(folder.task_id, self._secrets(folder.task_id, config))
        return folder.task_id

    def has_key(self, record: RunRecord) -> bool:
        """Whether a key is known for the model of a run: typed here, or set where settings are."""
        model = record.config.model
        return record.task_id in self._keys or self.settings.api_key(model) is not None

    def resume(
        self,
        task_id: str,
        *,
        limits: Mapping[str, float] | None = None,
        key: str = "",
        retry_failed: bool = False,
    ) -> None:
        """Go on with a run that halts after its plan, ended, failed or was interrupted.

        ``limits`` are those that it shall have from now on, by the names of ``Limits``; an empty
        ``key`` leaves it the one that it had.
        """
        config = self.live.folder(task_id).record().config
        changed: RunConfig | None = None
        if limits:
            changes = {f"limits_{name}": value for name, value in limits.items()}
            changed = self.settings.changed_config(config, **changes)
        typed = SecretStr(key) if key else self._keys.get(task_id)
        secrets = self.settings.run_keys(changed or config, typed)
        self._supervisor.resume(task_id, secrets, config=changed, retry_failed=retry_failed)
        self._went_on[task_id] = self._clock()
        if typed:
            self._keys[task_id] = typed

    def just_went_on(self, task_id: str) -> bool:
        """Whether a run was told to go on so lately that a second wish is a second click."""
        at = self._went_on.get(task_id)
        return at is not None and self._clock() - at < SAME_CLICK_SECONDS

    def again(self, task_id: str) -> str:
        """Start a new run with the plan and the settings of an earlier one; returns its id.

        Asked again within a few seconds, it returns the run that it has just started.
        """
        with self._repeating:  # of two clicks at a time, the second sees what the first began
            plan = self.store.plan_of(task_id).reopened()
            last = self._repeated.get(task_id)
            if last is not None and self._is_same_click(last, plan):
                return last.run
            run = self._start_again(task_id, plan)
            self._repeated[task_id] = _Repeated(run, plan, self._clock())
            return run

    def _is_same_click(self, last: _Repeated, plan: Plan) -> bool:
        if self._clock() - last.at >= SAME_CLICK_SECONDS or last.plan != plan:
            return False
        return (self.store.root / last.run).is_dir()  # it may have been deleted meanwhile

    def _start_again(self, task_id: str, plan: Plan) -> str:
        try:
            record = self.live.folder(task_id).record()
        except UnknownRun:  # a folder that holds only a plan
            topic = ", ".join(c.name for c in plan.categories) or task_id
            return self.start(topic, self.settings.run_config(plan_first=False), plan=plan, key="")
        key = self._keys.get(task_id)
        return self.start(
            record.topic,
            record.config.model_copy(update={"plan_first": False}),
            plan=plan,
            key=key.get_secret_value() if key else "",
        )

    def stop(self, task_id: str) -> None:
        """Ask a run to stop. Returns at once; the supervisor sees to it that it does."""
        folder = self.live.folder(task_id)
        if folder.status().is_active:
            self._supervisor.request_stop(task_id)

    def delete(self, task_id: str) -> None:
        """Delete a run with all its files; refused while it is active."""
        self.store.delete(task_id)
        self.live.forget(task_id)
        self._keys.pop(task_id, None)
        self._went_on.pop(task_id, None)
        self._repeated.pop(task_id, None)

    def save_plan(self, task_id: str, text: str, *, base: str, version: str) -> tuple[str, bool]:
        """Save an edited plan; returns the new version and whether progress was merged in.

        ``base`` and ``version`` are what the editor was opened with. Raises ``PlanConflict`` when
        more than boxes changed in between.
        """
        folder = self.live.folder(task_id)
        if folder.status() is RunStatus.STOPPING:
            raise UserError("The run is stopping; save the plan again in a moment.")
        try:
            return folder.save_plan(text, version), False
        except PlanConflict:
            newer = folder.plan_version()
            merged = merge_progress(base, folder.plan_text(), text)
            if merged is None:
                raise
            return folder.save_plan(merged, newer), True

    def _secrets(self, task_id: str, config: RunConfig) -> dict[str, str]:
        return self.settings.run_keys(config, self._keys.get(task_id))
