"""Plans as users of the four systems have them: each of them works here."""

from __future__ import annotations

import json

from leadline.domain.limits import Limits
from leadline.domain.plan import TaskState
from leadline.domain.plan_answer import plan_from_json
from leadline.domain.plan_edit import reconcile
from leadline.domain.plan_markdown import parse_plan, render_plan
from leadline.domain.profile_plans import fallback_plan

WEB_UI_FILE = """# Research Plan

## 1. 1. Background

  - [x] Find the origin of tidal ferries
  - [-] List the first operators

## 2. 1. Market {2024}

  - [ ] Who operates them today?
  - [ ] What do they cost?

"""


def test_s2_8_and_s2_23_a_plan_file_of_web_ui_is_resumed_at_its_first_open_task() -> None:
    plan = parse_plan(WEB_UI_FILE)
    assert [c.name for c in plan.categories] == ["Background", "Market {2024}"]
    first = next(task for task in plan.tasks() if task.state is TaskState.OPEN)
    assert first.text == "Who operates them today?"


def test_w2_7_category_names_gain_nothing_with_each_resume() -> None:
    text = WEB_UI_FILE
    for _ in range(5):
        text = render_plan(parse_plan(text))
    assert "## 2. Market {2024}\n" in text
    assert text.count("1.") == 1


def test_w2_7_queries_survive_a_resume() -> None:
    value = [{"category_name": "A", "tasks": [{"task": "x", "queries": ["q"]}, {"task": "y"}]}]
    plan, _ = plan_from_json(value, Limits(), topic="t")
    plan = plan.numbered()
    edited = parse_plan(render_plan(plan).replace("[ ] x", "[x] x"))
    task = reconcile(plan, edited).plan.task("t1")
    assert task
    assert (task.queries, task.state) == (("q",), TaskState.DONE)


def test_s2_9_a_plan_of_sixty_tasks_is_kept_whole() -> None:
    value = [{"category_name": f"C{c}", "tasks": [f"{c} {t}" for t in range(6)]} for c in range(10)]
    limits = Limits(max_categories=10, max_tasks_per_category=6)
    plan, notices = plan_from_json(value, limits, topic="t")
    assert len(list(plan.tasks())) == 60
    assert notices == []


def test_s0_7_a_todo_list_becomes_one_category() -> None:
    answer = json.loads('{"tasks":[{"title":"背景","intent":"了解起源","query":"潮汐渡轮 起源"}]}')
    plan, _ = plan_from_json(answer, Limits(), topic="潮汐渡轮")
    assert [c.name for c in plan.categories] == ["潮汐渡轮"]
    assert [(t.text, t.queries) for t in plan.tasks()] == [("背景: 了解起源", ("潮汐渡轮 起源",))]


def test_s0_13_a_run_always_has_a_task() -> None:
    plan, _ = plan_from_json({"tasks": []}, Limits(), topic="潮汐渡轮")
    assert not plan.categories
    (task,) = fallback_plan("潮汐渡轮").tasks()
    assert task.queries == ("潮汐渡轮 最新进展",)


def test_w0_9_limits_are_code() -> None:
    answer = {"tasks": [{"title": f"T{n}", "query": f"q{n}"} for n in range(12)]}
    plan, notices = plan_from_json(answer, Limits(max_tasks_per_category=5), topic="t")
    assert len(list(plan.tasks())) == 5
    assert notices


def test_s3_25_and_s3_24_perspectives_are_categories() -> None:
    answer = {
        "perspectives": [{"name": n, "sub_question": f"{n}?", "keywords": [n]} for n in "abcd"]
    }
    plan, _ = plan_from_json(answer, Limits(), topic="t")
    assert [c.name for c in plan.categories] == ["a", "b", "c", "d"]
