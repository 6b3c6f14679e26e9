from __future__ import annotations

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.runs.plan_merge import add_to_plan

BASE = Plan(
    categories=(
        Category(name="A", tasks=(Task(id="t1", text="one"), Task(id="t2", text="two"))),
        Category(name="B", tasks=(Task(id="t3", text="three"),)),
    )
)


def texts(plan: Plan) -> dict[str, list[str]]:
    return {c.name: [f"{t.id}:{t.text}" for t in c.tasks] for c in plan.categories}


def plus(plan: Plan, name: str, *tasks: Task) -> Plan:
    return Plan(categories=(*plan.categories, Category(name=name, tasks=tasks)))


def test_an_edit_stands_and_new_tasks_join_their_category() -> None:
    """safety 36: removed stays removed, reworded stays reworded."""
    edited = Plan(categories=(Category(name="A", tasks=(Task(id="t1", text="first"),)),))
    merged = add_to_plan(
        edited,
        plus(BASE, " a ", Task(text="new")),
        base=BASE,
        known_texts={t.id: t.text for t in BASE.tasks()},
    )
    assert texts(merged) == {"A": ["t1:first", ":new"]}


def test_the_id_of_a_new_task_may_be_taken_already() -> None:
    """By one that was removed earlier, or by one that a person added just now."""
    known = {**{t.id: t.text for t in BASE.tasks()}, "t4": "removed long ago"}
    edited = plus(BASE, "C", Task(id="t5", text="by hand"))
    proposed = plus(BASE, "D", Task(id="t4", text="gap"), Task(id="t5", text="other gap"))
    merged = add_to_plan(edited, proposed, base=BASE, known_texts=known)
    assert texts(merged)["C"] == ["t5:by hand"]
    assert texts(merged)["D"] == [":gap", ":other gap"]
    again = plus(BASE, "D", Task(id="t4", text="removed long ago"))
    assert "D" not in texts(add_to_plan(BASE, again, base=BASE, known_texts=known))


def test_queries_and_another_try_are_taken_over_and_done_stays_done() -> None:
    current = BASE.with_state("t1", TaskState.DONE).with_state("t2", TaskState.FAILED)
    proposed = BASE.with_task(Task(id="t3", text="three", queries=("q",)))
    merged = add_to_plan(current, proposed, base=current, known_texts={})
    assert [(t.state, t.queries) for t in merged.tasks()] == [
        (TaskState.DONE, ()),
        (TaskState.OPEN, ()),
        (TaskState.OPEN, ("q",)),
    ]
