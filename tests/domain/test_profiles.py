"""Profiles are data: their counts are held in code, within the limits of the run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.config import Profile
from leadline.domain.limits import PRESETS, Depth, Limits
from leadline.domain.plan import Plan
from leadline.domain.plan_edit import reconcile
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.profile_plans import draft_plan, fallback_plan
from leadline.domain.profiles import PROFILES
from leadline.domain.views import EN, VIEWS_OF, ZH, QuestionType, role_of
from tests.domain.test_plan_answer import json_values

TOPIC = "Tidal ferries of Quorrow"
VIEWS = Profile.PERSPECTIVES


def a_view(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "role": f"Expert on {name}",
        "sub_question": f"What about Quorrow's {name}?",
        "keywords": ["Quorrow", name, "data"],
        "source_types": ["academic", "media"],
        **fields,
    }


def draw(value: Any, profile: Profile = VIEWS, **limits: int) -> tuple[Plan, list[str]]:
    return draft_plan(value, profile, Limits(**limits), topic=TOPIC)


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("depth", Depth)
def test_w0_9_no_profile_has_more_tasks_than_the_depth_allows(
    profile: Profile, depth: Depth
) -> None:
    limits = PRESETS[depth]
    narrowed = PROFILES[profile].narrowed(limits)
    assert Limits.model_validate(narrowed.model_dump()) == narrowed
    assert narrowed.min_categories <= narrowed.max_categories <= limits.max_categories
    assert narrowed.min_tasks_per_category <= narrowed.max_tasks_per_category
    most = limits.max_categories * limits.max_tasks_per_category
    assert narrowed.max_categories * narrowed.max_tasks_per_category <= most


def test_the_numbers_of_the_profiles() -> None:
    """S0-7: 3-5 tasks in one list; S2-3: as the depth says; S3-24: 3 to 6 views; S3-33."""
    deep = PRESETS[Depth.DEEP]
    todo, views = (PROFILES[p].narrowed(deep) for p in (Profile.TODO, VIEWS))
    assert (todo.max_categories, todo.min_tasks_per_category, todo.max_tasks_per_category) == (
        1, 3, 5,
    )  # fmt: skip
    assert (views.min_categories, views.max_categories) == (3, 6)
    assert PROFILES[Profile.HIERARCHICAL].narrowed(deep) is deep
    gate = PROFILES[VIEWS].gate
    assert (gate.score, gate.findings, gate.rounds, gate.weak_rounds) == (60, 3, 2, 1)


@given(
    st.builds(
        Limits,
        max_categories=st.integers(1, 10),
        max_tasks_per_category=st.integers(1, 6),
        max_tasks=st.integers(1, 20),
    ),
    st.sampled_from(list(Profile)),
    json_values,
)
def test_any_answer_gives_a_plan_within_the_profile(
    limits: Limits, profile: Profile, value: Any
) -> None:
    narrowed = PROFILES[profile].narrowed(limits)
    for plan in (
        draft_plan(value, profile, limits, topic=TOPIC)[0],
        fallback_plan(TOPIC, profile, limits),
    ):
        assert len(plan.categories) <= narrowed.max_categories
        assert len(list(plan.tasks())) <= limits.max_tasks
        assert all(len(c.tasks) <= narrowed.max_tasks_per_category for c in plan.categories)


def test_w0_9_a_todo_plan_of_twelve_tasks_keeps_five() -> None:
    value = {"tasks": [{"title": f"T{n}", "intent": "I", "query": f"q{n}"} for n in range(12)]}
    plan, notices = draw(value, Profile.TODO)
    assert len(list(plan.tasks())) == 5
    assert notices


def test_w0_9_tasks_with_the_same_query_do_not_search_twice() -> None:
    value = {"tasks": [{"title": t, "query": "Quorrow"} for t in ("A", "B", "A")]}
    plan, notices = draw(value, Profile.TODO)
    assert [(t.text, t.queries) for t in plan.tasks()] == [("A", ("Quorrow",)), ("B", ())]
    assert "said the same" in notices[0]


def test_s0_7_a_todo_plan_with_categories_becomes_one_list() -> None:
    value = {"categories": [{"name": n, "tasks": [f"{n} one", f"{n} two"]} for n in "AB"]}
    plan, notices = draw(value, Profile.TODO)
    (category,) = plan.categories
    assert [t.text for t in category.tasks] == ["A one", "A two", "B one", "B two"]
    assert notices == ["The 2 categories of the plan were put into one."]


def test_s3_24_a_view_is_a_category_with_its_role_question_and_keywords() -> None:
    value = {"question_type": "Policy", "perspectives": [a_view(n) for n in ("law", "cost", "use")]}
    plan, notices = draw(value)
    assert notices == []
    assert plan.notes == ("> Question type: policy",)
    law = plan.categories[0]
    assert law.name == "law"
    assert role_of(law) == "Expert on law"
    assert law.notes[1] == "> Sources: academic, media"
    assert [(t.text, t.queries) for t in law.tasks] == [
        ("What about Quorrow's law?", ("Quorrow law data",))
    ]


def test_s3_24_several_sub_questions_are_tasks_of_one_view() -> None:
    views = [a_view(n) for n in "abc"]
    views[0] = {"name": "a", "role": "R", "sub_questions": ["Quorrow one?", "Quorrow two?"]}
    plan, _ = draw({"perspectives": views})
    assert [t.text for t in plan.categories[0].tasks] == ["Quorrow one?", "Quorrow two?"]
    assert role_of(plan.categories[0]) == "R"


def test_s3_24_the_older_shape_is_accepted() -> None:
    keys = ("technical", "industry", "critical", "future")
    value = {
        k: {"sub_q": f"Quorrow: {k}?", "keywords": ["Quorrow", k], "sources": ["a"]} for k in keys
    }
    plan, _ = draw(value)
    assert [c.name for c in plan.categories] == list(keys)
    assert plan.categories[0].notes == ("> Sources: a",)


@pytest.mark.parametrize("given", ["astrology", " ", 7])
def test_s3_24_an_unknown_type_is_a_general_one_or_none(given: object) -> None:
    plan, _ = draw({"question_type": given, "perspectives": [a_view(n) for n in "abc"]})
    assert plan.notes in ((), ("> Question type: general",))


def test_s3_24_more_than_six_views_are_cut_and_too_few_filled_up() -> None:
    many, notices = draw({"perspectives": [a_view(f"v{n}") for n in range(9)]}, max_categories=9)
    assert len(many.categories) == 6
    assert "9 categories" in notices[0]
    few, notices = draw({"perspectives": [a_view("Technical view")]})
    assert [c.name for c in few.categories] == ["Technical view", "Industry view", "Critical view"]
    assert "added: Industry view, Critical view" in notices[0]


def test_s3_25_without_an_answer_the_four_fixed_views_are_taken() -> None:
    plan = fallback_plan(TOPIC, VIEWS, Limits())
    assert [c.name for c in plan.categories] == [
        "Technical view", "Industry view", "Critical view", "Future view",
    ]  # fmt: skip
    assert all("Tidal ferries of Quorrow" in t.text and t.queries for t in plan.tasks())
    chinese = fallback_plan("阔罗岛潮汐渡轮", VIEWS, Limits())
    assert [c.name for c in chinese.categories] == ["技术视角", "产业视角", "批判视角", "未来视角"]
    assert draw({"perspectives": []})[0] == Plan()


def test_s3_31_a_sub_question_that_lost_the_object_gets_it_back() -> None:
    value = {
        "perspectives": [
            a_view("cars", sub_question="What do electric cars cost?", keywords=["car", "price"]),
            a_view("a"),
            a_view("b"),
        ]
    }
    plan, notices = draw(value)
    task = plan.categories[0].tasks[0]
    assert task.text == "Tidal ferries of Quorrow: What do electric cars cost?"
    assert task.queries == ("Tidal ferries Quorrow car price",)
    assert "1 question of the plan did not name the topic" in notices[0]


def test_the_role_of_a_view_survives_the_file_and_a_persons_edit() -> None:
    plan = draw({"perspectives": [a_view(n) for n in "abc"], "question_type": "general"})[0]
    text = render_plan(plan.numbered())
    assert parse_plan(render_plan(parse_plan(text))) == parse_plan(text)
    assert reconcile(plan.numbered(), parse_plan(text)).is_empty
    edited = reconcile(plan.numbered(), parse_plan(text.replace("Expert on a", "Ship builder")))
    assert role_of(edited.plan.categories[0]) == "Ship builder"
    assert edited.plan.task("t1") == plan.numbered().task("t1")


def test_w3_15_every_kind_of_question_has_its_views_in_both_languages() -> None:
    assert set(VIEWS_OF) == set(QuestionType)
    for keys in VIEWS_OF.values():
        assert 3 <= len(set(keys)) <= 6
        assert "critical" in keys[:3]
    assert set(EN) == set(ZH)
    for view in (*EN.values(), *ZH.values()):
        assert "{s}" in view.question
        assert view.role
        assert view.sources
