"""What a person did to the plan file is understood: matched tasks keep id and evidence."""

from __future__ import annotations

from hypothesis import given

from leadline.domain.plan import Plan, TaskState
from leadline.domain.plan_edit import PlanEdit, reconcile
from leadline.domain.plan_markdown import parse_plan, render_plan
from tests.domain.strategies import edited_plans, plan_files, wild_plans

BASE = """# Research Plan

## 1. History
- [x] Who built the first lighthouse?
- [ ] Which ships were lost near it?

## 2. Today
- [-] Who owns it now?
- [ ] What does a visit cost?
"""


def base() -> Plan:
    plan = parse_plan(BASE).numbered()
    return plan.with_task(plan.task("t4").model_copy(update={"queries": ("ticket price",)}))  # type: ignore[union-attr]  # t4 is there


def edit(old: str, new: str) -> PlanEdit:
    assert old in BASE
    return reconcile(base(), parse_plan(BASE.replace(old, new)))


def test_nothing_changed() -> None:
    result = reconcile(base(), parse_plan(BASE))
    assert result.is_empty
    assert result.plan == base()


def test_a_new_task_gets_a_fresh_id_and_the_others_keep_theirs() -> None:
    result = edit("- [ ] Which ships", "- [ ] Who keeps the light?\n- [ ] Which ships")
    assert result.added == ("t5",)
    assert [t.id for t in result.plan.tasks()] == ["t1", "t5", "t2", "t3", "t4"]
    assert (result.removed, result.reworded, result.moved) == ((), (), False)
    assert not result.is_empty


def test_a_fresh_id_is_above_every_id_ever_used() -> None:
    plan = reconcile(base(), parse_plan(BASE + "- [ ] More?\n"), first_free=12).plan
    assert plan.categories[1].tasks[-1].id == "t12"


def test_a_deleted_task_is_removed() -> None:
    result = edit("- [ ] Which ships were lost near it?\n", "")
    assert result.removed == ("t2",)
    assert (result.added, result.reworded) == ((), ())


def test_a_reworded_task_keeps_its_id_and_loses_its_queries() -> None:
    result = edit("What does a visit cost?", "What does a visit cost in winter?")
    assert result.reworded == ("t4",)
    task = result.plan.task("t4")
    assert task
    assert task.queries == ()


def test_an_open_task_replaced_in_its_place_is_a_rewording() -> None:
    result = edit("Which ships were lost near it?", "Shipwrecks")
    assert (result.reworded, result.added, result.removed) == (("t2",), (), ())


def test_findings_never_end_up_under_another_question() -> None:
    """A done task overwritten by something else is a new task; the old one is gone."""
    result = edit("- [x] Who built the first lighthouse?", "- [ ] Price of oil in Ghent")
    assert result.removed == ("t1",)
    assert result.added == ("t5",)
    assert result.reworded == ()


def test_boxes_that_a_person_changed() -> None:
    text = BASE.replace("[x]", "[ ]").replace("[-]", "[ ]").replace("- [ ] What", "- [x] What")
    result = reconcile(base(), parse_plan(text))
    assert result.unticked == ("t1", "t3")
    assert result.ticked == ("t4",)
    task = result.plan.task("t4")
    assert task
    assert task.state is TaskState.DONE
    assert task.queries == ("ticket price",)


def test_a_new_task_that_is_ticked_already_is_said_to_be() -> None:
    result = edit("- [ ] Which ships", "- [x] I know this one\n- [ ] Which ships")
    assert result.added == result.ticked == ("t5",)


def test_order_and_category_changes_are_moves() -> None:
    line = "- [ ] What does a visit cost?\n"
    text = BASE.replace(line, "").replace("## 1. History\n", f"## 1. History\n{line}")
    result = reconcile(base(), parse_plan(text))
    assert result.moved
    assert (result.added, result.removed, result.reworded) == ((), (), ())
    assert [t.id for t in result.plan.categories[0].tasks] == ["t4", "t1", "t2"]


def test_a_renamed_category_and_a_note_are_no_moves_but_are_kept() -> None:
    result = edit("## 2. Today", "Ask Ada first\n\n## 2. These days")
    assert not result.moved
    assert not result.is_empty
    assert (result.added, result.removed, result.reworded) == ((), (), ())
    assert "Ask Ada first" in render_plan(result.plan)
    assert result.plan.categories[1].name == "These days"


def test_a_copied_line_is_a_second_task() -> None:
    line = "- [ ] What does a visit cost?\n"
    result = edit(line, line + line)
    assert result.added == ("t5",)


def test_case_and_blanks_do_not_make_another_task() -> None:
    result = edit("Who owns it now?", "who  OWNS it now ?")
    assert result.reworded == ("t3",)


def test_a_large_rewritten_plan_is_matched_in_reasonable_time() -> None:
    old = parse_plan("## A\n" + "".join(f"- [x] question {i} {'x' * 200}\n" for i in range(500)))
    new = parse_plan("## A\n" + "".join(f"- [x] other {i} {'y' * 200}\n" for i in range(500)))
    result = reconcile(old.numbered(), new)
    assert len(result.added) == len(result.removed) == 500


@given(wild_plans)
def test_an_unchanged_file_is_no_edit_for_any_plan(plan: Plan) -> None:
    assert reconcile(plan, parse_plan(render_plan(plan))).is_empty


@given(edited_plans, edited_plans)
def test_every_edit_keeps_ids_apart_and_loses_nothing(old: Plan, new: Plan) -> None:
    old = old.numbered()
    result = reconcile(old, new)
    ids = [t.id for t in result.plan.tasks()]
    assert len(set(ids)) == len(ids)
    assert all(ids)
    assert render_plan(result.plan) == render_plan(new)
    before = {t.id for t in old.tasks()}
    assert set(result.added) == set(ids) - before
    assert set(result.removed) == before - set(ids)
    assert reconcile(result.plan, new).is_empty


@given(edited_plans, plan_files)
def test_any_file_can_follow_any_plan(old: Plan, text: str) -> None:
    new = parse_plan(text)
    assert [t.text for t in reconcile(old.numbered(), new).plan.tasks()] == [
        t.text for t in new.tasks()
    ]
