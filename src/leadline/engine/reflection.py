"""The ``reflect`` node: what is still unanswered, and which tasks would answer it.

It may add tasks ``max_research_loops`` times in the life of a run, resumes included; the count is
the number of plans of origin ``reflection`` in the log.
"""

from __future__ import annotations

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.text import words
from leadline.engine.context import RunContext
from leadline.engine.digest import digest
from leadline.errors import ModelAnswerInvalid
from leadline.models.reflect_request import NewTask, ReflectRequest
from leadline.models.requests import TaskOutcome

DIGEST_TOKENS = 3000


async def reflect(context: RunContext) -> bool:
    """Add tasks for what is missing; True when the plan grew."""
    limits = context.config.limits
    view = context.session.view
    if view.reflections >= limits.max_research_loops:
        return False
    plan = context.sync_plan()
    room = limits.max_tasks - sum(1 for _ in plan.tasks())
    if room <= 0:
        return False
    context.budget.check()
    request = ReflectRequest(
        topic=context.topic,
        language=context.language,
        tasks=tuple(
            TaskOutcome(text=t.text, state=t.state, reason=context.task_view(t.id).reason)
            for t in plan.tasks()
        ),
        categories=tuple(c.name for c in plan.categories),
        digest=digest(view.findings.values(), max_tokens=DIGEST_TOKENS),
        max_new_tasks=min(room, limits.max_tasks_per_category),
        queries_per_task=limits.queries_per_task,
    )
    try:
        answer = await context.model_for(request.role).ask(request)
    except ModelAnswerInvalid as error:
        context.notice(f"The gaps could not be reviewed: {error}", warning=True)
        return False
    grown = add_tasks(context.sync_plan(), answer.new_tasks[:room], context.language)
    if grown is None:
        return False
    context.session.write_plan(grown, "reflection")
    return True


def add_tasks(plan: Plan, new_tasks: tuple[NewTask, ...], language: str) -> Plan | None:
    """The plan with the new tasks in their categories, or None when none of them is new."""
    known = {_key(task.text) for task in plan.tasks()}
    categories = list(plan.categories)
    added = False
    for new in new_tasks:
        if not new.text.strip() or _key(new.text) in known:
            continue
        known.add(_key(new.text))
        task = Task(text=new.text, state=TaskState.OPEN, queries=new.queries)
        name = new.category.strip() or ("补充问题" if language == "zh" else "Open questions")
        place = next((i for i, c in enumerate(categories) if _key(c.name) == _key(name)), None)
        if place is None:
            categories.append(Category(name=name, tasks=(task,)))
        else:
            tasks = (*categories[place].tasks, task)
            categories[place] = categories[place].model_copy(update={"tasks": tasks})
        added = True
    if not added:
        return None
    grown = plan.model_copy(update={"categories": tuple(categories)})
    highest = max((int(t.id[1:]) for t in plan.tasks() if t.id[1:].isdigit()), default=0)
    return grown.numbered(first_free=highest + 1)


def _key(text: str) -> tuple[str, ...]:
    return tuple(words(text)) or (text.strip().lower(),)
