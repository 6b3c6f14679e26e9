"""The ``reflect`` node: what is still unanswered, and which tasks would answer it.

Code finds the gaps (``domain/gaps``), a model turns them into tasks, code keeps what is new. It
may add tasks ``max_research_loops`` times in the life of a run, resumes included; the count is the
number of plans of origin ``reflection`` in the log. A reflection that fails is a notice: what was
found is enough for a report.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from leadline.domain.cards import gated_cards
from leadline.domain.events import Entry
from leadline.domain.gaps import Asked, find_gaps
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.profiles import PROFILES
from leadline.domain.projection import RunView
from leadline.domain.subject import with_object
from leadline.engine.claims import Store, merged_claims
from leadline.engine.context import RunContext
from leadline.engine.digest import digest
from leadline.errors import LimitReached, ModelError
from leadline.models.reflect_request import NewTask, ReflectRequest
from leadline.models.requests import TaskOutcome
from leadline.runs.session import RunSession

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
    request = _request(context, plan, min(room, limits.max_tasks_per_category))
    try:
        context.budget.check()
        answer = await context.model_for(request.role).ask(request)
    except (ModelError, LimitReached) as error:
        context.notice(f"The gaps could not be reviewed: {error}", warning=True)
        return False
    plan = context.sync_plan()
    asked = Asked(context.topic, plan, context.session.view.tasks.values())
    grown = add_tasks(plan, _new_tasks(context, answer.new_tasks), asked, context.language)
    if grown is None:
        return False
    context.session.write_plan(grown, "reflection")
    return True


def _request(context: RunContext, plan: Plan, most: int) -> ReflectRequest:
    """What the model is asked: the tasks and their outcome, the gaps, what was found."""
    seen = with_claims(context.session)
    rule = PROFILES[context.config.profile].gate
    cards = gated_cards(plan, seen, rule, rounds_done=seen.reflections)
    return ReflectRequest(
        topic=context.topic,
        language=context.language,
        tasks=tuple(
            TaskOutcome(text=t.text, state=t.state, reason=context.task_view(t.id).reason)
            for t in plan.tasks()
        ),
        categories=tuple(c.name for c in plan.categories),
        gaps=find_gaps(plan, seen, cards, rule, rounds_done=seen.reflections),
        digest=digest(
            seen.findings.values(),
            max_tokens=DIGEST_TOKENS,
            query=context.topic,
            report=context.notice,
        ),
        max_new_tasks=most,
        queries_per_task=context.config.limits.queries_per_task,
    )


def with_claims(session: RunSession) -> RunView:
    """The run as it would be if its claims were merged now; the log is left as it is.

    What was settled between two claims in an earlier session stays settled.
    """
    view = session.view.copy()
    merged = merged_claims(session, Store(session))
    settled = {frozenset(c.claims): c for c in view.conflicts if c.settled_for}
    conflicts = tuple(settled.get(frozenset(c.claims), c) for c in merged.conflicts)
    merged = merged.model_copy(update={"conflicts": conflicts})
    view.apply(Entry(seq=view.seq + 1, ts=datetime.now(UTC), event=merged))
    return view


def _new_tasks(context: RunContext, proposed: Iterable[NewTask]) -> tuple[NewTask, ...]:
    """The proposed tasks, each about the topic where the profile asks for that (S3-31)."""
    if not PROFILES[context.config.profile].keeps_subject:
        return tuple(proposed)
    return tuple(
        new.model_copy(update={"text": with_object(new.text, context.topic)}) for new in proposed
    )


def add_tasks(plan: Plan, new_tasks: Iterable[NewTask], asked: Asked, language: str) -> Plan | None:
    """The plan with the new tasks in their categories, or None when none of them is new."""
    categories = list(plan.categories)
    added = False
    for new in new_tasks:
        if asked.is_repeat(new.text, new.queries):
            continue
        task = Task(text=new.text, queries=new.queries)
        asked.add(task)
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


def _key(name: str) -> str:
    return "".join(name.casefold().split())
