"""What happens in a run: one discriminated union, one line of ``audit.jsonl`` each.

The wire form is ``{"seq": 7, "ts": "…", "type": "page.read", "task": "t2", "data": {…}}``. The
log is the authority on a run: every view (page, terminal, history) is a projection of it. A
session of a run ends with exactly one of the four last events.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimScore,
    Conflict,
    Insights,
    ReportSentence,
)
from leadline.domain.evidence import Finding, Source
from leadline.domain.plan import Plan, TaskState
from leadline.domain.run import RunStatus, Usage


class EventBase(BaseModel):
    """Base of all events; ``type`` is the tag of the union."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RunStarted(EventBase):
    """A session of the run begins; ``session`` counts from 1, a resume adds one."""

    type: Literal["run.started"] = "run.started"
    session: int
    pid: int
    model: str
    engines: tuple[str, ...] = ()


class StatusChanged(EventBase):
    """The run moved on (planning, researching, verifying, writing, stopping)."""

    type: Literal["run.status"] = "run.status"
    status: RunStatus
    reason: str = ""


class PlanWritten(EventBase):
    """Leadline wrote the plan file; ``plan`` with ids is what later edits are compared with."""

    type: Literal["plan.written"] = "plan.written"
    plan: Plan
    origin: Literal["model", "fallback", "user", "given", "progress", "reflection"]


class TaskStarted(EventBase):
    """A task was taken up; ``attempt`` counts from 1."""

    type: Literal["task.started"] = "task.started"
    attempt: int
    text: str
    queries: tuple[str, ...]


class TaskFinished(EventBase):
    """A task ended. Written and synced before its box is ticked."""

    type: Literal["task.finished"] = "task.finished"
    attempt: int
    state: TaskState
    reason: str = Field("", description="Why it failed, or why it is not answered.")
    summary: str = ""
    findings: tuple[str, ...] = Field((), description="Ids of the findings that count for it.")
    by_user: bool = Field(False, description="Ticked by hand: nothing was researched for it.")


class WorkerMoved(EventBase):
    """A worker's card changes: what it does, where it is."""

    type: Literal["worker.moved"] = "worker.moved"
    worker: str
    activity: Literal[
        "waiting", "searching", "reading", "thinking", "browsing", "finished", "failed"
    ]
    query: str = ""
    url: str = ""
    title: str = ""
    step: int = 0
    detail: str = ""


class SearchDone(EventBase):
    """A query was answered by a back end."""

    type: Literal["search.done"] = "search.done"
    query: str
    engine: str
    results: int
    cached: bool = False


class PageRead(EventBase):
    """A page was read and stored as a source."""

    type: Literal["page.read"] = "page.read"
    source: Source
    cached: bool = False


class PageFailed(EventBase):
    """A page gave nothing: blocked by a wall, or unreadable."""

    type: Literal["page.failed"] = "page.failed"
    url: str
    reason: str
    blocked: bool


class FindingRecorded(EventBase):
    """A worker recorded a finding and code accepted it. Synced."""

    type: Literal["finding.recorded"] = "finding.recorded"
    finding: Finding


class ClaimsMerged(EventBase):
    """Findings were merged into claims. Replaces all claims before; what was checked of a claim
    that is still the same stands. ``origins`` maps each source to the origin it is counted as."""

    type: Literal["claims.merged"] = "claims.merged"
    claims: tuple[Claim, ...]
    origins: dict[int, int]
    conflicts: tuple[Conflict, ...] = ()


class ConflictFound(EventBase):
    """Two claims are at odds, or it was settled who is right. Replaces an earlier word on them."""

    type: Literal["conflict.found"] = "conflict.found"
    conflict: Conflict


class ClaimChecked(EventBase):
    """What the checks of one claim came to. Synced; a later one replaces it."""

    type: Literal["claim.checked"] = "claim.checked"
    check: ClaimCheck


class EvidenceScored(EventBase):
    """Cards, scores and insights were computed from the checked claims."""

    type: Literal["evidence.scored"] = "evidence.scored"
    cards: tuple[Card, ...] = ()
    scores: tuple[ClaimScore, ...] = ()
    overall: int = Field(0, ge=0, le=100)
    insights: Insights = Field(default_factory=Insights)


class BrowserOpened(EventBase):
    """A browser of the run is up; ``live`` counts them all, this one included."""

    type: Literal["browser.opened"] = "browser.opened"
    pid: int
    live: int


class BrowserClosed(EventBase):
    """A browser of the run and its process tree are gone."""

    type: Literal["browser.closed"] = "browser.closed"
    pid: int
    live: int


class ModelCalled(EventBase):
    """A model call ended, well or not."""

    type: Literal["model.called"] = "model.called"
    role: str
    usage: Usage
    seconds: float
    ok: bool
    attempts: int = 1
    detail: str = ""


class HostContacted(EventBase):
    """The first connection to a host in this run."""

    type: Literal["host.contacted"] = "host.contacted"
    host: str
    purpose: Literal["page", "search", "model"]


class Notice(EventBase):
    """One sentence a person should see; nothing failed because of it."""

    type: Literal["notice"] = "notice"
    message: str
    level: Literal["info", "warning"] = "info"


class ReportDelta(EventBase):
    """A piece of the report's draft, as it is written; ``section`` counts from 0."""

    type: Literal["report.delta"] = "report.delta"
    section: int
    heading: str
    text: str


class ReportReady(EventBase):
    """``report.md`` is in the folder. ``partial``: the run was stopped or failed before."""

    type: Literal["report.ready"] = "report.ready"
    citations: int
    resolved: int
    sources: int
    partial: bool = False
    template: str = ""
    sentences: tuple[ReportSentence, ...] = Field((), description="Every cited sentence of it.")
    sha256: str = Field("", description="Of the file's bytes, hexadecimal.")


class RunFinished(EventBase):
    """Last event: the run went to its end (done or empty), or halts after its plan."""

    type: Literal["run.finished"] = "run.finished"
    status: Literal[RunStatus.DONE, RunStatus.EMPTY, RunStatus.PLANNED]
    reason: str = ""


class RunStopped(EventBase):
    """Last event: its user stopped it."""

    type: Literal["run.stopped"] = "run.stopped"
    reason: str = ""


class RunFailed(EventBase):
    """Last event: it could not go on; what was found is kept."""

    type: Literal["run.failed"] = "run.failed"
    reason: str
    model_refused: bool = Field(
        False, description="The model's endpoint refused the key, the model's name or the request."
    )


LAST_EVENTS = (RunFinished, RunStopped, RunFailed)

Event = Annotated[
    RunStarted
    | StatusChanged
    | PlanWritten
    | TaskStarted
    | TaskFinished
    | WorkerMoved
    | SearchDone
    | PageRead
    | PageFailed
    | FindingRecorded
    | ClaimsMerged
    | ConflictFound
    | ClaimChecked
    | EvidenceScored
    | BrowserOpened
    | BrowserClosed
    | ModelCalled
    | HostContacted
    | Notice
    | ReportDelta
    | ReportReady
    | RunFinished
    | RunStopped
    | RunFailed,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class Entry(BaseModel):
    """One numbered line of the log. ``seq`` counts from 1 without gaps."""

    model_config = ConfigDict(frozen=True)

    seq: int
    ts: datetime
    task: str = ""
    event: Event

    def to_wire(self) -> dict[str, Any]:
        """The JSON object of the line."""
        data = self.event.model_dump(mode="json")
        return {
            "seq": self.seq,
            "ts": self.ts.isoformat(timespec="milliseconds"),
            "type": data.pop("type"),
            "task": self.task,
            "data": data,
        }

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Entry:
        """Read one line; raises ``ValidationError`` or ``KeyError`` when it is not one."""
        event = EVENT.validate_python({**wire["data"], "type": wire["type"]})
        return cls(seq=wire["seq"], ts=wire["ts"], task=wire.get("task") or "", event=event)
