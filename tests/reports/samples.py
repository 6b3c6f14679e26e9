"""A small run in memory: sources, findings, a plan and its view."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from leadline.domain.claims import Claim, ClaimCheck, ClaimState, fingerprint
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


def claim(number: int, text: str, *refs: str) -> Claim:
    """A claim that one finding of the same number came to."""
    known = tuple(ref for written in refs if (ref := PassageRef.parse(written)))
    return Claim(
        id=f"c{number}",
        text=text,
        findings=(f"f{number}",),
        passages=known,
        quotes=tuple(TEXTS[ref.source][ref.passage - 1] for ref in known),
        origins=tuple(dict.fromkeys(1 if ref.source == 3 else ref.source for ref in known)),
        date="2023-01-02",
    )


def finding(claim: Claim, task: str) -> Finding:
    """The finding that a claim came from."""
    return Finding(
        id=claim.findings[0],
        task=task,
        claim=claim.text,
        passages=claim.passages,
        quotes=claim.quotes,
    )


def check(claim: Claim, state: ClaimState = ClaimState.SUPPORTED, **more: Any) -> ClaimCheck:
    """What a check of this wording of a claim came to."""
    reason = "" if state is ClaimState.SUPPORTED else f"It is {state}."
    fields = {"reason": reason, "usable": state is not ClaimState.CONTRADICTED, **more}
    return ClaimCheck(claim=claim.id, state=state, fingerprint=fingerprint(claim), **fields)


C1 = claim(1, "Ada Mol built the tower in 1703.", "1.1", "3.1")
C2 = claim(2, "The tower is 45.5 metres high.", "1.2")
C3 = claim(3, "Ghent has 3.2 million lamps.", "2.1")
C4 = claim(4, "“Light is life,” said the keeper.", "2.2")
CLAIMS = (C1, C2, C3, C4)
TASKS = {"c1": "t1", "c2": "t1", "c3": "t2", "c4": "t2"}

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


def view(*, plan: Plan = PLAN, claims: Sequence[Claim] = CLAIMS) -> RunView:
    """A run whose claims are all supported."""
    run = RunView()
    run.plan = plan
    run.sources = {number: snapshot.source for number, snapshot in SNAPSHOTS.items()}
    run.findings = {c.findings[0]: finding(c, TASKS.get(c.id, "t1")) for c in claims}
    run.claims = {c.id: c for c in claims}
    run.checks = {c.id: check(c) for c in claims}
    of = {
        task: tuple(f.id for f in run.findings.values() if f.task == task) for task in ("t1", "t2")
    }
    run.tasks = {
        "t1": TaskView("t1", state=TaskState.DONE, findings=of["t1"]),
        "t2": TaskView("t2", state=TaskState.DONE, findings=of["t2"]),
        "t3": TaskView("t3", state=TaskState.FAILED, reason="Every page was a wall."),
    }
    run.updated_at = NOW
    return run


def set_state(run: RunView, claim_id: str, state: ClaimState, **more: Any) -> None:
    """Let the check of one claim of a run come to this."""
    run.checks = {**run.checks, claim_id: check(run.claims[claim_id], state, **more)}
