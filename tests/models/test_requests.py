"""Answers are read whatever their shape; counts are clamped in code."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.config import Profile
from leadline.domain.gaps import Gap, GapKind
from leadline.domain.limits import Limits
from leadline.domain.plan import TaskState
from leadline.domain.text import estimate_tokens, one_line
from leadline.models.reflect_request import ReflectRequest
from leadline.models.requests import (
    AnswerUnusable,
    ClaimView,
    SectionRequest,
    TaskOutcome,
    language_name,
)
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


def ids_of(request: SectionRequest | ReflectRequest) -> set[str]:
    """All ids that stand in the rendered request."""
    return set(re.findall(r"\b[cf]\d+\b", request.render()[-1].text))


def test_the_best_stays_whole_and_sources_are_named_w3_13() -> None:
    noise = [
        ClaimView(id=f"f{n}", claim=f"Bread {n} is baked.", quotes=("Loaf. " * 200,), source=n)
        for n in range(1, 150)
    ]
    best = ClaimView(
        id="f150", claim="Tidal power makes 12 MW.", quotes=("Tidal power. " * 40,), source=150
    )
    fitted = section_request(claims=(*noise, best)).fitted(2_000)
    assert fitted.claims[-1] == best
    assert "also: " in fitted.render()[-1].text
    assert "f149 [source 149]" in fitted.render()[-1].text
    assert fitted.tokens() <= 2_000


def test_a_quote_is_first_cut_to_the_sentence_that_matters() -> None:
    quote = "The boats are red. Tidal power makes 12 MW. " + "The sea is wide and grey. " * 30
    findings = tuple(
        ClaimView(id=f"f{n}", claim="Tidal power makes 12 MW.", quotes=(quote,)) for n in range(20)
    )
    fitted = section_request(claims=findings).fitted(2_500)
    assert [f.id for f in fitted.claims] == [f"f{n}" for n in range(20)]
    assert fitted.claims[-1].quotes == ("Tidal power makes 12 MW.",)
    assert "shortened" in fitted.cut_note
    assert "ids alone" not in fitted.cut_note


_claims = st.lists(
    st.tuples(st.text(max_size=400), st.lists(st.text(max_size=600), max_size=3)), max_size=25
)


@given(_claims, st.integers(0, 3_000))
def test_every_id_is_shown_within_the_budget(
    claims: list[tuple[str, list[str]]], spare: int
) -> None:
    """W2-14, W3-13: for any findings and any budget above the ids' own."""
    findings = tuple(
        ClaimView(id=f"f{n}", claim=claim, quotes=tuple(quotes), source=1 + n % 4)
        for n, (claim, quotes) in enumerate(claims)
    )
    request = section_request(claims=findings)
    floor = section_request(claims=()).tokens() + 4 * len(findings) + 40
    fitted = request.fitted(floor + spare)
    assert {f.id for f in findings} <= ids_of(fitted)
    assert fitted.tokens() <= floor + spare
    assert bool(fitted.cut_note) == (fitted != request)
    assert fitted.fitted(floor + spare) is fitted


@given(st.lists(st.text(max_size=300), max_size=60), st.integers(0, 2_000))
def test_every_id_of_a_digest_is_shown_within_the_budget(claims: list[str], spare: int) -> None:
    """W2-14, W3-13, for the reflection."""
    lines = [f"- {one_line(claim)} [f{n}]" for n, claim in enumerate(claims)]
    request = REFLECT.model_copy(update={"digest": "\n".join([*lines, "also: f900 [source 3]"])})
    floor = REFLECT.model_copy(update={"digest": ""}).tokens() + 4 * len(claims) + 60
    fitted = request.fitted(floor + spare)
    assert {*(f"f{n}" for n in range(len(claims))), "f900"} <= ids_of(fitted)
    assert fitted.tokens() <= floor + spare


def test_below_the_floor_the_ids_are_what_is_left() -> None:
    findings = tuple(ClaimView(id=f"f{n}", claim="word " * 90) for n in range(90))
    fitted = section_request(claims=findings).fitted(10)
    assert fitted.claims == ()
    assert ids_of(fitted) == {f.id for f in findings}


def test_many_tasks_leave_room_for_findings() -> None:
    tasks = tuple(
        TaskOutcome(text="why " * 70, state=TaskState.FAILED, reason="no " * 60) for _ in range(40)
    )
    request = REFLECT.model_copy(
        update={"tasks": tasks, "digest": "\n".join(f"- It is so. [f{n}]" for n in range(50))}
    )
    fitted = request.fitted(2_500)
    assert fitted.tokens() <= 2_500
    assert len(ids_of(fitted)) == 50


def test_material_is_cut_to_the_context_w2_14() -> None:
    claims = tuple(
        ClaimView(id=f"c{n}", claim=f"Claim {n}.", quotes=("word " * 500,)) for n in range(40)
    )
    request = section_request(claims=claims)
    for tokens in (8_000, 3_000, 1_200):
        fitted = request.fitted(tokens)
        size = sum(estimate_tokens(m.text) for m in fitted.render())
        assert size <= tokens
        assert {f"c{n}" for n in range(40)} == ids_of(fitted)
        assert "claims" in fitted.cut_note
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
