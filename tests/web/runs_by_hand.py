"""Runs written by hand through ``RunSession``, as a run's own process would write them."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, ImageDraw

from leadline.domain import events as ev
from leadline.domain.config import ModelConfig, Provider, RunConfig
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

TOPIC = "How well does the electric tidal ferry of Quorrow work?"
PLAN = Plan(
    categories=(
        Category(
            name="Use",
            tasks=(
                Task(text="How many passengers does the ferry carry?"),
                Task(text="How punctual is it?"),
            ),
        ),
        Category(
            name="Cost and funding",
            tasks=(
                Task(text="What did the ferry and its charging quays cost?"),
                Task(text="Who paid for it?"),
            ),
        ),
        Category(name="Nature", tasks=(Task(text="Do the seals mind the noise?"),)),
    )
)
REPORT = r"""# How well does the electric tidal ferry of Quorrow work?

The ferry carried 412,000 passengers in 2025, a third more than the diesel boat before it
[\[1\]](sources/1.md#p2). It left on time on 97 of 100 crossings [\[1\]](sources/1.md#p3).

## Use

Ridership grew in every month but February, when the northern quay was closed for
repairs [\[2\]](sources/2.md#p2).

> “The quay was closed for nineteen days in February.” [\[2\]](sources/2.md#p2)

| Year | Passengers |
|---|---|
| 2024 | 309,000 |
| 2025 | 412,000 |

## Cost and funding

The two boats and both quays cost 38 million crowns [\[2\]](sources/2.md#p1).

## What was not found

- Do the seals mind the noise? The one study on it could not be opened.

## References

1. [Quorrow Ferry: the year 2025](https://ferry.quorrow.example/2025) · [stored](sources/1.md)
2. [What the quays cost](https://gazette.quorrow.example/quays) · [stored](sources/2.md)
"""
FIRST = (
    "Quorrow Ferry looks back on its first full year.",
    "In 2025 the ferry carried 412,000 passengers, a third more than the diesel boat before it.",
    "It left on time on 97 of 100 crossings.",
    "The board thanks the crews and the people of Quorrow.",
)
SECOND = (
    "The two boats and both charging quays cost 38 million crowns.",
    "The quay was closed for nineteen days in February.",
)


def screenshot(colour: str = "#dfe8ea") -> bytes:
    """A small picture of a page."""
    image = Image.new("RGB", (320, 220), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 320, 34), fill=colour)
    for row in range(60, 200, 14):
        draw.rectangle((18, row, 300 - (row * 7) % 90, row + 6), fill="#d0d0cc")
    data = io.BytesIO()
    image.save(data, "JPEG", quality=80)
    return data.getvalue()


class ByHand:
    """Makes runs in a store, each in another state."""

    def __init__(self, root: Path) -> None:
        self.store = RunStore(root)

    def planned(self, task_id: str = "planned") -> RunFolder:
        """Halted after its plan."""
        folder = self.store.create(TOPIC, RunConfig(plan_first=True), task_id=task_id)
        with RunSession.acquire(folder) as session:
            self._begin(session)
            session.end(ev.RunFinished(status=RunStatus.PLANNED))
        return folder

    def done(self, task_id: str = "done", *, topic: str = TOPIC, report: str = REPORT) -> RunFolder:
        """Ended with a report."""
        folder = self.store.create(topic, RunConfig(), task_id=task_id)
        with RunSession.acquire(folder) as session:
            plan = self._begin(session)
            self._research(session, plan)
            session.set_status(RunStatus.WRITING)
            session.write_report(report, citations=6, resolved=6, sources=2)
            session.end(ev.RunFinished(status=RunStatus.DONE))
        return folder

    def stopped(self, task_id: str = "stopped") -> RunFolder:
        """Stopped by its user in the middle."""
        folder = self.store.create(TOPIC, RunConfig(), task_id=task_id)
        with RunSession.acquire(folder) as session:
            plan = self._begin(session)
            self._research(session, plan, until=2)
            session.end(ev.RunStopped())
        return folder

    def failed(self, task_id: str = "failed") -> RunFolder:
        """Failed before anything was found."""
        folder = self.store.create("What became of the diesel boat?", RunConfig(), task_id=task_id)
        with RunSession.acquire(folder) as session:
            self._begin(session)
            session.end(
                ev.RunFailed(reason="The model at 127.0.0.1:9 does not answer; check its address.")
            )
        return folder

    def spent(self, task_id: str = "spent") -> RunFolder:
        """Ended by its limit of tokens."""
        config = RunConfig(limits=Limits(tokens=2000))
        folder = self.store.create(TOPIC, config, task_id=task_id)
        with RunSession.acquire(folder) as session:
            plan = self._begin(session)
            self._research(session, plan, until=1)
            session.end(
                ev.RunStopped(
                    reason="The run used its 2,000 model tokens; raise the limit and resume."
                )
            )
        return folder

    def refused(self, task_id: str = "refused") -> RunFolder:
        """Failed since its model's endpoint refused the key."""
        model = ModelConfig(provider=Provider.OPENAI, name="gpt")
        folder = self.store.create(TOPIC, RunConfig(model=model), task_id=task_id)
        with RunSession.acquire(folder) as session:
            self._begin(session)
            session.end(
                ev.RunFailed(
                    reason="OpenAI at api.openai.com refuses the key (HTTP 401): check "
                    "OPENAI_API_KEY or the key in the settings.",
                    model_refused=True,
                )
            )
        return folder

    def at_work(self, task_id: str = "at-work") -> RunSession:
        """Under way; the caller ends the session."""
        folder = self.store.create(TOPIC, RunConfig(), task_id=task_id)
        session = RunSession.acquire(folder)
        plan = self._begin(session)
        self._research(session, plan, until=2)
        tasks = list(plan.tasks())
        for number, task in enumerate(tasks[2:4], 1):
            session.emit(
                ev.TaskStarted(attempt=1, text=task.text, queries=(task.text,)), task=task.id
            )
            session.emit(ev.BrowserOpened(pid=100 + number, live=number))
            session.emit(
                ev.WorkerMoved(
                    worker=f"w{number}",
                    activity="reading" if number == 1 else "thinking",
                    query=task.text,
                    url="https://gazette.quorrow.example/quays",
                    title="What the quays cost",
                    step=2 + number,
                ),
                task=task.id,
            )
        session.write_screen("w1", screenshot())
        return session

    def _begin(self, session: RunSession) -> Plan:
        session.emit(ev.RunStarted(session=1, pid=1, model="offline", engines=("demo",)))
        return session.write_plan(PLAN, "model")

    def _research(self, session: RunSession, plan: Plan, until: int = 5) -> None:
        session.set_status(RunStatus.RESEARCHING)
        tasks = list(plan.tasks())[:until]
        self._add(session, FIRST, "Quorrow Ferry: the year 2025", "ferry.quorrow.example", tasks[0])
        self._add(session, SECOND, "What the quays cost", "gazette.quorrow.example", tasks[-1])
        session.emit(
            ev.PageFailed(
                url="https://seals.quorrow.example/study", reason="captcha", blocked=True
            ),
            task=tasks[-1].id,
        )
        for number, task in enumerate(tasks):
            session.emit(
                ev.TaskStarted(attempt=1, text=task.text, queries=(task.text,)), task=task.id
            )
            session.emit(ev.SearchDone(query=task.text, engine="demo", results=5), task=task.id)
            session.emit(
                ev.ModelCalled(
                    role="worker",
                    usage=Usage(calls=1, input_tokens=2400, output_tokens=180),
                    seconds=0.4,
                    ok=True,
                ),
                task=task.id,
            )
            if number == 4:
                session.finish_task(task.id, 1, TaskState.FAILED, "The page is behind a captcha.")
                continue
            finding = session.record(
                task=task.id,
                claim=FIRST[1] if number % 2 == 0 else FIRST[2],
                passages=[PassageRef(source=1, passage=2 + number % 2)],
            )
            session.finish_task(task.id, 1, TaskState.DONE, findings=[finding.id])

    @staticmethod
    def _add(
        session: RunSession, passages: tuple[str, ...], title: str, host: str, task: Task
    ) -> None:
        page = PageContent(
            url=f"https://{host}/{len(passages)}",
            passages=tuple(Passage(number=n, text=t) for n, t in enumerate(passages, 1)),
            title=title,
            site=host,
            date="2026-01-14",
            language="en",
        )
        session.add(page, task=task.id)
