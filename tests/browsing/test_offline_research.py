"""Offline research on the demo web, in memory: what is planted is found, whatever hides it."""

from __future__ import annotations

import asyncio

import pytest

from leadline.demo.questions import QUESTIONS, SampleQuestion
from leadline.demo.truth import load_truth, says, subjects
from tests.demo_walk import Walk, walk

LEAST = 0.8
_STEPS_A_TASK = 5


@pytest.fixture(scope="module", params=subjects())
def found(request: pytest.FixtureRequest) -> Walk:
    return asyncio.run(walk(load_truth(request.param).topic, subject=request.param))


def test_most_planted_facts_are_found(found: Walk) -> None:
    """Tables, scripts, PDFs, clicks, walls and other languages included."""
    facts = load_truth(found.subject).facts
    missed = [fact.id for fact in facts if not any(says(s, fact.any_of) for s in found.said)]
    assert len(missed) <= (1 - LEAST) * len(facts), missed


def test_both_sides_of_each_contradiction_are_found(found: Walk) -> None:
    for contradiction in load_truth(found.subject).contradictions:
        for side in contradiction.sides:
            assert any(says(s, side.any_of) for s in found.said), (contradiction.id, side.page)


def test_old_and_new_values_are_found(found: Walk) -> None:
    """Of what the question asks for; the limit of nodes is not among it."""
    pairs = [s for s in load_truth(found.subject).stale if s.id != "node-limit"]
    for stale in pairs:
        assert any(says(s, stale.old) for s in found.said), stale.id
        assert any(says(s, stale.new) for s in found.said), stale.id


def test_no_trap_is_recorded(found: Walk) -> None:
    truth = load_truth(found.subject)
    assert not any(canary in said for canary in truth.canaries for said in found.said)
    walls = {wall.page for wall in truth.walls}
    assert not {found.key(finding) for finding in found.findings} & walls


def test_nothing_is_recorded_twice_and_no_page_speaks_of_itself(found: Walk) -> None:
    assert len(found.said) == len(set(found.said))
    assert not any(s.startswith(("This page gives", "See also")) for s in found.said)


def test_steps_and_findings_stay_few(found: Walk) -> None:
    for worked in found.workers:
        assert worked.steps < worked.state.limits.steps_per_worker
        assert len(worked.state.findings) <= 8
        assert len(worked.read_addresses) <= worked.state.limits.pages_per_query
    steps = sum(worked.steps for worked in found.workers)
    assert steps <= _STEPS_A_TASK * len(found.workers)
    assert min(worked.steps for worked in found.workers) <= 3, "an easy task is soon done"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
async def test_each_sample_question_is_answered(question: SampleQuestion) -> None:
    result = await walk(question.text)
    asked = result.workers[: len(result.plan.categories[0].tasks)]
    assert [worked.task.text for worked in asked if not worked.state.answered] == []


async def test_a_question_that_no_page_knows_is_not_answered() -> None:
    result = await walk("Which quantum processors did the moon colony of Xanthe buy?")
    assert not any(worked.state.answered for worked in result.workers)
    assert not result.findings
