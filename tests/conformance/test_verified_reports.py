"""S3 and W3 on the engine: what users of the verified reports find again, and its faults gone.

Everything is real but the browsers (``tests/engine/rig.py``). What has a module of its own to
blame is tested beside that module, under the same numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from leadline.browsing.worker import WorkerResult
from leadline.domain.claims import Challenge, Judgement, Ruling, Severity, Verdict, Verification
from leadline.domain.run import RunStatus
from leadline.engine.context import WorkOrder
from leadline.engine.graph import run_graph
from leadline.models.debate_requests import (
    AdjudicateRequest,
    ChallengeRequest,
    CounterSearch,
    RebuttalRequest,
    RefuteRequest,
)
from leadline.models.offline import OfflineModel
from leadline.models.reflect_request import ReflectAnswer, ReflectRequest
from leadline.models.requests import TextRequest
from leadline.models.verification_requests import VerifyAnswer, VerifyRequest
from tests.engine.rig import Bench, Rig, a_config, a_plan, found
from tests.engine.test_verification import FACTS, configured, reads


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "runs")


SUMMARY, MISSING, VERDICT, OBJECTION, DEFENCE, SETTLED = SAID = (
    "said-by-worker", "said-of-gap", "said-by-verifier", "said-by-refuter", "said-in-rebuttal",
    "said-by-adjudicator",
)  # fmt: skip


class Talkative(OfflineModel):
    """Each role says a word of its own; kept is which of them were shown to whom."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, set[str]] = defaultdict(set)
        self.prompts: dict[str, str] = defaultdict(str)

    async def ask(self, request: Any) -> Any:
        self._note(request)
        match request:
            case ReflectRequest():
                return ReflectAnswer()
            case VerifyRequest():
                said = {"verdict": Verdict.QUALIFIES, "reason": VERDICT}
                return VerifyAnswer(
                    judgements=tuple(
                        Judgement(claim=c.id, passages=c.passages, **said) for c in request.claims
                    )
                )
            case RefuteRequest():
                return (CounterSearch(claim=request.claims[0].id, query="official figure"),)
            case ChallengeRequest():
                return tuple(
                    Challenge(claim=c.id, challenge=OBJECTION, severity=Severity.MODERATE)
                    for c in request.claims
                )
            case RebuttalRequest():
                ruled = {"ruling": Ruling.ACCEPTED, "reason": DEFENCE}
                return tuple(c.model_copy(update=ruled) for c in request.challenges)
            case AdjudicateRequest():
                won = {"settled_for": request.conflict.claims[0], "settled_by": SETTLED}
                return request.conflict.model_copy(update=won)
            case _:
                return await super().ask(request)

    def write(self, request: TextRequest) -> AsyncIterator[str]:
        self._note(request)
        return super().write(request)

    def _note(self, request: Any) -> None:
        text = "\n".join(message.text for message in request.render())
        kind = type(request).__name__.removesuffix("Request")
        self.prompts[kind] += text
        self.seen[kind] |= {word for word in SAID if word in text}


async def finds(rig: Rig, order: WorkOrder) -> WorkerResult:
    if order.task.text == "Lost":
        return WorkerResult(missing=MISSING)
    result = await (reads if order.task.text in FACTS else found)(rig, order)
    return WorkerResult(True, SUMMARY, findings=result.findings)


async def test_w3_12_s3_41_each_role_is_shown_what_it_is_to_judge_and_no_word_of_the_others(
    bench: Bench,
) -> None:
    """Explicit inputs: also in a later session, when every other role has spoken.

    The refuter is the second opinion, so what the verifier said is kept from it.
    """
    config = configured(Verification.DEBATE)
    limits = config.limits.model_copy(update={"max_research_loops": 1})
    plan = a_plan(["Passengers", "Lost"], ["Timetable"])
    folder = bench.run(config.model_copy(update={"limits": limits}), plan)
    model = Talkative()
    with bench.session(folder, finds, model=model) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
    with bench.session(folder, finds, model=model) as rig:
        rig.edit("Timetable", "Timetable\n- [ ] Noise")
        await run_graph(rig.context)
        assert not [o for o in rig.orders if any(word in o.background for word in SAID)]
    assert model.seen == {
        "Reflect": {MISSING},
        "Verify": set(),
        "Refute": set(),
        "Challenge": set(),
        "Rebuttal": {OBJECTION},
        "Adjudicate": set(),
        "Section": {MISSING, OBJECTION, SETTLED},
    }
    for kind in ("Verify", "Refute", "Challenge", "Rebuttal", "Adjudicate"):
        assert not [i for i in ('"f1"', '"t1"', "Part 1") if i in model.prompts[kind]], kind


async def test_s3_29_s3_30_a_worker_that_fails_leaves_a_card_whose_gap_says_why(
    bench: Bench,
) -> None:
    """A model without a usable answer, and a crash: the other views are as complete as ever."""
    mute = "The model gave no usable answer 2 times in a row."

    async def some_fail(rig: Rig, order: WorkOrder) -> WorkerResult:
        if order.task.text == "Crash":
            raise ZeroDivisionError("secret detail")
        if order.task.text == "Mute":
            return WorkerResult(error=mute)
        return await found(rig, order)

    folder = bench.run(a_config(), a_plan(["Crash"], ["Mute"], ["Depth"]))
    with bench.session(folder, some_fail) as rig:
        assert (await run_graph(rig.context)).status is RunStatus.DONE
        crashed, silent, whole = rig.session.view.cards
    assert crashed.gaps[0].startswith("Crash (The worker failed")
    assert silent.gaps == (f"Mute ({mute})",)
    assert (crashed.claims, silent.claims, whole.gaps) == ((), (), ())
    assert len(whole.claims) == 1
    assert [card.gate.findings for card in (crashed, silent, whole) if card.gate] == [0, 0, 1]
