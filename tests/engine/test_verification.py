"""Each claim gets exactly one check, and what fails leaves it unverified (W3-1 to W3-8)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.claims import Claim, ClaimState, ConflictKind, Judgement, Verdict, Verification
from leadline.domain.config import RunConfig
from leadline.domain.evidence import PageContent, Passage, PassageRef
from leadline.domain.run import RunStatus
from leadline.engine.context import WorkOrder
from leadline.engine.graph import run_graph
from leadline.engine.verification import verify
from leadline.errors import ModelAnswerInvalid, ModelUnavailable
from leadline.models.offline import OfflineModel
from leadline.models.verification_requests import AtOdds, VerifyAnswer, VerifyRequest
from tests.engine.rig import Bench, Rig, a_config, a_plan

FACTS = {
    "Passengers": (
        "The ferry carried 412,000 passengers in 2025.",
        "The audit counts 389,000 passengers on the ferry in 2025.",
    ),
    "Timetable": ("The last boat leaves the port at 23:10.",),
    "Noise": ("The electric boats are much quieter than the old ones were.",),
}
Answer = Callable[[Claim], Judgement | None]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


def configured(level: Verification = Verification.CHECK) -> RunConfig:
    return a_config().model_copy(update={"verification": level})


async def reads(rig: Rig, order: WorkOrder) -> WorkerResult:
    """A worker that finds what FACTS says of its task, each on a site of its own."""
    ids = []
    for text in FACTS[order.task.text]:
        number = len(rig.session.view.sources) + 1
        page = PageContent(
            f"https://site{number}.example/",
            (Passage(number=1, text=text),),
            title="A page",
            date="2026-01-01",
            language="en",
        )
        source = rig.session.add(page, task=order.task.id)
        ref = PassageRef(source=source.id, passage=1)
        ids.append(rig.session.record(task=order.task.id, claim=text, passages=[ref]).id)
    return WorkerResult(answered=True, summary="Known.", findings=tuple(ids), steps=2)


class Checker(OfflineModel):
    """An offline model whose verifier says what a test wants, and counts what it is asked."""

    def __init__(self, answer: Answer, odds: tuple[AtOdds, ...] = ()) -> None:
        super().__init__()
        self.answer, self.odds = answer, odds
        self.asked: list[tuple[str, ...]] = []

    async def ask(self, request: Any) -> Any:
        if not isinstance(request, VerifyRequest):
            return await super().ask(request)
        self.asked.append(tuple(claim.id for claim in request.claims))
        said = [j for claim in request.claims if (j := self.answer(claim))]
        return VerifyAnswer(judgements=tuple(said), at_odds=self.odds)


def supports(claim: Claim) -> Judgement:
    return Judgement(claim=claim.id, verdict=Verdict.SUPPORTS, passages=claim.passages)


def silent(_claim: Claim) -> None:
    return None


def raises(error: Exception) -> Answer:
    def answer(_claim: Claim) -> Judgement:
        raise error

    return answer


async def checked(bench: Bench, model: OfflineModel, config: RunConfig | None = None) -> Rig:
    """A run that was researched and verified with this model."""
    folder = bench.run(config or configured(), a_plan(list(FACTS)))
    with bench.session(folder, reads, model=model) as rig:
        last = await run_graph(rig.context)
        assert last.status is RunStatus.DONE
        return rig


def states(rig: Rig) -> dict[str, ClaimState]:
    view = rig.session.view
    return {view.claims[key].text: check.state for key, check in view.checks.items()}


async def test_every_claim_has_exactly_one_check(bench: Bench) -> None:
    rig = await checked(bench, OfflineModel())
    view = rig.session.view
    assert set(view.checks) == set(view.claims)
    assert len(rig.of("claim.checked")) == len(view.claims) == 4
    counts = sorted(state.value for state in states(rig).values())
    assert counts == ["disputed", "disputed", "supported", "supported"]
    (conflict,) = view.conflicts
    assert conflict.kind is ConflictKind.CONTRADICTION


async def test_claims_of_one_source_are_asked_about_in_one_call(bench: Bench) -> None:
    model = Checker(supports)
    await checked(bench, model)
    assert len(model.asked) == 1
    assert len(model.asked[0]) == 4


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("The model allows no more requests (429)."),
        ModelAnswerInvalid("The model's answer could not be read."),
    ],
)
async def test_a_verifier_that_fails_leaves_claims_unverified_and_the_run_ends_done(
    bench: Bench, error: Exception
) -> None:
    """users.md: rate-limited verifiers must not read as refutations."""
    rig = await checked(bench, Checker(raises(error)))
    assert set(states(rig).values()) == {ClaimState.UNVERIFIED}
    assert all(str(error) in check.reason for check in rig.session.view.checks.values())
    assert all(check.usable for check in rig.session.view.checks.values())
    assert any("could not be checked" in n.message for n in rig.session.view.notices)


async def test_w3_3_a_silent_verifier_is_asked_once_more_and_then_leaves_claims_unverified(
    bench: Bench,
) -> None:
    model = Checker(silent)
    rig = await checked(bench, model)
    assert len(model.asked) == 2
    assert set(states(rig).values()) == {ClaimState.UNVERIFIED}
    assert all("no answer" in c.reason for c in rig.session.view.checks.values())


async def test_w3_4_a_verifier_that_speaks_of_some_claims_only_verifies_those(bench: Bench) -> None:
    model = Checker(lambda c: supports(c) if "boat leaves" in c.text else None)
    rig = await checked(bench, model)
    found = states(rig)
    assert found.pop("The last boat leaves the port at 23:10.") is ClaimState.SUPPORTED
    assert set(found.values()) == {ClaimState.UNVERIFIED}
    assert [len(ids) for ids in model.asked] == [4, 3]


async def test_off_asks_nobody_and_calls_nothing_checked(bench: Bench) -> None:
    model = Checker(supports)
    rig = await checked(bench, model, configured(Verification.OFF))
    assert model.asked == []
    assert set(states(rig).values()) == {ClaimState.NOT_CHECKED}


async def test_a_verifiers_word_that_two_claims_conflict_needs_a_common_subject(
    bench: Bench,
) -> None:
    folder = bench.run(configured(), a_plan(list(FACTS)))
    with bench.session(folder, reads) as rig:
        await run_graph(rig.context)
        by_text = {c.text: c.id for c in rig.session.view.claims.values()}
    ids = [by_text[text] for texts in FACTS.values() for text in texts]
    said = [
        AtOdds(claims=(ids[0], ids[3]), reason="They differ."),
        AtOdds(claims=(ids[0], ids[1]), reason="x"),
    ]
    rig = await checked(bench, Checker(supports, tuple(said)))
    assert [c.claims for c in rig.session.view.conflicts] == [(ids[0], ids[1])]


async def test_a_changed_store_is_seen_and_its_claims_are_not_used(bench: Bench) -> None:
    """W3-6: a status needs a page that was read and still says it."""
    folder = bench.run(configured(), a_plan(["Noise"]))
    with bench.session(folder, reads) as rig:
        await run_graph(rig.context)
        path = folder.file("sources/1.md")
        path.write_text(path.read_text("utf-8").replace("quieter", "louder"), "utf-8")
        await verify(rig.context)
        (check,) = rig.session.view.checks.values()
    assert (check.state, check.usable) == (ClaimState.UNVERIFIED, False)
    assert "gone or was changed" in check.reason


async def test_a_resume_asks_only_about_what_is_new_or_was_not_answered(bench: Bench) -> None:
    folder = bench.run(configured(), a_plan(["Noise", "Timetable"]))
    first = Checker(lambda c: supports(c) if "boat leaves" in c.text else None)
    with bench.session(folder, reads, model=first) as rig:
        await run_graph(rig.context)
    second = Checker(supports)
    with bench.session(folder, reads, model=second) as rig:
        rig.edit("Timetable", "Timetable\n- [ ] Passengers")
        await run_graph(rig.context)
        texts = {c.id: c.text for c in rig.session.view.claims.values()}
        asked = [texts[i] for ids in second.asked for i in ids]
    assert sorted(asked) == sorted((*FACTS["Noise"], *FACTS["Passengers"]))
    assert states(rig)["The last boat leaves the port at 23:10."] is ClaimState.SUPPORTED
