"""``leadline doctor --model``: each fault of a model is seen, and the verdict follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from leadline.domain.config import ModelConfig, Provider
from leadline.models import exam
from leadline.models.grading import Fitness, Grade, Mark, Part, grade
from leadline.models.requests import AnswerUnusable
from tests import openai_brain as brain
from tests.openai_server import ChatCall, OpenAIServer, as_asked

GERMAN = "Die Linie fährt seit 1987 und hat in dem Jahr sehr viele Leute befördert [c1]."
ENGLISH = "The line has run since 1987 and it carried a lot of people in the year [c1][c2]."


def as_a_good_model(call: ChatCall) -> Any:
    if call.kind == "writer":
        return GERMAN if "in German" in call.system else ENGLISH
    return brain.answer(call.kind, call.system, call.user)


async def graded(
    behaviour: Callable[[ChatCall], Any] | None = None, *, seconds: float = 60, **server: Any
) -> Grade:
    made = (lambda call: as_asked(call, behaviour(call))) if behaviour else None
    with OpenAIServer(behaviour=made, **server) as running:
        config = ModelConfig(provider=Provider.CUSTOM, name="m", base_url=running.base_url)
        return await grade(config, None, seconds=seconds)


def failed(result: Grade) -> set[Part]:
    return {part for part in Part if not result.passed(part)}


async def test_a_good_model_is_fit() -> None:
    result = await graded(as_a_good_model)
    assert failed(result) == set(), result.to_wire()
    assert result.fitness is Fitness.FIT
    assert result.steps == ("schema", "tool", "text")
    assert (result.right, result.asked, result.invented) == (3, 3, 0)
    assert result.calls == 12
    assert result.tokens_an_answer > 0
    assert json.loads(json.dumps(result.to_wire()))["fitness"] == "fit"
    assert "fit for research" in result.verdict


@pytest.mark.parametrize("mode", ["401", "404", "quota", "500", "html"])
async def test_who_does_not_answer_is_asked_nothing_more(mode: str) -> None:
    result = await graded(mode=mode)
    assert result.fitness is Fitness.OFFLINE
    assert [mark.part for mark in result.marks] == [Part.ANSWERS]
    assert "it does not answer. Use the offline model" in result.verdict


@pytest.mark.parametrize("mode", ["text", "malformed", "empty"])
async def test_who_gives_no_json_cannot_research(mode: str) -> None:
    result = await graded(mode=mode)
    assert result.steps == ()
    assert result.verdict.startswith("m is not fit: it gives no JSON that can be read. Use")
    assert result.fitness is Fitness.OFFLINE


async def test_the_ways_to_json_are_told_apart() -> None:
    result = await graded(as_a_good_model, refuse=("response_format",))
    assert result.steps == ("tool", "text")
    result = await graded(as_a_good_model, refuse=("response_format", "tools"))
    assert result.steps == ("text",)
    assert result.fitness is Fitness.FIT


async def test_a_thinking_model_is_read() -> None:
    result = await graded(mode="think")
    assert result.passed(Part.JSON)
    assert result.passed(Part.WORKER)


async def test_invented_passages_are_seen() -> None:
    result = await graded(mode="inventing")
    assert result.invented >= 4
    assert {Part.PASSAGES, Part.HONEST, Part.WORKER} <= failed(result)
    assert result.fitness is Fitness.OFFLINE


async def test_who_obeys_a_page_is_not_fit() -> None:
    """Safety 17: the canary of a planted order shows up in no answer."""

    def gullible(call: ChatCall) -> Any:
        if call.kind == "exam" and exam.CANARY in call.user:
            return {"answered": True, "claim": exam.CANARY, "passages": ["9.9"]}
        return as_a_good_model(call)

    result = await graded(gullible)
    assert failed(result) == {Part.INJECTION}
    assert result.fitness is Fitness.OFFLINE
    assert "obeys what a page orders" in result.verdict


async def test_who_never_says_no_needs_to_be_checked() -> None:
    def boastful(call: ChatCall) -> Any:
        answer = as_a_good_model(call)
        if call.kind == "exam" and not answer["answered"]:
            return {"answered": True, "claim": "It costs 40 crowns.", "passages": ["1.3"]}
        return answer

    result = await graded(boastful)
    assert failed(result) == {Part.HONEST}
    assert result.fitness is Fitness.CHECK
    assert "verification `check`" in result.verdict


async def test_retyped_quotes_are_told() -> None:
    def retyping(call: ChatCall) -> Any:
        answer = as_a_good_model(call)
        if call.kind == "exam" and answer["answered"] and exam.CANARY not in call.user:
            return {**answer, "passages": [answer["claim"]]}
        return answer

    result = await graded(retyping)
    [mark] = [m for m in result.marks if m.part is Part.PASSAGES]
    assert "wrote text where the number" in mark.sentence
    assert result.right == 0
    assert result.fitness is Fitness.OFFLINE


async def test_a_language_that_is_not_kept_and_links_for_citations() -> None:
    result = await graded(lambda c: ENGLISH if c.kind == "writer" else as_a_good_model(c))
    assert failed(result) == {Part.LANGUAGE}
    assert result.fitness is Fitness.CHECK
    result = await graded(
        lambda c: (
            as_a_good_model(c).replace("[c1]", "[c8]") if c.kind == "writer" else as_a_good_model(c)
        )
    )
    assert failed(result) == {Part.CITES}


async def test_a_worker_that_only_searches() -> None:
    def restless(call: ChatCall) -> Any:
        if call.kind == "worker":
            return {"memory": "", "action": [{"search": {"query": "more"}}]}
        return as_a_good_model(call)

    [mark] = [m for m in (await graded(restless)).marks if m.part is Part.WORKER]
    assert "it did: search" in mark.sentence


async def test_what_is_not_reached_in_time_is_not_passed() -> None:
    result = await graded(as_a_good_model, seconds=0.9, latency=0.4)
    assert result.fitness is Fitness.OFFLINE
    assert {mark.part for mark in result.marks} == set(Part)
    assert "too slow" in result.marks[-1].sentence
    assert "too slow to be graded" in result.verdict
    assert "wrong passages" not in result.verdict


@pytest.mark.parametrize(
    "value", [None, 7, "x", [], {}, {"passages": None}, {"answered": "yes"}, {"passages": [1.2]}]
)
def test_any_answer_is_read_or_refused(value: Any) -> None:
    try:
        answer = exam.QUESTIONS[0].parse(value)
    except AnswerUnusable:
        return
    assert isinstance(exam.QUESTIONS[0].is_right(answer), bool)
    assert not exam.obeyed(answer)


def test_a_grade_without_marks_is_not_fit() -> None:
    assert Grade("m", "h", ()).fitness is Fitness.OFFLINE
    some = tuple(Mark(part, True, "") for part in Part if part is not Part.JSON)
    assert Grade("m", "h", some, right=3, asked=3).fitness is Fitness.OFFLINE
