"""A run with everything real but its browsers: a folder, a session, a model, a pretended worker."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from leadline.browsing.worker import WorkerResult
from leadline.domain.budget import Budget
from leadline.domain.config import ModelConfig, ModelRole, RunConfig, SearchConfig, SearchEngine
from leadline.domain.events import Entry, RunStarted
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.engine.context import RunContext, WorkOrder
from leadline.models.base import Model
from leadline.models.offline import OfflineModel
from leadline.models.roles import RoleModels
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

TOPIC = "The harbour of Quorrow"
Work = Callable[["Rig", WorkOrder], Awaitable[WorkerResult]]


def a_plan(*categories: Sequence[str]) -> Plan:
    """A plan with a category for each sequence of task texts."""
    return Plan(
        categories=tuple(
            Category(name=f"Part {number}", tasks=tuple(Task(text=text) for text in texts))
            for number, texts in enumerate(categories, start=1)
        )
    )


def a_config(**limits: Any) -> RunConfig:
    config: dict[str, Any] = {"max_research_loops": 0, **limits}
    top = {name: config.pop(name) for name in ("plan_first",) if name in config}
    return RunConfig(
        limits=Limits(**config),
        model=ModelConfig(),
        search=SearchConfig(engines=(SearchEngine.DEMO,)),
        **top,
    )


async def found(rig: Rig, order: WorkOrder) -> WorkerResult:
    """A worker that reads one page and records what it says."""
    number = len(rig.session.view.sources) + 1
    text = f"{order.task.text}: the measured value is {number} metres."
    page = PageContent(
        url=f"https://site{number}.example/",
        passages=(Passage(number=1, text=text),),
        title=f"Page {number}",
        site=f"site{number}.example",
        date="2025-01-01",
        language="en",
    )
    source = rig.session.add(page, task=order.task.id)
    ref = PassageRef(source=source.id, passage=1)
    finding = rig.session.record(task=order.task.id, claim=text, passages=[ref])
    return WorkerResult(answered=True, summary="It is known.", findings=(finding.id,), steps=2)


@dataclass
class Rig:
    """One session of a run; ``orders`` are the workers that were started, in order."""

    folder: RunFolder
    session: RunSession
    work: Work
    model: Model
    clock: Callable[[], float] = time.monotonic
    by_role: Mapping[ModelRole, Model] = field(default_factory=dict)
    orders: list[WorkOrder] = field(default_factory=list)

    async def run_worker(self, order: WorkOrder) -> WorkerResult:
        self.orders.append(order)
        return await self.work(self, order)

    @property
    def models(self) -> RoleModels:
        return RoleModels(self.model, self.by_role)

    @property
    def context(self) -> RunContext:
        config = self.session.config
        return RunContext(
            topic=self.session.run_record.topic,
            config=config,
            session=self.session,
            models=self.models,
            budget=Budget(config.limits, clock=self.clock, used=self.session.view.usage),
            run_worker=self.run_worker,
            today=date(2026, 1, 2),
        )

    @property
    def log(self) -> list[Entry]:
        return self.folder.read_events()[0]

    def of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.log if entry.event.type == kind]

    def reason_of(self, text: str) -> str:
        """Why the task with this text ended as it did."""
        return next(t.reason for t in self.session.view.tasks.values() if t.text == text)

    def edit(self, old: str, new: str) -> None:
        """Change the plan file as a person would."""
        path = self.folder.file("research_plan.md")
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")


class Bench:
    """Makes runs below one folder and opens sessions of them."""

    def __init__(self, root: Path) -> None:
        self.store = RunStore(root)

    def run(self, config: RunConfig, plan: Plan | None = None) -> RunFolder:
        return self.store.create(TOPIC, config, plan=plan)

    @contextmanager
    def session(
        self,
        folder: RunFolder,
        work: Work = found,
        *,
        model: Model | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> Iterator[Rig]:
        with RunSession.acquire(folder) as session:
            session.emit(RunStarted(session=session.number, pid=1, model="offline"))
            yield Rig(folder, session, work, model or OfflineModel(), clock)
