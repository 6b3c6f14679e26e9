"""A plan out of what a model answered, whatever shape of JSON that is.

Prompts ask for one shape and for counts; this takes every known shape and holds the counts. It
never raises for decoded JSON: what cannot be read is left out and said in a notice, and nothing
usable gives an empty plan, for which the profile's fallback stands in (``profile_plans``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from leadline.domain.limits import Limits
from leadline.domain.plan import Category, Plan, Task
from leadline.domain.plan_markdown import clean_category_name
from leadline.domain.text import detect_language, one_line, shorten
from leadline.domain.views import QuestionType, type_note, view_notes

MAX_TASK_CHARS = 300
MAX_NAME_CHARS = 80
MAX_QUERY_CHARS = 160
_MAX_DEPTH = 6
_MAX_ITEMS = 1_000

_WRAPPERS = ("plan", "research_plan", "categories", "perspectives", "sections", "result", "data")
_TASK_LISTS = (
    "tasks",
    "todo_items",
    "todo_list",
    "todos",
    "subtasks",
    "items",
    "questions",
    "sub_questions",
)
_NAMES = ("category_name", "category", "name", "perspective", "role", "title")
_TEXTS = ("task_description", "task", "description", "text", "question", "sub_question", "sub_q")
_QUERIES = ("queries", "search_queries", "query", "search_query", "keywords")
_SUB_QUESTIONS = ("sub_question", "sub_q")
_SOURCE_TYPES = ("source_types", "sources")
_MAX_SOURCE_TYPES = 6

_BULLET = re.compile(r"^(?:(?:[-*+•]|\d{1,2}[.)、])\s+)?(?:\[[ xX-]?\]\s+)?")


class _Item(NamedTuple):
    """A task as the model gave it, with the name of its category (None: it gave none)."""

    category: str | None
    text: str
    queries: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """Note lines for its category: the role of a view."""


class _Stage(NamedTuple):
    """A category while the plan is read; the list is filled on the way."""

    name: str
    notes: tuple[str, ...]
    tasks: list[Task]


def plan_from_json(value: Any, limits: Limits, *, topic: str) -> tuple[Plan, list[str]]:
    """The plan in a decoded answer, within ``limits``, and notices on what was left out.

    The plan has no ids yet and no categories at all when nothing in ``value`` is a task.
    """
    items: list[_Item] = []
    skipped = 0
    answered = value if isinstance(value, list | dict) else None  # a sentence is no plan
    for number, item in enumerate(_read(answered, None, 0)):
        if number >= _MAX_ITEMS:
            break
        if item is None:
            skipped += 1
        else:
            items.append(item)
    notices: list[str] = []
    if skipped:
        notices.append(f"{_count(skipped, 'entry', 'entries')} of the plan could not be read.")
    stages = _gathered(items, limits, topic, notices)
    plan = _clamped(_in_one(stages, limits, notices), limits, notices)
    kind = _question_type(value)
    if kind and plan.categories:
        note = type_note(kind, chinese=detect_language(topic) == "zh")
        plan = plan.model_copy(update={"notes": (note,)})
    return plan, notices


def _question_type(value: Any) -> QuestionType | None:
    """The kind of question that an answer names; one that is unknown is a general one."""
    named = value.get("question_type") if isinstance(value, dict) else None
    if not isinstance(named, str) or not named.strip():
        return None
    known = {kind.value: kind for kind in QuestionType}
    return known.get(named.strip().lower(), QuestionType.GENERAL)


def _read(value: Any, category: str | None, depth: int) -> Iterator[_Item | None]:
    """Every task in a value, in order, None for what is no task; ``category`` encloses it."""
    if depth > _MAX_DEPTH:
        yield None
    elif isinstance(value, str):
        text = _line(value)
        if text:
            yield _Item(category, text, ())
        else:
            yield None
    elif isinstance(value, list):
        for entry in value:
            if _is_nameless_category(entry):
                yield None
            else:
                yield from _read(entry, category, depth + 1)
    elif isinstance(value, dict):
        yield from _read_object(value, category, depth)
    else:
        yield None


def _is_nameless_category(value: Any) -> bool:
    """Whether an entry of a list has tasks and no name for them: it cannot be a stage."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("tasks"), list) and not _first_text(value, _NAMES)


def _read_object(value: dict[Any, Any], category: str | None, depth: int) -> Iterator[_Item | None]:
    tasks = next((value[key] for key in _TASK_LISTS if isinstance(value.get(key), list)), None)
    if tasks is not None:
        name = _first_text(value, _NAMES)
        notes = _notes(value, name) if name else ()
        for item in _read(tasks, name or category, depth + 1):
            of_view = item is not None and notes and item.category == name
            yield item._replace(notes=notes) if item and of_view else item
        return
    inner = next((value[k] for k in _WRAPPERS if isinstance(value.get(k), list | dict)), None)
    if inner is not None:
        yield from _read(inner, category, depth + 1)
        return
    item = _task(value, category)
    if item:
        yield item
        return
    named = [(key, entry) for key, entry in value.items() if isinstance(entry, list | dict)]
    if not named:
        yield None
    for key, entry in named:  # {"technical": {"sub_q": …}} or {"History": ["…", "…"]}
        if isinstance(entry, dict) and _first_text(entry, _SUB_QUESTIONS):
            entry = {"name": str(key), **entry}
        yield from _read(entry, _line(str(key)), depth + 1)


def _task(value: dict[Any, Any], category: str | None) -> _Item | None:
    """A task from its object, or None when the object has no text of one."""
    queries = _queries(value)
    sub_question = _first_text(value, _SUB_QUESTIONS)
    if sub_question and not _first_text(value, ("task_description", "task")):
        # A perspective is a category with one question.
        name = _first_text(value, _NAMES) or category
        return _Item(name, sub_question, queries, _notes(value, name or ""))
    text = _first_text(value, _TEXTS)
    if not text:
        title, intent = (
            _first_text(value, ("title", "name")),
            _first_text(value, ("intent", "goal")),
        )
        text = ": ".join(part for part in (title, intent) if part)
    if not text and queries:
        text = queries[0]
    if not text:
        return None
    named = _first_text(value, ("category_name", "category"))
    return _Item(named or category, text, queries)


def _notes(value: dict[Any, Any], name: str) -> tuple[str, ...]:
    """What a view says of itself: its role, and the kinds of source it wants."""
    role = _first_text(value, ("role",))
    given = next((value[key] for key in _SOURCE_TYPES if value.get(key)), ())
    given = [given] if isinstance(given, str) else given
    kinds = given[:_MAX_SOURCE_TYPES] if isinstance(given, list) else []
    sources = [_line(kind) for kind in kinds if isinstance(kind, str)]
    return view_notes(
        "" if role == name else role,
        tuple(filter(None, sources)),
        chinese=detect_language(f"{role} {name}") == "zh",
    )


def _first_text(value: dict[Any, Any], keys: tuple[str, ...]) -> str:
    """The first of these keys that holds a text with something in it, on one line."""
    return next(
        (text for k in keys if isinstance(value.get(k), str) and (text := _line(value[k]))), ""
    )


def _queries(value: dict[Any, Any]) -> tuple[str, ...]:
    for key in _QUERIES:
        given = value.get(key)
        if isinstance(given, str):
            given = [given]
        if not isinstance(given, list):
            continue
        texts = [shorten(q, MAX_QUERY_CHARS) for q in given[:50] if isinstance(q, str)]
        texts = [text for text in texts if text]
        if key == "keywords" and texts:  # keywords of one question are one search
            return (shorten(" ".join(texts), MAX_QUERY_CHARS),)
        if texts:
            return tuple(texts)
    return ()


def _line(text: str) -> str:
    """Text on one line, without a bullet or number before it."""
    return _BULLET.sub("", one_line(text), count=1)


def _key(text: str) -> str:
    """What two texts have in common that differ in case, blanks and marks only."""
    return "".join(c for c in text.casefold() if c.isalnum()) or text


def _gathered(items: list[_Item], limits: Limits, topic: str, notices: list[str]) -> list[_Stage]:
    """Tasks by category in order of appearance, duplicates merged."""
    stages: dict[str, _Stage] = {}
    seen: set[str] = set()
    searched: set[str] = set()
    merged = cut = 0
    for item in items:
        if _key(item.text) in seen:
            merged += 1
            continue
        seen.add(_key(item.text))
        # The same search twice finds the same pages: the later task searches for its own text.
        fresh = {_key(q): q for q in reversed(item.queries) if _key(q) not in searched}
        queries = tuple(q for q in item.queries if fresh.get(_key(q)) == q)
        queries = tuple(dict.fromkeys(queries))[: limits.queries_per_task]
        searched.update(map(_key, queries))
        text = shorten(item.text, MAX_TASK_CHARS)
        cut += text != item.text
        name = clean_category_name(shorten(item.category or topic, MAX_NAME_CHARS)) or "Research"
        stage = stages.setdefault(_key(name), _Stage(name, item.notes, []))
        stage.tasks.append(Task(text=text, queries=queries))
    if merged:
        notices.append(f"{_count(merged, 'task')} said the same as another and left the plan.")
    if cut:
        notices.append(f"{_count(cut, 'task')} had too long a text, which was shortened.")
    return list(stages.values())


def _in_one(stages: list[_Stage], limits: Limits, notices: list[str]) -> list[_Stage]:
    """Where a plan has one category, all tasks stand in the first: none is lost for its heading."""
    if limits.max_categories > 1 or len(stages) < 2:
        return stages
    notices.append(f"The {len(stages)} categories of the plan were put into one.")
    tasks = [task for stage in stages for task in stage.tasks]
    return [_Stage(stages[0].name, stages[0].notes, tasks)]


def _clamped(kept: list[_Stage], limits: Limits, notices: list[str]) -> Plan:
    """The plan with no more categories and tasks than the limits allow."""
    if len(kept) > limits.max_categories:
        dropped = [stage.name for stage in kept[limits.max_categories :]]
        notices.append(
            f"The plan had {len(kept)} categories; the first {limits.max_categories} are kept, "
            f"without: {shorten(', '.join(dropped), 200)}."
        )
        kept = kept[: limits.max_categories]
    room, lost = limits.max_tasks, 0
    categories: list[Category] = []
    for name, notes, tasks in kept:
        count = min(len(tasks), limits.max_tasks_per_category, room)
        lost += len(tasks) - count
        room -= count
        if count:
            categories.append(Category(name=name, notes=notes, tasks=tuple(tasks[:count])))
    if lost:
        notices.append(
            f"{_count(lost, 'task')} above {limits.max_tasks_per_category} a category "
            "left the plan."
        )
    return Plan(categories=tuple(categories))


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
