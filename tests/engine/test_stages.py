"""Which task is next, whatever a person does to the plan meanwhile."""

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.engine.stages import next_stage, next_task, steps_needed


def make_plan(*stages: str) -> Plan:
    """``"o x -"``: one category with an open, a done and a failed task."""
    states = {"o": TaskState.OPEN, "x": TaskState.DONE, "-": TaskState.FAILED}
    return Plan(
        categories=tuple(
            Category(
                name=f"Stage {n}",
                tasks=tuple(
                    Task(text=f"task {n}.{k}", state=states[s]) for k, s in enumerate(stage.split())
                ),
            )
            for n, stage in enumerate(stages)
        )
    ).numbered()


def test_the_first_category_with_an_open_task_is_the_stage() -> None:
    plan = make_plan("x -", "x o", "o")
    stage = next_stage(plan, 100)
    assert stage is not None
    assert stage.name == "Stage 1"


def test_a_plan_without_open_tasks_has_no_stage() -> None:
    """S2-24: with nothing pending the run goes straight to its report; failed is not open."""
    assert next_stage(make_plan("x -", "x"), 100) is None
    assert next_stage(Plan(), 100) is None


def test_claimed_tasks_are_not_given_out_twice() -> None:
    plan = make_plan("o o")
    first = next_task(plan, {"t1", "t2"}, set(), 100)
    assert first is not None
    second = next_task(plan, {"t1", "t2"}, {first.id}, 100)
    assert second is not None
    assert {first.id, second.id} == {"t1", "t2"}
    assert next_task(plan, {"t1", "t2"}, {"t1", "t2"}, 100) is None


def test_a_task_added_to_the_running_stage_is_found() -> None:
    plan = make_plan("x", "o")
    grown = plan.model_copy(
        update={
            "categories": (
                plan.categories[0].model_copy(
                    update={"tasks": (*plan.categories[0].tasks, Task(id="t9", text="added"))}
                ),
                plan.categories[1],
            )
        }
    )
    found = next_task(grown, {"t1"}, set(), 100)
    assert found is not None
    assert found.id == "t9"


def test_a_deleted_task_is_not_given_out() -> None:
    assert next_task(make_plan("x"), {"t1", "t2"}, set(), 100) is None


def test_tasks_past_the_limit_stay_open() -> None:
    plan = make_plan("x", "o o")
    assert next_task(plan, {"t2", "t3"}, {"t2"}, 2) is None


def test_sixty_tasks_fit_the_step_limit() -> None:
    """W2-2: the graph's step limit follows from the plan's size."""
    plan = make_plan(*["o"] * 60)
    assert steps_needed(plan, max_tasks=60, loops=1) > 2 * 60
