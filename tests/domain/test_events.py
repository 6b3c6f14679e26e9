"""The wire form of the log: one JSON object a line, read back as what was written."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import get_args

import pytest
from pydantic import ValidationError

from leadline.domain import events as ev
from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimScore,
    ClaimState,
    Conflict,
    ConflictKind,
    Insights,
    Judgement,
    Verdict,
    fingerprint,
)
from leadline.domain.evidence import Finding, PassageRef, Source
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.run import RunStatus, Usage

NOW = datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
SOURCE = Source(id=1, url="https://a.example/", title="{} Error:", fetched_at=NOW, hash="0" * 64)
FINDING = Finding(
    id="f1",
    task="t1",
    claim="灯塔 \u2028 is old.",
    passages=(PassageRef(source=1, passage=2),),
    quotes=("“old”",),
)
CLAIM = Claim(
    id="c1", text=FINDING.claim, findings=("f1",), passages=FINDING.passages, quotes=FINDING.quotes
)
CHECK = ClaimCheck(
    claim="c1",
    state=ClaimState.SUPPORTED,
    usable=True,
    judgements=(Judgement(claim="c1", verdict=Verdict.SUPPORTS, passages=CLAIM.passages),),
    fingerprint=fingerprint(CLAIM),
)
CONFLICT = Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="412 and 389.")
PLAN = Plan(categories=(Category(name="A", tasks=(Task(id="t1", text="x", queries=("q",)),)),))

SAMPLES: list[ev.Event] = [
    ev.RunStarted(session=1, pid=2, model="offline", engines=("demo",)),
    ev.StatusChanged(status=RunStatus.RESEARCHING),
    ev.PlanWritten(plan=PLAN, origin="model"),
    ev.TaskStarted(attempt=1, text="x", queries=("q",)),
    ev.TaskFinished(attempt=1, state=TaskState.DONE, findings=("f1",)),
    ev.WorkerMoved(worker="w1", activity="reading", url="https://a.example/"),
    ev.SearchDone(query="q", engine="demo", results=3),
    ev.PageRead(source=SOURCE),
    ev.PageFailed(url="https://b.example/", reason="captcha", blocked=True),
    ev.FindingRecorded(finding=FINDING),
    ev.ClaimsMerged(claims=(CLAIM,), origins={1: 1, 2: 1}, conflicts=(CONFLICT,)),
    ev.ConflictFound(conflict=CONFLICT),
    ev.ClaimChecked(check=CHECK),
    ev.EvidenceScored(
        cards=(Card(perspective="A", claims=("c1",)),),
        scores=(ClaimScore(claim="c1", reliability=3, verification=5, coverage=2),),
        overall=66,
        insights=Insights(contradictions=(CONFLICT,)),
    ),
    ev.BrowserOpened(pid=5, live=1),
    ev.BrowserClosed(pid=5, live=0),
    ev.ModelCalled(role="planner", usage=Usage(calls=1), seconds=0.5, ok=True),
    ev.HostContacted(host="a.example", purpose="page"),
    ev.Notice(message="Look."),
    ev.ReportDelta(section=0, heading="A", text="x\ny"),
    ev.ReportReady(citations=2, resolved=2, sources=1),
    ev.RunFinished(status=RunStatus.DONE),
    ev.RunStopped(reason="by you"),
    ev.RunFailed(reason="no model"),
]


def union() -> set[type[ev.EventBase]]:
    return set(get_args(get_args(ev.Event)[0]))


def test_every_event_has_a_sample_and_a_tag_of_its_own() -> None:
    assert {type(sample) for sample in SAMPLES} == union()
    tags = [sample.type for sample in SAMPLES]
    assert len(set(tags)) == len(tags)
    assert all(re.fullmatch(r"[a-z]+(\.[a-z]+)?", tag) for tag in tags)


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event.type)
def test_an_entry_survives_its_line(event: ev.Event) -> None:
    entry = ev.Entry(seq=7, ts=NOW, task="t1", event=event)
    line = json.dumps(entry.to_wire(), ensure_ascii=False)
    assert "\n" not in line
    wire = json.loads(line)
    assert set(wire) == {"seq", "ts", "type", "task", "data"}
    assert wire["type"] == event.type
    assert "type" not in wire["data"]
    again = ev.Entry.from_wire(wire)
    assert again.event == event
    assert (again.seq, again.task) == (7, "t1")
    assert abs((again.ts - NOW).total_seconds()) < 0.001


def test_a_field_of_a_later_version_is_no_error() -> None:
    wire = ev.Entry(seq=1, ts=NOW, event=ev.Notice(message="x")).to_wire()
    wire["data"]["colour"] = "red"
    del wire["task"]
    assert ev.Entry.from_wire(wire).event == ev.Notice(message="x")


@pytest.mark.parametrize(
    "wire",
    [
        {"seq": 1, "ts": "2024-05-06T07:08:09Z", "type": "no.such", "data": {}},
        {"seq": 1, "ts": "2024-05-06T07:08:09Z", "type": "notice", "data": {}},
        {"seq": 1, "ts": "yesterday", "type": "notice", "data": {"message": "x"}},
        {"seq": 1, "ts": "2024-05-06T07:08:09Z", "data": {"message": "x"}},
        {"type": "notice", "ts": "2024-05-06T07:08:09Z", "data": {"message": "x"}},
    ],
)
def test_a_line_that_is_no_entry_is_refused(wire: dict[str, object]) -> None:
    with pytest.raises((ValidationError, KeyError)):
        ev.Entry.from_wire(wire)


def test_the_last_events_name_an_end() -> None:
    assert set(ev.LAST_EVENTS) <= union()
    with pytest.raises(ValidationError):
        ev.RunFinished.model_validate({"status": "failed"})
