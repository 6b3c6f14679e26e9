"""Runs with claims in every state, written by hand through ``RunSession``."""

from __future__ import annotations

from leadline.domain import events as ev
from leadline.domain.claims import (
    Citation,
    Claim,
    ClaimCheck,
    ClaimScore,
    ClaimState,
    Conflict,
    ConflictKind,
    Judgement,
    ReportSentence,
    Verdict,
    Verification,
    fingerprint,
)
from leadline.domain.config import RunConfig
from leadline.domain.evidence import PassageRef
from leadline.domain.plan import Plan, TaskState
from leadline.domain.run import RunStatus, Usage
from leadline.runs.folder import RunFolder
from leadline.runs.session import RunSession
from tests.web.runs_by_hand import TOPIC, ByHand

REPORT = r"""# How well does the electric tidal ferry of Quorrow work?

The ferry carried 412,000 passengers in 2025 [\[1\]](sources/1.md#p2 "c1 disputed") *(disputed)*. It
left on time on 97 of 100 crossings [\[1\]](sources/1.md#p3 "c2 supported").

## Cost and funding

The two boats and both quays cost 38 million crowns [\[2\]](sources/2.md#p1 "c3 qualified")
*(superseded)*.

## References

1. [Quorrow Ferry: the year 2025](https://ferry.quorrow.example/4) · [stored text](sources/1.md)
2. [What the quays cost](https://gazette.quorrow.example/2) · [stored text](sources/2.md)

## Claims and their checks

| Claim | Statement | State | Why | Passages | Origins | Grade |
| --- | --- | --- | --- | --- | --- | --- |
| c1 | The ferry carried 412,000 passengers in 2025. | disputed |  |  | 1 | B |
| c2 | It left on time on 97 of 100 crossings. | supported |  |  | 1 | A |

---

*Written by the offline model: quotes chosen by rule, no language model was asked.*
"""

_SAID = (
    ("c1", "The ferry carried 412,000 passengers in 2025.", ((1, 2),), ClaimState.DISPUTED,
     "c4 says otherwise. They give 412000 and 389000 passenger for the same thing."),
    ("c2", "It left on time on 97 of 100 crossings.", ((1, 3), (2, 2)), ClaimState.SUPPORTED, ""),
    ("c3", "The two boats and both charging quays cost 38 million crowns.", ((2, 1),),
     ClaimState.QUALIFIED, "Superseded by c5."),
    ("c4", "The ferry carried 389,000 passengers in 2025.", ((2, 2),), ClaimState.DISPUTED,
     "c1 says otherwise. They give 412000 and 389000 passenger for the same thing."),
    ("c5", "Boats and quays cost 41 million crowns in the end.", ((2, 1),),
     ClaimState.SUPPORTED, ""),
    ("c6", "<b>The board</b> thanks the crews & the people.", ((1, 4),), ClaimState.CONTRADICTED,
     "Its own passages say otherwise."),
    ("c7", "The quay was closed for nineteen days.", ((2, 2),), ClaimState.UNVERIFIED,
     "The verifier gave no answer about it."),
)  # fmt: skip


class CheckedRuns(ByHand):
    """Runs whose claims are checked or are being checked."""

    def checked(self, task_id: str = "checked") -> RunFolder:
        """Ended with a report; one claim of each state but *not checked*."""
        folder = self.store.create(TOPIC, RunConfig(), task_id=task_id)
        with RunSession.acquire(folder) as session:
            plan = self._begin(session)
            self._research(session, plan)
            claims = self.merge(session, plan)
            for claim, (_, _, _, state, reason) in zip(claims, _SAID, strict=True):
                session.emit(ev.ClaimChecked(check=_check(claim, state, reason)))
            scores = tuple(_score(claim) for claim in claims[:-1])
            session.emit(ev.EvidenceScored(scores=scores, overall=61))
            session.set_status(RunStatus.WRITING)
            cited = PassageRef(source=1, passage=3)
            sentence = ReportSentence(
                section="",
                text="It left on time on 97 of 100 crossings",
                claims=("c2",),
                citations=(Citation(number=1, passage=cited),),
                state=ClaimState.SUPPORTED,
            )
            session.write_report(
                REPORT, citations=3, resolved=3, sources=2, template="thematic",
                sentences=(sentence,),
            )  # fmt: skip
            session.end(ev.RunFinished(status=RunStatus.DONE))
        return folder

    def being_checked(self, task_id: str = "being-checked") -> RunSession:
        """In the debate, two of seven claims checked; the caller ends the session."""
        config = RunConfig(verification=Verification.DEBATE)
        session = RunSession.acquire(self.store.create(TOPIC, config, task_id=task_id))
        plan = self._begin(session)
        self._research(session, plan)
        session.set_status(RunStatus.VERIFYING)
        claims = self.merge(session, plan)
        for claim in claims[1:3]:
            session.emit(ev.ClaimChecked(check=_check(claim, ClaimState.SUPPORTED, "")))
        usage = Usage(calls=3, input_tokens=900, output_tokens=80)
        session.emit(ev.ModelCalled(role="verifier", usage=usage, seconds=0.2, ok=True))
        for number, claim in enumerate(claims[:2], 1):
            text = f"What speaks against this: {claim.text}"
            session.emit(ev.TaskStarted(attempt=1, text=text, queries=("q",)), task=f"x{number}")
        found = session.record(
            task="x1",
            claim="The quay was closed for nineteen days in February.",
            passages=[PassageRef(source=2, passage=2)],
        )
        session.finish_task("x1", 1, TaskState.DONE, findings=[found.id])
        session.emit(ev.BrowserOpened(pid=7, live=1))
        session.emit(
            ev.WorkerMoved(worker="w1", activity="searching", query="punctual criticism"),
            task="x2",
        )
        return session

    @staticmethod
    def merge(session: RunSession, plan: Plan) -> tuple[Claim, ...]:
        """The claims of ``_SAID``, two of them at odds and one superseded."""
        tasks = [task.id for task in plan.tasks()]
        view = session.view
        claims = tuple(
            Claim(
                id=key,
                text=text,
                findings=tuple(view.findings),
                tasks=(tasks[number % 2], tasks[2])[: 1 + number % 2],
                passages=tuple(PassageRef(source=s, passage=p) for s, p in refs),
                quotes=tuple(_quote(session, s, p) for s, p in refs),
                origins=tuple(sorted({s for s, _ in refs})),
                date="2026-01-14",
            )
            for number, (key, text, refs, _, _) in enumerate(_SAID)
        )
        conflicts = (
            Conflict(
                kind=ConflictKind.SUPERSEDED, claims=("c3", "c5"), about="boat cost quay",
                reason="They give 38 and 41; the second is of 2026-01-14, the first of 2024-05-02.",
            ),
            Conflict(
                kind=ConflictKind.CONTRADICTION, claims=("c1", "c4"), about="ferri passeng",
                reason="They give 412000 and 389000 passenger for the same thing.",
            ),
        )  # fmt: skip
        session.emit(ev.ClaimsMerged(claims=claims, origins={1: 1, 2: 2}, conflicts=conflicts))
        return claims


def _quote(session: RunSession, source: int, passage: int) -> str:
    snapshot = session.folder.snapshot(source)
    found = snapshot.passage(passage) if snapshot else None
    assert found is not None
    return found.text


def _check(claim: Claim, state: ClaimState, reason: str) -> ClaimCheck:
    return ClaimCheck(
        claim=claim.id,
        state=state,
        reason=reason,
        usable=state is not ClaimState.CONTRADICTED,
        judgements=(Judgement(claim=claim.id, verdict=Verdict.SUPPORTS),),
        against={"c1": ("c4",), "c4": ("c1",)}.get(claim.id, ()),
        superseded_by="c5" if claim.id == "c3" else "",
        fingerprint=fingerprint(claim),
    )


def _score(claim: Claim) -> ClaimScore:
    strong = 5 if claim.id == "c2" else 3
    return ClaimScore(claim=claim.id, reliability=strong, verification=strong, coverage=strong)
