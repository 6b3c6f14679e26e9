"""A small run in memory: sources, findings, a plan and its view."""

from __future__ import annotations

from datetime import UTC, datetime

from leadline.domain.evidence import Finding, Passage, PassageRef, Snapshot, Source
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.projection import RunView, TaskView

NOW = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
TEXTS = {
    1: ["The tower was built in 1703 by Ada Mol.", "It is 45.5 metres high {} Error: x."],
    2: ["Ghent has 3.2 million lamps.", "“Light is life,” said the keeper.", "灯塔高四十五米。"],
    3: ["The tower was built in 1703 by Ada Mol."],
}


def snapshot(number: int, *, origin: int | None = None, title: str = "") -> Snapshot:
    texts = TEXTS[number]
    source = Source(
        id=number,
        url=f"https://site{number}.example/page?a=1&b=({number})",
        title=title or f"Page {number}",
        site=f"Site {number}",
        author="Eve",
        date="2023-01-02",
        fetched_at=NOW,
        hash="ab" * 32,
        passages=len(texts),
        origin=origin,
    )
    passages = tuple(Passage(number=n, text=text) for n, text in enumerate(texts, start=1))
    return Snapshot(source=source, passages=passages)


SNAPSHOTS = {1: snapshot(1), 2: snapshot(2), 3: snapshot(3, origin=1)}


def finding(number: int, task: str, claim: str, *refs: str) -> Finding:
    passages = [PassageRef.parse(ref) for ref in refs]
    known = tuple(ref for ref in passages if ref)
    return Finding(
        id=f"f{number}",
        task=task,
        claim=claim,
        passages=known,
        quotes=tuple(TEXTS[ref.source][ref.passage - 1] for ref in known),
    )


F1 = finding(1, "t1", "Ada Mol built the tower in 1703.", "1.1", "3.1")
F2 = finding(2, "t1", "The tower is 45.5 metres high.", "1.2")
F3 = finding(3, "t2", "Ghent has 3.2 million lamps.", "2.1")
F4 = finding(4, "t2", "“Light is life,” said the keeper.", "2.2")
FINDINGS = (F1, F2, F3, F4)

PLAN = Plan(
    categories=(
        Category(
            name="History",
            tasks=(
                Task(id="t1", text="Who built it?", state=TaskState.DONE),
                Task(id="t3", text="Why did {x} | <b> fail?", state=TaskState.FAILED),
            ),
        ),
        Category(name="Today", tasks=(Task(id="t2", text="What now?", state=TaskState.DONE),)),
    )
)


def view(*, plan: Plan = PLAN) -> RunView:
    run = RunView()
    run.plan = plan
    run.sources = {number: snapshot.source for number, snapshot in SNAPSHOTS.items()}
    run.findings = {finding.id: finding for finding in FINDINGS}
    run.tasks = {
        "t1": TaskView("t1", state=TaskState.DONE, findings=("f1", "f2")),
        "t2": TaskView("t2", state=TaskState.DONE, findings=("f3", "f4")),
        "t3": TaskView("t3", state=TaskState.FAILED, reason="Every page was a wall."),
    }
    run.updated_at = NOW
    return run
