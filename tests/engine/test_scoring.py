"""Scores go into the log once, from what the log says."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.domain.claims import Verification
from leadline.domain.run import RunStatus
from leadline.engine.graph import run_graph
from leadline.engine.scoring import score_evidence
from tests.engine.rig import Bench, Rig, a_config, a_plan


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


async def worked(rig: Rig) -> None:
    assert (await run_graph(rig.context)).status is RunStatus.DONE
    score_evidence(rig.context)


async def test_s3_42_every_claim_has_a_score_and_every_view_a_card(bench: Bench) -> None:
    folder = bench.run(a_config(), a_plan(["One", "Two"], ["Three"]))
    with bench.session(folder) as rig:
        await worked(rig)
        view = rig.session.view
        assert set(view.scores) == set(view.claims) != set()
        kinds = [entry.event.type for entry in rig.log]
        assert kinds.index("evidence.scored") < kinds.index("report.delta"), "then it is written"
        assert [card.perspective for card in view.cards] == ["Part 1", "Part 2"]
        assert [card.gate and card.gate.findings for card in view.cards] == [2, 1]
        assert view.overall_score is not None
        assert 0 < view.overall_score < 100
        assert all(score.reasons for score in view.scores.values())


async def test_what_has_not_changed_is_not_logged_again(bench: Bench) -> None:
    folder = bench.run(a_config(), a_plan(["One"]))
    with bench.session(folder) as rig:
        await worked(rig)
        score_evidence(rig.context)
        assert len(rig.of("evidence.scored")) == 1
    with bench.session(folder) as rig:
        score_evidence(rig.context)
        assert len(rig.of("evidence.scored")) == 1


async def test_a_run_that_checks_nothing_is_scored_too_and_lower(bench: Bench) -> None:
    overall = {}
    for level in (Verification.OFF, Verification.CHECK):
        config = a_config().model_copy(update={"verification": level})
        with bench.session(bench.run(config, a_plan(["One"]))) as rig:
            await worked(rig)
            overall[level] = rig.session.view.overall_score or 0
    assert overall[Verification.OFF] < overall[Verification.CHECK]


async def test_a_run_without_a_claim_has_cards_and_zero(bench: Bench) -> None:
    with bench.session(bench.run(a_config(), a_plan(["One"]))) as rig:
        rig.context.sync_plan()
        score_evidence(rig.context)
        assert rig.session.view.overall_score == 0
        (card,) = rig.session.view.cards
        assert card.gate
        assert not card.gate.accepted
        assert rig.session.view.insights.blind_spots == ("One",)
