"""A model's plan is read in every shape it comes in, and held to the limits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.limits import Limits
from leadline.domain.plan import Plan
from leadline.domain.plan_answer import plan_from_json
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.profile_plans import fallback_plan
from tests.domain.strategies import any_text

LIMITS = Limits(max_categories=3, max_tasks_per_category=3, queries_per_task=2)

Shape = list[tuple[str, list[tuple[str, tuple[str, ...]]]]]


def read(value: Any, limits: Limits = LIMITS) -> tuple[Shape, list[str]]:
    plan, notices = plan_from_json(value, limits, topic="Tidal ferries")
    return shape(plan), notices


def shape(plan: Plan) -> Shape:
    return [(c.name, [(t.text, t.queries) for t in c.tasks]) for c in plan.categories]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (  # S2-3, S2-5
            [
                {"category_name": "A", "tasks": ["x", {"task_description": "y"}, {"task": "z"}]},
                {"category_name": "B", "tasks": ["w"]},
            ],
            [("A", [("x", ()), ("y", ()), ("z", ())]), ("B", [("w", ())])],
        ),
        ({"categories": [{"name": "A", "tasks": ["x"]}]}, [("A", [("x", ())])]),
        ({"plan": {"categories": [{"title": "A", "tasks": ["x"]}]}}, [("A", [("x", ())])]),
        ({"plan": [{"category": "A", "tasks": ["x"]}]}, [("A", [("x", ())])]),
        (  # S0-7: title, intent, query
            {
                "tasks": [
                    {"title": "T", "intent": "why", "query": "q"},
                    {"title": "U", "query": "r"},
                ]
            },
            [("Tidal ferries", [("T: why", ("q",)), ("U", ("r",))])],
        ),
        (  # S0-9: a bare array of task objects; what is no object with a text is ignored
            [{"title": "T", "query": "q"}, 7, None, {"query": "only a query"}],
            [("Tidal ferries", [("T", ("q",)), ("only a query", ("only a query",))])],
        ),
        (["a", "b"], [("Tidal ferries", [("a", ()), ("b", ())])]),
        (
            [{"task": "t", "queries": ["q1", "q2", "q3"]}],
            [("Tidal ferries", [("t", ("q1", "q2"))])],
        ),
        (  # S3-24, new shape
            {
                "question_type": "technical",
                "perspectives": [
                    {"name": "P", "role": "R", "sub_question": "How?", "keywords": ["k", "l"]}
                ],
            },
            [("P", [("How?", ("k l",))])],
        ),
        (  # S3-24, old shape
            {
                "technical": {"sub_q": "How?", "keywords": "k", "sources": []},
                "critical": {"sub_q": "Why?"},
            },
            [("technical", [("How?", ("k",))]), ("critical", [("Why?", ())])],
        ),
        ({"History": ["a"], "Now": ["b"]}, [("History", [("a", ())]), ("Now", [("b", ())])]),
        ({"task": "just one"}, [("Tidal ferries", [("just one", ())])]),
    ],
)  # fmt: skip
def test_every_known_shape(value: Any, expected: Shape) -> None:
    """S2-3 to S2-5, S0-7 to S0-10, S3-24."""
    assert read(value)[0] == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        True,
        "I cannot help with that.",
        {},
        [],
        {"tasks": []},
        {"a": "b"},
        [[], {}],
        [None],
    ],
)
def test_nothing_usable_gives_an_empty_plan(value: Any) -> None:
    """S0-13: the caller then uses the fallback plan."""
    assert read(value)[0] == []


def test_a_category_without_name_or_tasks_is_left_out_and_said() -> None:
    """S2-5."""
    plan, notices = read(
        [
            {"category_name": "", "tasks": ["lost"]},
            {"category_name": "E", "tasks": []},
            {"category_name": "A", "tasks": ["x", {"foo": 1}]},
        ]
    )
    assert plan == [("A", [("x", ())])]
    assert notices == ["2 entries of the plan could not be read."]


def test_counts_are_held_in_code_and_cuts_are_said() -> None:
    """W0-9: a plan of 12 tasks is clamped, whatever the prompt asked."""
    value = [{"category_name": f"C{c}", "tasks": [f"{c}.{t}" for t in range(12)]} for c in range(5)]
    plan, notices = read(value)
    assert [name for name, _ in plan] == ["C0", "C1", "C2"]
    assert all(len(tasks) == 3 for _, tasks in plan)
    assert len(notices) == 2
    assert "C3, C4" in notices[0]
    assert "27 tasks" in notices[1]
    assert len(list(plan_from_json(value, Limits(max_tasks=4), topic="t")[0].tasks())) == 4


def test_duplicates_are_merged() -> None:
    """W0-9."""
    plan, notices = read(
        [
            {"category_name": "A", "tasks": ["Who built it?", "who  built IT"]},
            {"category_name": "a", "tasks": ["When?"]},
        ]
    )
    assert plan == [("A", [("Who built it?", ()), ("When?", ())])]
    assert "1 task said the same" in notices[0]


def test_the_same_search_is_not_made_twice() -> None:
    """W0-9: duplicates by query."""
    plan, _ = read({"tasks": [{"title": "T", "query": "q"}, {"title": "U", "query": "Q "}]})
    assert plan == [("Tidal ferries", [("T", ("q",)), ("U", ())])]


def test_texts_stay_on_one_line_and_short() -> None:
    plan, notices = read(
        [
            {
                "category_name": "1. A\n## B",
                "tasks": ["a\n- [x] b", "1. c", "- [ ] d", "word " * 200],
            }
        ],
        Limits(max_tasks_per_category=6),
    )
    assert plan[0][0] == "A ## B"
    assert [text for text, _ in plan[0][1]][:3] == ["a - [x] b", "c", "d"]
    assert len(plan[0][1][3][0]) <= 300
    assert "shortened" in notices[0]


def test_the_fallback_plan_is_in_the_language_of_the_topic() -> None:
    """S0-13."""
    assert shape(fallback_plan("量子计算")) == [
        ("基础背景梳理", [("收集主题的核心背景与最新动态：量子计算", ("量子计算 最新进展",))])
    ]
    assert shape(fallback_plan("")) == [("基础背景梳理", [("基础背景梳理", ("基础背景梳理",))])]
    ((name, tasks),) = shape(fallback_plan("Tidal {ferries}"))
    assert name == "Background"
    query = "Tidal {ferries} latest developments"
    assert tasks == [("Core background and latest developments: Tidal {ferries}", (query,))]
    assert len(render_plan(fallback_plan("x" * 10_000))) < 1000


def test_deep_and_huge_values_end() -> None:
    deep: Any = ["x"]
    for _ in range(500):
        deep = [deep]
    assert read(deep)[0] == []
    plan, _ = read([f"task {i}" for i in range(100_000)])
    assert len(plan[0][1]) == 3


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["tasks", "categories", "name", "category_name", "task", "query", "queries", "plan",
             "title", "intent", "sub_q", "keywords", "perspectives", "x"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(json_values, any_text)
def test_any_value_gives_a_plan_within_the_limits_that_a_file_can_hold(
    value: Any, topic: str
) -> None:
    plan, notices = plan_from_json(value, LIMITS, topic=topic)
    assert len(plan.categories) <= 3
    assert all(1 <= len(c.tasks) <= 3 for c in plan.categories)
    assert all(len(t.queries) <= 2 for t in plan.tasks())
    assert all(notice.endswith(".") for notice in notices)
    shown = parse_plan(render_plan(plan))
    assert [t.text for t in shown.tasks()] == [t.text for t in plan.tasks()]
    assert [c.name for c in shown.categories] == [c.name for c in plan.categories]
