"""What the nodes of the graph share: one run's session, models, budget and workers.

Everything is handed in, so a node is tested with doubles; ``assembly`` builds the real one. The
run folder stays the authority: the context keeps nothing that a resume would need.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import date

from leadline.browsing.worker import WorkerResult
from leadline.domain.budget import Budget
from leadline.domain.config import ModelRole, RunConfig
from leadline.domain.events import Notice
from leadline.domain.plan import Plan, Task
from leadline.domain.projection import TaskView
from leadline.domain.text import detect_language
from leadline.models.base import Model
from leadline.models.requests import Role
from leadline.models.roles import RoleModels
from leadline.runs.session import RunSession


@dataclass(frozen=True)
class WorkOrder:
    """One query of one task, for one browser worker."""

    worker: str
    task: Task
    query: str
    attempt: int
    language: str
    background: str
    """Digest of what earlier stages found; empty in the first."""


TASK: ContextVar[str] = ContextVar("leadline_task", default="")
"""Id of the task that the current asyncio task works for, so that its model calls are its own."""

RunWorker = Callable[[WorkOrder], Awaitable[WorkerResult]]


@dataclass
class RunContext:
    """The run that the graph works on."""

    topic: str
    config: RunConfig
    session: RunSession
    models: RoleModels
    budget: Budget
    run_worker: RunWorker
    today: date
    claimed: set[str] = field(default_factory=set)
    """Ids of the tasks that are being worked on right now."""

    @property
    def model(self) -> Model:
        """The run's main model."""
        return self.models.main

    def model_for(self, role: ModelRole | Role) -> Model:
        """The model that answers in this role; each call is made through here."""
        return self.models.for_role(role)

    @property
    def language(self) -> str:
        """Language code of the report: the setting, or the topic's own."""
        return self.config.report_language or detect_language(self.topic)

    @property
    def plan(self) -> Plan:
        """The plan as last written or edited; empty before there is one."""
        return self.session.view.plan or Plan()

    def task_view(self, task_id: str) -> TaskView:
        """What the log tells of a task; an untouched one has no attempts."""
        return self.session.view.tasks.get(task_id, TaskView(task_id))

    def sync_plan(self) -> Plan:
        """Take over what a person changed in the plan file since it was last written.

        The plan that is logged then (``origin="user"``) says so; there is no notice beside it.
        """
        self.session.take_plan_edits()
        return self.plan

    def notice(self, message: str, *, warning: bool = False) -> None:
        """Say one sentence in the run's log."""
        self.session.emit(Notice(message=message, level="warning" if warning else "info"))
