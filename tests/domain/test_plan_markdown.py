"""The plan file: what people and other programs write is read, and written back unchanged."""

from __future__ import annotations

from hypothesis import example, given

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.plan_markdown import parse_plan, render_plan
from tests.domain.strategies import any_text, plan_files, wild_plans


def shape(plan: Plan) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(c.name, [(t.state.value, t.text) for t in c.tasks]) for c in plan.categories]


def test_states_and_layout_of_the_file() -> None:
    """S2-8: the marks of open, done and failed tasks."""
    plan = Plan(
        categories=(
            Category(
                name="History",
                tasks=(
                    Task(text="Who built it?"),
                    Task(text="When?", state=TaskState.DONE),
                    Task(text="Why?", state=TaskState.FAILED),
                ),
            ),
            Category(name="Today", tasks=(Task(text="Who owns it?"),)),
        )
    )
    text = render_plan(plan)
    assert text == (
        "# Research Plan\n\n## 1. History\n- [ ] Who built it?\n- [x] When?\n- [-] Why?\n\n"
        "## 2. Today\n- [ ] Who owns it?\n"
    )
    assert parse_plan(text) == plan


def test_a_plan_of_web_ui_with_doubled_numbers_opens() -> None:
    """S2-23, W2-7: `## 1. 1. Name` loses its numbers, also after several resumes."""
    text = (
        "# Research Plan\n\n## 1. 1. 1. Basics\n\n  - [ ] One\n  - [x] Two\n\n"
        "## 2. 3. Outlook 2030\n\n  - [-] Three\n\n"
    )
    plan = parse_plan(text)
    assert shape(plan) == [
        ("Basics", [("open", "One"), ("done", "Two")]),
        ("Outlook 2030", [("failed", "Three")]),
    ]
    assert shape(parse_plan(render_plan(plan))) == shape(plan)


def test_a_name_that_begins_with_a_number_keeps_it() -> None:
    plan = parse_plan("## 1. 2024 in review\n## 2. 3.5 inch disks\n## 3、历史\n## 2030\n")
    assert [c.name for c in plan.categories] == [
        "2024 in review", "3.5 inch disks", "历史", "2030",
    ]  # fmt: skip


def test_bullets_brackets_and_indentation_that_people_type() -> None:
    text = (
        "## A\n\t* [X] one\n + [ ] two\n-[] three\n- ［x］ four\n1. [ ] five\n"
        "- 【－】 no\n- [-]six\n"
    )
    assert shape(parse_plan(text)) == [
        (
            "A",
            [
                ("done", "one"), ("open", "two"), ("open", "three"), ("done", "four"),
                ("open", "five"), ("failed", "no"), ("failed", "six"),
            ],
        )
    ]  # fmt: skip


def test_lines_that_are_neither_stay_where_they_are() -> None:
    """safety 37: unknown lines survive."""
    text = (
        "# Research Plan\n\nMy remarks\n\n  with a gap\n\n## 1. A\nabout A\n- [ ] one\n"
        "    see {this} | that\n### not a category\n- a bullet\n- [x](https://a.example)\n- [ ]\n\n"
        "## 2. B\n- [ ] two\n"
    )
    assert render_plan(parse_plan(text)) == text


def test_tasks_above_every_heading_are_kept_there() -> None:
    plan = parse_plan("- [ ] loose\n\n## A\n- [x] tight\n")
    assert shape(plan) == [("", [("open", "loose")]), ("A", [("done", "tight")])]
    assert render_plan(plan) == "# Research Plan\n\n- [ ] loose\n\n## 1. A\n- [x] tight\n"


def test_a_note_made_by_code_never_becomes_a_task() -> None:
    plan = Plan(
        notes=("## 9. fake",),
        categories=(
            Category(name="A", tasks=(Task(text="real\n- [ ] trick", notes=("- [x] fake",)),)),
        ),
    )
    again = parse_plan(render_plan(plan))
    assert shape(again) == [("A", [("open", "real - [ ] trick")])]


def test_queries_and_ids_are_not_shown() -> None:
    plan = Plan(
        categories=(Category(name="A", tasks=(Task(id="t1", text="x", queries=("secret",)),)),)
    )
    assert "secret" not in render_plan(plan)
    assert "t1" not in render_plan(plan)


def test_empty_and_foreign_texts_give_a_plan_without_tasks() -> None:
    for text in ("", "\n\n", "# Research Plan", "just prose", "{}", "\x00\ud800"):
        assert list(parse_plan(text).tasks()) == []


@given(plan_files | any_text)
@example("## 1.\n\n## 2.\nnote\n- [ ] a\x1c")
@example("\ufeff\ufeff## A")
@example("# Research Plan\n# Research Plan\n")
def test_any_text_parses_and_is_a_fixed_point_after_one_round(text: str) -> None:
    """safety 37."""
    plan = parse_plan(text)
    written = render_plan(plan)
    assert parse_plan(written) == plan
    assert render_plan(parse_plan(written)) == written
    written.encode("utf-8")


@given(wild_plans)
def test_any_plan_can_be_written_and_keeps_its_tasks(plan: Plan) -> None:
    written = render_plan(plan)
    once = parse_plan(written)
    assert parse_plan(render_plan(once)) == once
    shown = [(t.state, t.text.encode("utf-8", "replace").decode()) for t in plan.tasks()]
    kept = [
        state
        for state, text in shown
        if parse_plan(f"- [ ] {' '.join(text.splitlines())}").categories
    ]
    assert [t.state for t in once.tasks()] == kept
