"""A whole run made by hand through ``RunSession``: claims, checks, conflicts, scores, a report.

It is what research, checks and writer leave behind, without any of them: two sessions, the second
after a stop; a plan that its user edited; sources that disagree; a report whose sentences all
stand in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leadline.domain import events as ev
from leadline.domain.claims import (
    Card,
    Challenge,
    Citation,
    Claim,
    ClaimCheck,
    ClaimScore,
    ClaimState,
    Confidence,
    Conflict,
    ConflictKind,
    Gate,
    Insights,
    Judgement,
    ReportSentence,
    Ruling,
    Severity,
    Verdict,
    fingerprint,
)
from leadline.domain.config import RunConfig
from leadline.domain.evidence import Finding, PageContent, Passage, PassageRef
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from leadline.runs.store import RunStore

TOPIC = "What did the tidal ferry of Quorrow cost, and who uses it?"
PLAN = Plan(
    categories=(
        Category(name="Use", tasks=(Task(text="How many people use it?"),)),
        Category(name="Cost", tasks=(Task(text="What did it cost?"), Task(text="Who paid?"))),
    )
)
TEXTS = (
    (
        "Quorrow Ferry looks back on its first full year.",
        "In 2025 the ferry carried 412,000 passengers, a third more than before.",
        "It left on time on 97 of 100 crossings.",
    ),
    (
        "The two boats and both quays cost 38.5 million crowns.",
        "The harbour fund paid half of it.",
    ),
    (
        "At 41 million crowns the ferry is the dearest in the county.",
        "Nobody at the ferry would speak to us.",
    ),
)
TITLES = ("The year 2025", "What the quays cost", "A *dear* ferry")
URLS = (
    "https://ferry.quorrow.example/2025",
    "https://gazette.quorrow.example/quays?page=2",
    "https://forum.quorrow.example/fähre",
)

REPORT = r"""# What did the tidal ferry of Quorrow cost, and who uses it?

*Research report of 2026-02-01*

## Use

The ferry carried 412,000 passengers in 2025 [\[1\]](sources/1.md#p2 "c1 supported"). In short,
it was on time on 97 of 100 crossings [\[1\]](sources/1.md#p3 "c2 supported").

## Cost

Boats and quays cost **38.5 million** crowns [\[2\]](sources/2.md#p1 "c3 disputed") *(disputed)*,
while others speak of 41 million [\[3\]](sources/3.md#p1 "c4 disputed") *(disputed)*.

| What | Who |
|---|---|
| Half of it | the harbour fund [\[2\]](sources/2.md#p2 "c5 supported") |

## References

1. [The year 2025](<https://ferry.quorrow.example/2025>) · ferry.quorrow.example · accessed 2026-02-01 · [stored text](sources/1.md)
2. [What the quays cost](<https://gazette.quorrow.example/quays?page=2>) · gazette.quorrow.example · [stored text](sources/2.md)
3. [A \*dear\* ferry](<https://forum.quorrow.example/fähre>) · forum.quorrow.example · <https://forum.quorrow.example/fähre> · [stored text](sources/3.md)

---

*Written by the hand of a test.*
"""  # noqa: E501 - a reference is one line


def ref(source: int, passage: int) -> PassageRef:
    return PassageRef(source=source, passage=passage)


def cite(number: int, source: int, passage: int) -> Citation:
    return Citation(number=number, passage=ref(source, passage))


SENTENCES = (
    ReportSentence(
        section="Use",
        text="The ferry carried 412,000 passengers in 2025.",
        claims=("c1",),
        citations=(cite(1, 1, 2),),
        state=ClaimState.SUPPORTED,
    ),
    ReportSentence(
        section="Use",
        text="In short, it was on time on 97 of 100 crossings.",
        claims=("c2",),
        citations=(cite(1, 1, 3),),
        state=ClaimState.SUPPORTED,
    ),
    ReportSentence(
        section="Cost",
        text="Boats and quays cost 38.5 million crowns, while others speak of 41 million.",
        claims=("c3", "c4"),
        citations=(cite(2, 2, 1), cite(3, 3, 1)),
        state=ClaimState.DISPUTED,
    ),
    ReportSentence(
        section="Cost",
        text="Half of it | the harbour fund",
        claims=("c5",),
        citations=(cite(2, 2, 2),),
        state=ClaimState.SUPPORTED,
    ),
)
STATEMENTS = (
    ("The ferry carried 412,000 passengers in 2025.", ref(1, 2)),
    ("The ferry left on time on 97 of 100 crossings.", ref(1, 3)),
    ("Boats and quays cost 38.5 million crowns.", ref(2, 1)),
    ("The ferry cost 41 million crowns.", ref(3, 1)),
    ("The harbour fund paid half of the ferry.", ref(2, 2)),
)


def whole_run(
    root: Path,
    task_id: str = "whole",
    *,
    config: RunConfig | None = None,
    report: str = REPORT,
    sentences: Sequence[ReportSentence] = SENTENCES,
    session_type: type[RunSession] = RunSession,
) -> RunFolder:
    """A run that was stopped once, went on, and ended with a report."""
    folder = RunStore(root).create(TOPIC, config or RunConfig(), task_id=task_id)
    with session_type.acquire(folder) as session:
        _first_session(session)
        session.end(ev.RunStopped(reason="Stopped by its user."))
    with session_type.acquire(folder) as session:
        _second_session(session)
        session.set_status(RunStatus.WRITING)
        session.emit(ev.ReportDelta(section=0, heading="Use", text="The ferry "))
        session.emit(ev.ReportDelta(section=0, heading="", text="carried 412,000 \ud83d."))
        session.write_report(
            report, citations=5, resolved=5, sources=3, template="thematic", sentences=sentences
        )
        session.end(ev.RunFinished(status=RunStatus.DONE))
    return folder


def _first_session(session: RunSession) -> None:
    started(session)
    session.write_plan(PLAN, "model")
    session.set_status(RunStatus.RESEARCHING)
    session.emit(ev.HostContacted(host="ferry.quorrow.example", purpose="page"))
    session.emit(ev.BrowserOpened(pid=7, live=1))
    begin(session, "t1")
    session.emit(
        ev.WorkerMoved(worker="w1", activity="reading", query="q", url=URLS[0], step=2), task="t1"
    )
    add(session, 0, "t1")
    session.emit(ev.PageFailed(url="https://x.example/", reason="captcha", blocked=True), task="t1")
    claims = [record(session, "t1", 0), record(session, "t1", 1)]
    session.finish_task("t1", 1, TaskState.DONE, summary="Many.", findings=[c.id for c in claims])
    begin(session, "t2")
    add(session, 1, "t2")
    record(session, "t2", 2)
    plan = session.folder.file("research_plan.md")
    text = plan.read_text("utf-8")
    plan.write_text(text.replace("Who paid?", "Who paid for it?") + "- [ ] Who rows?\n", "utf-8")
    assert session.take_plan_edits() is not None
    session.finish_task("t2", 1, TaskState.OPEN, "Stopped in the middle.")
    session.emit(ev.BrowserClosed(pid=7, live=0))


def _second_session(session: RunSession) -> None:
    started(session)
    session.set_status(RunStatus.RESEARCHING)
    begin(session, "t2", 2)
    add(session, 2, "t2")
    record(session, "t2", 3)
    session.finish_task("t2", 2, TaskState.DONE, findings=["f3", "f4"])
    begin(session, "t3")
    record(session, "t3", 4)
    session.finish_task("t3", 1, TaskState.DONE, findings=["f5"])
    assert session.view.plan is not None
    last = list(session.view.plan.tasks())[-1].id
    session.finish_task(last, 1, TaskState.FAILED, "No page says it.")
    session.set_status(RunStatus.VERIFYING)
    session.emit(ev.Notice(message="Two sources disagree.", level="warning"))
    check(session)


def started(session: RunSession) -> None:
    session.emit(
        ev.RunStarted(session=session.number, pid=1, model="a-model", engines=("demo", "bing"))
    )


def begin(session: RunSession, task: str, attempt: int = 1) -> None:
    text = session.view.tasks[task].text
    session.emit(ev.TaskStarted(attempt=attempt, text=text, queries=(text,)), task=task)
    session.emit(ev.SearchDone(query=text, engine="demo", results=3), task=task)
    usage = Usage(calls=1, input_tokens=10, output_tokens=2, cost_usd=0.1)
    session.emit(ev.ModelCalled(role="worker", usage=usage, seconds=0.25, ok=True), task=task)


def add(session: RunSession, index: int, task: str) -> None:
    page = PageContent(
        url=URLS[index],
        passages=tuple(Passage(number=n, text=text) for n, text in enumerate(TEXTS[index], 1)),
        title=TITLES[index],
        site=URLS[index].split("/")[2],
        date=f"2026-01-0{index + 1}",
        language="en",
    )
    session.add(page, task=task)


def record(session: RunSession, task: str, index: int) -> Finding:
    text, passage = STATEMENTS[index]
    return session.record(task=task, claim=text, passages=[passage])


def check(session: RunSession) -> None:
    """What the checks leave: claims, a conflict, a check each, scores."""
    claims = [
        Claim(
            id=finding.id.replace("f", "c"),
            text=finding.claim,
            findings=(finding.id,),
            tasks=(finding.task,),
            passages=finding.passages,
            quotes=finding.quotes,
            origins=(finding.passages[0].source,),
            date="2026-01-02",
            confidence=Confidence.MEDIUM,
        )
        for finding in session.view.findings.values()
    ]
    session.emit(ev.ClaimsMerged(claims=tuple(claims), origins={1: 1, 2: 2, 3: 3}))
    conflict = Conflict(
        kind=ConflictKind.CONTRADICTION,
        claims=("c3", "c4"),
        about="the cost",
        reason="38.5 million against 41 million for the same boats.",
    )
    session.emit(ev.ConflictFound(conflict=conflict))
    for claim in claims:
        session.emit(ev.ClaimChecked(check=_check_of(claim)))
    scores = tuple(
        ClaimScore(claim=claim.id, reliability=4, verification=5, coverage=2) for claim in claims
    )
    gate = Gate(score=80, findings=5, accepted=True)
    session.emit(
        ev.EvidenceScored(
            cards=(Card(perspective="Use", claims=("c1", "c2"), gate=gate),),
            scores=scores,
            overall=74,
            insights=Insights(
                contradictions=(conflict,), blind_spots=("Who rows?",), time_sensitive=("c3",)
            ),
        )
    )


def _check_of(claim: Claim) -> ClaimCheck:
    at_odds = {"c3": "c4", "c4": "c3"}.get(claim.id)
    objection = Challenge(
        claim=claim.id,
        challenge="A later page names another sum.",
        severity=Severity.MODERATE,
        passages=(ref(3, 1),),
        ruling=Ruling.DISPUTED,
    )
    return ClaimCheck(
        claim=claim.id,
        state=ClaimState.DISPUTED if at_odds else ClaimState.SUPPORTED,
        reason="Sources give different sums." if at_odds else "",
        usable=True,
        judgements=(Judgement(claim=claim.id, verdict=Verdict.SUPPORTS, passages=claim.passages),),
        challenges=(objection,) if claim.id == "c3" else (),
        against=(at_odds,) if at_odds else (),
        fingerprint=fingerprint(claim),
    )
