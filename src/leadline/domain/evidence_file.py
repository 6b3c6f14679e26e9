"""``evidence.json``: what a run found, checked and wrote, in one file with a version.

Invariant: ``evidence_of`` is the only maker of the file and a pure function of the run's log and
its ``run.json``, so whoever has both can make it anew and compare. It is written for other
programs and for people; Leadline itself goes by the log. ``docs/evidence.md`` explains it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leadline.domain.claim_merge import merge_findings
from leadline.domain.claims import (
    Card,
    Challenge,
    Claim,
    ClaimScore,
    ClaimState,
    Confidence,
    Conflict,
    Insights,
    Judgement,
    ReportSentence,
    Verification,
    fingerprint,
)
from leadline.domain.config import Profile
from leadline.domain.evidence import Finding, PassageRef, Source
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord, RunStatus, Usage
from leadline.errors import UserError

EVIDENCE_FORMAT: Literal[2] = 2
"""Version of the file; 1 had findings alone and no version in it."""

_NEVER_CHECKED = "The run ended before it was checked."


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class RunPart(_Part):
    """The run that the evidence is of."""

    id: str
    topic: str
    status: RunStatus
    reason: str = Field("", description="Why it ended so, in a sentence; empty when obvious.")
    model: str = Field("", description="The model of its last session.")
    engines: tuple[str, ...] = Field((), description="Search back ends, in the order tried.")
    profile: Profile
    verification: Verification = Field(description="How far claims were checked beyond code.")
    template: str = Field("", description="Layout of the report; empty: none was named.")
    language: str = Field("", description="Language asked for; empty: the topic's own.")
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    seconds: float = Field(description="Time at work, over all sessions.")
    usage: Usage
    usage_by_role: dict[str, Usage] = Field(default_factory=dict)


class SourcePart(Source):
    """A source that was read, and the origin that it is counted as."""

    counted_as: int = Field(description="Id of its independent origin; copies share one.")


class QuotedPassage(_Part):
    """A stored passage, its words, and where they stand."""

    ref: str = Field(description="``3.12``: passage 12 of source 3, in ``sources/3.md``.")
    quote: str = Field(description="The passage's text, as stored.")
    url: str = ""
    title: str = ""
    date: str = Field("", description="ISO date of the source, as far as it tells.")


class FindingPart(_Part):
    """What one task saw."""

    id: str
    task: str
    counts: bool = Field(description="Whether its task counts it; False: noted and left out.")
    claim: str
    passages: tuple[QuotedPassage, ...]


class ClaimPart(_Part):
    """One statement with all passages that carry it and what the checks came to."""

    id: str
    text: str
    findings: tuple[str, ...]
    tasks: tuple[str, ...] = ()
    passages: tuple[QuotedPassage, ...]
    origins: tuple[int, ...] = Field((), description="Independent origins, by source id.")
    date: str = Field("", description="ISO date of its newest dated source.")
    confidence: Confidence
    state: ClaimState
    reason: str = Field("", description="Why the state is what it is; empty when supported.")
    usable: bool = Field(description="Whether the report may state it.")
    judgements: tuple[Judgement, ...] = ()
    challenges: tuple[Challenge, ...] = ()
    against: tuple[str, ...] = Field((), description="Claims it is in open conflict with.")
    superseded_by: str = Field("", description="A newer claim that replaces it.")
    score: ClaimScore | None = Field(None, description="None: it was not scored.")


class ReferencePart(_Part):
    """A line of the report's list of references."""

    number: int = Field(ge=1)
    source: int = Field(ge=1)
    title: str = ""
    url: str


class ReportPart(_Part):
    """``report.md``: its hash, its cited sentences, its references."""

    sha256: str = Field("", description="Of the file's bytes, hexadecimal.")
    partial: bool = False
    citations: int = Field(description="Citations in it, counted by the writer.")
    resolved: int = Field(description="Those of them that lead to a stored passage.")
    sentences: tuple[ReportSentence, ...] = ()
    references: tuple[ReferencePart, ...] = Field(
        (), description="Numbers that its sentences cite, each with its source."
    )


class EvidenceFile(_Part):
    """The whole file."""

    format: Literal[2] = EVIDENCE_FORMAT
    run: RunPart
    sources: tuple[SourcePart, ...] = ()
    findings: tuple[FindingPart, ...] = ()
    claims: tuple[ClaimPart, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    cards: tuple[Card, ...] = ()
    insights: Insights = Field(default_factory=Insights)
    counts: dict[ClaimState, int] = Field(description="How many claims stand in each state.")
    overall_score: int | None = Field(None, description="0 to 100; None: nothing was scored.")
    report: ReportPart | None = Field(None, description="None: there is no report yet.")


def evidence_of(view: RunView, record: RunRecord) -> EvidenceFile:
    """The evidence of a run, from its log and its ``run.json``."""
    claims = tuple(_claim(view, claim) for claim in _claims_of(view))
    states = Counter(claim.state for claim in claims)
    return EvidenceFile(
        run=_run(view, record),
        sources=tuple(
            SourcePart(**dict(source), counted_as=_origin(view, source))
            for source in view.sources.values()
        ),
        findings=tuple(_finding(view, finding) for finding in view.findings.values()),
        claims=claims,
        conflicts=view.conflicts,
        cards=view.cards,
        insights=view.insights,
        counts={state: states[state] for state in ClaimState},
        overall_score=view.overall_score,
        report=_report(view),
    )


def read_evidence(content: bytes) -> EvidenceFile:
    """The content of an ``evidence.json``.

    Raises :class:`UserError` for a file of an earlier or newer version, and for what is none.
    """
    try:
        return EvidenceFile.model_validate_json(content)
    except ValidationError as error:
        raise UserError(_why_unreadable(content)) from error


def _why_unreadable(content: bytes) -> str:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return "evidence.json is not JSON; put back a good copy of the file."
    if isinstance(value, dict):
        number = value.get("format", 1 if "findings" in value else None)
        if isinstance(number, int) and number < EVIDENCE_FORMAT:
            return (
                "evidence.json was written by an earlier version of Leadline and lists findings "
                "alone; resume the run, or export it again, to have it written anew."
            )
        if isinstance(number, int) and number > EVIDENCE_FORMAT:
            return (
                "evidence.json was written by a newer version of Leadline; "
                "update Leadline to read it."
            )
    return "evidence.json is not the evidence of a run; put back a good copy of the file."


def _run(view: RunView, record: RunRecord) -> RunPart:
    ready = view.report_ready
    return RunPart(
        id=record.task_id,
        topic=record.topic,
        status=record.status,
        reason=record.reason,
        model=view.model,
        engines=view.engines,
        profile=record.config.profile,
        verification=record.config.verification,
        template=ready.template if ready else "",
        language=record.config.report_language,
        created_at=record.created_at,
        started_at=record.started_at,
        ended_at=record.ended_at,
        seconds=record.seconds,
        usage=view.usage,
        usage_by_role=dict(view.usage_by_role),
    )


def _origin(view: RunView, source: Source) -> int:
    return view.origins.get(source.id, source.origin or source.id)


def _quoted(
    view: RunView, refs: Sequence[PassageRef], quotes: Iterable[str]
) -> tuple[QuotedPassage, ...]:
    rows: list[QuotedPassage] = []
    for ref, quote in zip(refs, quotes, strict=False):
        source = view.sources.get(ref.source)
        told = {"url": source.url, "title": source.title, "date": source.date} if source else {}
        rows.append(QuotedPassage(ref=str(ref), quote=quote, **told))
    return tuple(rows)


def _finding(view: RunView, finding: Finding) -> FindingPart:
    task = view.tasks.get(finding.task)
    return FindingPart(
        id=finding.id,
        task=finding.task,
        counts=task is not None and finding.id in task.findings,
        claim=finding.claim,
        passages=_quoted(view, finding.passages, finding.quotes),
    )


def _claims_of(view: RunView) -> Iterable[Claim]:
    """The claims of a run; merged here for a report that was written before all were."""
    covered = {finding for claim in view.claims.values() for finding in claim.findings}
    counted = view.counted_findings()
    if view.report_ready is None or covered.issuperset(finding.id for finding in counted):
        return view.claims.values()
    return merge_findings(counted, view.sources, view.origins)


def _claim(view: RunView, claim: Claim) -> ClaimPart:
    check = view.checks.get(claim.id)
    if check is not None and check.fingerprint not in ("", fingerprint(claim)):
        check = None
    return ClaimPart(
        id=claim.id,
        text=claim.text,
        findings=claim.findings,
        tasks=claim.tasks,
        passages=_quoted(view, claim.passages, claim.quotes),
        origins=claim.origins,
        date=claim.date,
        confidence=claim.confidence,
        state=check.state if check else ClaimState.NOT_CHECKED,
        reason=check.reason if check else _NEVER_CHECKED,
        usable=check is None or check.usable,
        judgements=check.judgements if check else (),
        challenges=check.challenges if check else (),
        against=check.against if check else (),
        superseded_by=check.superseded_by if check else "",
        score=view.scores.get(claim.id),
    )


def _report(view: RunView) -> ReportPart | None:
    ready = view.report_ready
    if ready is None:
        return None
    cited = {c.number: c.passage.source for s in ready.sentences for c in s.citations}
    return ReportPart(
        sha256=ready.sha256,
        partial=ready.partial,
        citations=ready.citations,
        resolved=ready.resolved,
        sentences=ready.sentences,
        references=tuple(
            ReferencePart(number=number, source=source.id, title=source.title, url=source.url)
            for number, source_id in sorted(cited.items())
            if (source := view.sources.get(source_id))
        ),
    )
