"""Plans by profile: a model's answer held to the profile, and the plan when there is none.

Invariant: a plan has at most the profile's categories and tasks, at least its fewest categories
where the profile has views to fill up with, and each question speaks of the topic where the
profile asks for that. Nothing here can fail or block.
"""

from __future__ import annotations

from typing import Any

from leadline.domain.config import Profile
from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.plan_answer import MAX_QUERY_CHARS, MAX_TASK_CHARS, plan_from_json
from leadline.domain.profiles import PROFILES
from leadline.domain.subject import keywords, names_object, research_object, with_object
from leadline.domain.text import detect_language, shorten
from leadline.domain.views import View, view_notes

_SUBJECT_CHARS = 200


def draft_plan(
    value: Any, profile: Profile, limits: Limits, *, topic: str
) -> tuple[Plan, list[str]]:
    """The plan in a decoded answer as ``profile`` wants it, and notices on what was changed.

    Empty when nothing in ``value`` is a task.
    """
    spec = PROFILES[profile]
    narrowed = spec.narrowed(limits)
    plan, notices = plan_from_json(value, narrowed, topic=topic)
    if not plan.categories:
        return plan, notices
    if spec.keeps_subject:
        plan = _on_topic(plan, topic, notices)
    if spec.counts is not None:
        plan = _filled(plan, profile, narrowed, topic, notices)
    return plan, notices


def fallback_plan(
    topic: str, profile: Profile = Profile.HIERARCHICAL, limits: Limits | None = None
) -> Plan:
    """The plan when the model gives nothing usable: the profile's fallback views (S0-13, S3-25)."""
    most = PROFILES[profile].narrowed(limits or Limits()).max_categories
    return Plan(categories=fallback_categories(topic, profile)[:most])


def fallback_categories(topic: str, profile: Profile) -> tuple[Category, ...]:
    """The profile's fallback views on a topic, in its language."""
    views = PROFILES[profile].fallback
    chinese = not topic.strip() or detect_language(topic) == "zh"
    subject = shorten(topic, _SUBJECT_CHARS)
    if PROFILES[profile].keeps_subject:
        subject = research_object(topic)
    return tuple(category_of(view, subject, chinese=chinese) for view in views[_code(chinese)])


def category_of(view: View, subject: str, *, chinese: bool, queries: int = 1) -> Category:
    """A view as a category: its question on the subject, its keywords as the search."""
    if not subject:
        text = query = view.name
    else:
        text = view.question.replace("{s}", subject)
        query = f"{subject} {view.keywords[0]}"
    further = (f"{keywords(subject)} {word}" for word in view.keywords[1:] if subject)
    searches = tuple(shorten(q, MAX_QUERY_CHARS) for q in (query, *further))
    return Category(
        name=view.name,
        notes=view_notes(view.role, view.sources, chinese=chinese),
        tasks=(Task(text=shorten(text, MAX_TASK_CHARS), queries=searches[:queries]),),
    )


def _code(chinese: bool) -> str:
    return "zh" if chinese else "en"


def _on_topic(plan: Plan, topic: str, notices: list[str]) -> Plan:
    """The plan with the topic's subject in every question and search that had lost it (S3-31)."""
    mended = 0
    categories: list[Category] = []
    for category in plan.categories:
        tasks: list[Task] = []
        for task in category.tasks:
            text = shorten(with_object(task.text, topic), MAX_TASK_CHARS)
            mended += text != task.text
            queries = tuple(_with_keywords(query, topic) for query in task.queries)
            tasks.append(task.model_copy(update={"text": text, "queries": queries}))
        categories.append(category.model_copy(update={"tasks": tuple(tasks)}))
    if mended:
        notices.append(
            f"{mended} question{'' if mended == 1 else 's'} of the plan did not name the topic; "
            "it was added."
        )
    return plan.model_copy(update={"categories": tuple(categories)})


def _with_keywords(query: str, topic: str) -> str:
    if names_object(query, topic):
        return query
    return shorten(f"{keywords(research_object(topic))} {query}", MAX_QUERY_CHARS)


def _filled(plan: Plan, profile: Profile, narrowed: Limits, topic: str, notices: list[str]) -> Plan:
    """The plan with the profile's own views added while it has too few."""
    missing = narrowed.min_categories - len(plan.categories)
    if missing <= 0:
        return plan
    names = {category.name.casefold() for category in plan.categories}
    spare = [c for c in fallback_categories(topic, profile) if c.name.casefold() not in names]
    added = spare[:missing]
    if added:
        notices.append(
            f"The plan had too few views; added: {', '.join(category.name for category in added)}."
        )
    return plan.model_copy(update={"categories": (*plan.categories, *added)})
