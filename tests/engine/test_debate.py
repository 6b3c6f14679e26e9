"""Debates: who is asked, when they end early, and what their failures change (S3-34 to S3-41)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.claims import Challenge, ClaimState, Ruling, Severity, Verdict, Verification
from leadline.domain.config import ModelRole
from leadline.domain.evidence_file import read_evidence
from leadline.domain.run import RunStatus
from leadline.engine.graph import run_graph
from leadline.errors import ModelUnavailable
from leadline.models.debate_requests import (
    AdjudicateRequest,
    ChallengeRequest,
    CounterSearch,
    RebuttalRequest,
    RefuteRequest,
)
from leadline.models.offline import OfflineModel
from leadline.models.verification_requests import VerifyAnswer, VerifyRequest
from tests.engine.rig import Bench, Rig, a_plan, found
from tests.engine.test_verification import FACTS, configured, reads

NOISE = FACTS["Noise"][0]
LATE = FACTS["Timetable"][0]
Challenges = Callable[[ChallengeRequest], Sequence[Challenge]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


class Debaters(OfflineModel):
    """Everybody of a debate in one model; ``asked`` is the order in which they were asked."""

    def __init__(
        self,
        *,
        doubt: str = "",
        challenges: Challenges = lambda _: (),
        ruling: Ruling | None = Ruling.ACCEPTED,
        searches: bool = False,
        winner: int | None = None,
        broken: type[Any] | None = None,
    ) -> None:
        super().__init__()
        self.doubt, self.challenges, self.ruling = doubt, challenges, ruling
        self.searches, self.winner, self.broken = searches, winner, broken
        self.asked: list[str] = []

    async def ask(self, request: Any) -> Any:
        self.asked.append(type(request).__name__.removesuffix("Request"))
        if self.broken and isinstance(request, self.broken):
            raise ModelUnavailable("Nobody answers.")
        match request:
            case VerifyRequest():
                return self._verdicts(await super().ask(request))
            case RefuteRequest():
                wanted = request.claims[:1] if self.searches else ()
                return tuple(CounterSearch(claim=c.id, query="official figure") for c in wanted)
            case ChallengeRequest():
                return tuple(self.challenges(request))
            case RebuttalRequest():
                if self.ruling is None:
                    raise ModelUnavailable("Nobody answers.")
                return tuple(
                    c.model_copy(update={"ruling": self.ruling}) for c in request.challenges
                )
            case AdjudicateRequest() if self.winner is not None:
                won = request.conflict.claims[self.winner]
                changed = {"settled_for": won, "settled_by": "The final count says so."}
                return request.conflict.model_copy(update=changed)
            case _:
                return await super().ask(request)

    def _verdicts(self, answer: VerifyAnswer) -> VerifyAnswer:
        weaker = {"verdict": Verdict.QUALIFIES, "reason": "Only by day."}
        said = [
            j.model_copy(update=weaker) if j.claim == self.doubt else j for j in answer.judgements
        ]
        return VerifyAnswer(judgements=tuple(said))


def against_first(request: ChallengeRequest) -> Sequence[Challenge]:
    last = request.passages[-1].ref
    return [
        Challenge(
            claim=request.claims[0].id, challenge="A test says otherwise.",
            severity=Severity.CRITICAL, passages=(last,),
        )
    ]  # fmt: skip


async def debated(bench: Bench, model: Debaters, *tasks: str) -> Rig:
    folder = bench.run(configured(Verification.DEBATE), a_plan(*[[t] for t in tasks or ("Noise",)]))

    async def work(rig: Rig, order: Any) -> Any:
        return await (reads if order.task.text in FACTS else found)(rig, order)

    with bench.session(folder, work, model=model) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.DONE
        return rig


def state_of(rig: Rig, text: str) -> ClaimState:
    view = rig.session.view
    return next(view.checks[c.id].state for c in view.claims.values() if c.text == text)


async def test_s3_36_a_supported_card_of_no_weight_ends_after_round_one(bench: Bench) -> None:
    model = Debaters()
    rig = await debated(bench, model, "Noise")
    assert [a for a in model.asked if a != "Reflect"] == ["Verify"]
    assert state_of(rig, NOISE) is ClaimState.SUPPORTED


async def test_w3_7_a_number_on_one_origin_is_attacked_though_it_was_verified(bench: Bench) -> None:
    model = Debaters(challenges=against_first)
    rig = await debated(bench, model, "Timetable")
    assert model.asked[-4:] == ["Verify", "Refute", "Challenge", "Rebuttal"]
    assert state_of(rig, LATE) is ClaimState.CONTRADICTED


async def test_s3_37_without_a_challenge_nobody_rebuts(bench: Bench) -> None:
    model = Debaters(doubt="c1")
    rig = await debated(bench, model, "Noise")
    assert model.asked[-3:] == ["Verify", "Refute", "Challenge"]
    assert state_of(rig, NOISE) is ClaimState.QUALIFIED


@pytest.mark.parametrize(
    ("ruling", "state"),
    [
        (Ruling.REJECTED, ClaimState.SUPPORTED),
        (Ruling.DISPUTED, ClaimState.DISPUTED),
        (Ruling.ACCEPTED, ClaimState.CONTRADICTED),
        (None, ClaimState.DISPUTED),
    ],
)
async def test_s3_38_rulings_decide_and_a_missing_one_leaves_the_challenge_standing(
    bench: Bench, ruling: Ruling | None, state: ClaimState
) -> None:
    rig = await debated(bench, Debaters(challenges=against_first, ruling=ruling), "Timetable")
    assert state_of(rig, LATE) is state


async def test_a_refuter_searches_with_browsers_and_its_finds_are_no_part_of_the_report(
    bench: Bench,
) -> None:
    model = Debaters(searches=True, challenges=against_first)
    rig = await debated(bench, model, "Timetable")
    (order,) = [o for o in rig.orders if o.task.id == "x1"]
    assert order.query == "official figure"
    (challenge,) = rig.session.view.checks["c1"].challenges
    assert challenge.passages[0].source == 2  # what the search found was shown to the refuter
    view = rig.session.view
    assert "x1" in view.tasks and view.plan and view.plan.task("x1") is None
    assert all(f.task != "x1" for f in view.counted_findings())
    assert "What speaks against" not in (rig.folder.plan_text() or "")


@pytest.mark.parametrize("broken", [RefuteRequest, ChallengeRequest])
async def test_a_debate_that_fails_changes_nothing_and_says_so(bench: Bench, broken: Any) -> None:
    rig = await debated(bench, Debaters(challenges=against_first, broken=broken), "Timetable")
    assert state_of(rig, LATE) is ClaimState.SUPPORTED
    assert any("ended early" in n.message for n in rig.session.view.notices)


async def test_s3_41_a_contradiction_goes_to_the_adjudicator(bench: Bench) -> None:
    rig = await debated(bench, Debaters(winner=0), "Passengers")
    first, second = FACTS["Passengers"]
    assert state_of(rig, first) is ClaimState.SUPPORTED
    assert state_of(rig, second) is ClaimState.CONTRADICTED
    (conflict,) = rig.session.view.conflicts
    assert conflict.settled_by == "The final count says so."


@pytest.mark.parametrize("broken", [None, AdjudicateRequest])
async def test_without_a_settlement_both_sides_stay_disputed(bench: Bench, broken: Any) -> None:
    rig = await debated(bench, Debaters(broken=broken), "Passengers")
    assert {state_of(rig, text) for text in FACTS["Passengers"]} == {ClaimState.DISPUTED}


async def test_cards_are_debated_side_by_side_and_each_role_has_its_model(bench: Bench) -> None:
    """S3-34, W3-7: and a model of its own for each role."""
    folder = bench.run(configured(Verification.DEBATE), a_plan(["Timetable"], ["Passengers"]))
    main, refuter = Debaters(), Debaters(challenges=against_first)
    with bench.session(folder, reads, model=main) as rig:
        rig.by_role = {ModelRole.REFUTER: refuter}
        await run_graph(rig.context)
    assert sorted(refuter.asked) == ["Challenge", "Challenge", "Refute", "Refute"]
    assert "Refute" not in main.asked
    assert main.asked.count("Rebuttal") == 2


async def test_s3_34_cards_do_not_wait_for_each_other(bench: Bench) -> None:
    """Both refuters are at work before either has answered."""
    both = asyncio.Barrier(2)

    class Meeting(Debaters):
        async def ask(self, request: Any) -> Any:
            if isinstance(request, RefuteRequest):
                async with asyncio.timeout(10):
                    await both.wait()
            return await super().ask(request)

    folder = bench.run(configured(Verification.DEBATE), a_plan(["Timetable"], ["Passengers"]))
    with bench.session(folder, reads, model=Meeting()) as rig:
        await run_graph(rig.context)
        assert not [n for n in rig.session.view.notices if "ended early" in n.message]


async def test_s3_39_the_record_of_a_debate_names_claim_state_words_and_objections(
    bench: Bench,
) -> None:
    """Under Leadline's names: docs/systems.md."""
    model = Debaters(challenges=against_first, ruling=Ruling.DISPUTED)
    rig = await debated(bench, model, "Timetable")
    evidence = read_evidence(rig.folder.file("evidence.json").read_bytes())
    (card,) = evidence.cards
    (entry,) = evidence.claims
    assert (card.perspective, card.claims, entry.id) == ("Part 1", ("c1",), "c1")
    assert (entry.state, entry.usable) == (ClaimState.DISPUTED, True)
    assert entry.reason == "A test says otherwise."
    assert [j.verdict for j in entry.judgements] == [Verdict.SUPPORTS]
    assert [(c.severity, c.ruling) for c in entry.challenges] == [
        (Severity.CRITICAL, Ruling.DISPUTED)
    ]
    assert not rig.session.view.checks["c1"].resolved
    assert entry.score and entry.score.verification == 2


async def test_s3_40_a_card_without_findings_is_not_asked_about(bench: Bench) -> None:
    async def empty(_rig: Rig, _order: Any) -> WorkerResult:
        return WorkerResult(missing="No page says it.")

    model = Debaters()
    folder = bench.run(configured(Verification.DEBATE), a_plan(["Lost"], ["Gone"]))
    with bench.session(folder, empty, model=model) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.EMPTY
        assert [card.claims for card in rig.session.view.cards] == [(), ()]
    assert [kind for kind in model.asked if kind != "Reflect"] == []


async def test_what_is_left_out_by_the_limit_is_said(bench: Bench) -> None:
    """users.md: a cap must not starve some questions silently."""
    config = configured(Verification.DEBATE)
    limits = config.limits.model_copy(update={"debate_claims": 1})
    folder = bench.run(config.model_copy(update={"limits": limits}), a_plan(["Passengers"]))
    with bench.session(folder, reads, model=Debaters()) as rig:
        await run_graph(rig.context)
        assert any("1 of 2 claims were not debated" in n.message for n in rig.session.view.notices)


class Stopped(Exception):
    """Ends a session in the middle, as a kill does."""


async def test_s3_53_what_was_judged_is_kept_when_the_debate_is_cut_short(bench: Bench) -> None:
    """A resume debates, and does not pay for the verdicts a second time."""

    def cut(_request: ChallengeRequest) -> Sequence[Challenge]:
        raise Stopped

    folder = bench.run(configured(Verification.DEBATE), a_plan(["Timetable"]))
    with (
        pytest.raises(Stopped),
        bench.session(folder, reads, model=Debaters(challenges=cut)) as rig,
    ):
        await run_graph(rig.context)
    kept = folder.view().checks["c1"]
    assert (kept.state, kept.debated) == (ClaimState.SUPPORTED, False)
    again = Debaters(challenges=against_first)
    with bench.session(folder, reads, model=again) as rig:
        await run_graph(rig.context)
        assert state_of(rig, LATE) is ClaimState.CONTRADICTED
        assert rig.session.view.checks["c1"].debated
    assert [a for a in again.asked if a != "Reflect"] == ["Refute", "Challenge", "Rebuttal"]
    third = Debaters(challenges=against_first)
    with bench.session(folder, reads, model=third) as rig:
        await run_graph(rig.context)
    assert [a for a in third.asked if a != "Reflect"] == []
