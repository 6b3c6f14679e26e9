"""Answers are read whatever their shape; counts are clamped in code."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.config import Profile
from leadline.domain.gaps import Gap, GapKind
from leadline.domain.limits import Limits
from leadline.domain.plan import TaskState
from leadline.domain.text import estimate_tokens
from leadline.models.reflect_request import ReflectRequest
from leadline.models.requests import AnswerUnusable, ClaimView, TaskOutcome, language_name
from tests.models.conftest import plan_request, section_request

REFLECT = ReflectRequest(
    topic="Tidal power",
    tasks=(TaskOutcome(text="Who pays?", state=TaskState.FAILED),),
    max_new_tasks=2,
    queries_per_task=2,
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["new_tasks", "tasks", "text", "queries", "category", "reason", "x"]),
            inner,
        )
    ),
    max_leaves=15,
)


def test_an_empty_plan_is_asked_for_again_s0_7() -> None:
    with pytest.raises(AnswerUnusable):
        plan_request().parse({"categories": []})


def test_a_plan_is_clamped_to_its_limits() -> None:
    limits = Limits(max_categories=2, max_tasks_per_category=2)
    tasks = [{"text": f"Question {n}?", "queries": ["q"]} for n in range(9)]
    value = {"categories": [{"name": f"C{n}", "tasks": tasks} for n in range(9)]}
    draft = plan_request(limits=limits).parse(value)
    assert len(draft.plan.categories) <= 2
    assert all(len(c.tasks) <= 2 for c in draft.plan.categories)
    assert draft.notices


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"new_tasks": [], "reason": "Enough."}, []),
        ({"reason": "Enough."}, []),
        ({"new_tasks": [{"category": "A", "text": "New?", "queries": ["q"]}]}, ["New?"]),
        ({"tasks": [{"task": "New?", "query": "q"}]}, ["New?"]),
        (["One?", {"question": "Two?"}, 3, None], ["One?", "Two?"]),
        ({"new_tasks": ["who  PAYS?", "One?", "one?", "Two?", "Three?"]}, ["One?", "Two?"]),
    ],
)
def test_reflections_of_any_shape(value: Any, texts: list[str]) -> None:
    assert [task.text for task in REFLECT.parse(value).new_tasks] == texts


@given(ANY)
def test_a_reflection_is_read_or_refused_never_crashes(value: Any) -> None:
    try:
        answer = REFLECT.parse(value)
    except AnswerUnusable:
        return
    assert len(answer.new_tasks) <= 2
    assert all(t.text and len(t.queries) <= 2 for t in answer.new_tasks)


def test_material_is_cut_to_the_context_w2_14() -> None:
    claims = tuple(
        ClaimView(id=f"c{n}", claim=f"Claim {n}.", quotes=("word " * 500,)) for n in range(40)
    )
    request = section_request(claims=claims)
    for tokens in (8_000, 3_000, 1_200):
        fitted = request.fitted(tokens)
        size = sum(estimate_tokens(m.text) for m in fitted.render())
        assert size <= tokens
        assert fitted.claims[0].id == "c0"
    assert request.fitted(1_000_000) is request
    gaps = tuple(Gap(kind=GapKind.WEAK, about=("汉字" * 100,)) for _ in range(20))
    digest = REFLECT.model_copy(update={"digest": "汉字" * 5_000, "gaps": gaps})
    fitted_digest = digest.fitted(2_500)
    assert sum(estimate_tokens(m.text) for m in fitted_digest.render()) <= 2_500
    assert fitted_digest.gaps
    assert fitted_digest.digest


def test_schemas_are_strict() -> None:
    def walk(schema: Any) -> None:
        if schema["type"] == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            for inner in schema["properties"].values():
                walk(inner)
        elif schema["type"] == "array":
            walk(schema["items"])

    for profile in Profile:
        walk(plan_request(profile=profile).answer_schema())
    walk(REFLECT.answer_schema())


def test_languages() -> None:
    assert language_name("zh-CN") == "Simplified Chinese"
    assert language_name("") == "the language of the topic"
    assert language_name("Icelandic") == "Icelandic"
