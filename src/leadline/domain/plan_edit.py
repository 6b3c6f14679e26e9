"""What a person changed in the plan file since Leadline last wrote it.

The file shows no ids, so tasks are matched: by the same text first, then by place and likeness.
Fail closed: a task that has evidence (done or failed) keeps its id only for a wording that is
still like the old one, so that findings never end up under another question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.plan_markdown import clean_category_name, parse_plan, render_plan
from leadline.domain.text import one_line

_ALIKE = 0.6
"""From this likeness on, two wordings in one category are the same task."""
_STILL_ALIKE = 0.4
"""What a wording in the same place must keep when its task has evidence already."""
_COMPARED_PAIRS = 20_000
"""Likeness costs time; plans with more left-over pairs are matched by place alone."""
_COMPARED_CHARS = 300

_ID = re.compile(r"t(\d+)", re.ASCII)


@dataclass(frozen=True)
class PlanEdit:
    """An edited plan with the ids and queries of the tasks it kept, and what is different.

    ``ticked``: a person set the box to done or failed (new tasks included); ``unticked``: opened
    it again. ``changed`` counts anything that the file shows, notes and names included.
    """

    plan: Plan
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    ticked: tuple[str, ...] = ()
    unticked: tuple[str, ...] = ()
    moved: bool = False
    changed: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the file says what was last written."""
        return not self.changed


@dataclass(frozen=True)
class _Place:
    """A task with where it stands: its category's position and name, and its own position."""

    task: Task
    category: int
    name: str
    text: str


def _places(plan: Plan) -> list[_Place]:
    return [
        _Place(task, index, _key(clean_category_name(category.name)), one_line(task.text))
        for index, category in enumerate(plan.categories)
        for task in category.tasks
    ]


def _key(text: str) -> str:
    """A text without case and blanks."""
    return "".join(text.casefold().split())


def _likeness(old: str, new: str) -> float:
    a, b = old[:_COMPARED_CHARS].casefold(), new[:_COMPARED_CHARS].casefold()
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.real_quick_ratio() < _STILL_ALIKE or matcher.quick_ratio() < _STILL_ALIKE:
        return 0.0
    return matcher.ratio()


class _Matching:
    """Pairs of old and new tasks, each used once."""

    def __init__(self, old: list[_Place], new: list[_Place]) -> None:
        self.old, self.new = old, new
        self.old_of: dict[int, int] = {}
        self.used: set[int] = set()

    def pair(self, old: int, new: int) -> None:
        self.old_of[new] = old
        self.used.add(old)

    def by_key(self, key: Callable[[_Place], object]) -> None:
        """Pair what has the same key, in the order of both."""
        waiting: dict[object, list[int]] = defaultdict(list)
        for index in self.free_old():
            waiting[key(self.old[index])].append(index)
        for index in self.free_new():
            candidates = waiting.get(key(self.new[index]))
            if candidates:
                self.pair(candidates.pop(0), index)

    def free_old(self) -> list[int]:
        return [i for i in range(len(self.old)) if i not in self.used]

    def free_new(self) -> list[int]:
        return [i for i in range(len(self.new)) if i not in self.old_of]

    def by_likeness(self, *, same_category: bool) -> None:
        """Pair the most alike first, from ``_ALIKE`` on."""
        olds, news = self.free_old(), self.free_new()
        if not olds or not news or len(olds) * len(news) > _COMPARED_PAIRS:
            return
        scored = [
            (-likeness, i, j)
            for i in olds
            for j in news
            if (self.old[i].name == self.new[j].name or not same_category)
            and (likeness := _likeness(self.old[i].text, self.new[j].text)) >= _ALIKE
        ]
        for _, i, j in sorted(scored):
            if i not in self.used and j not in self.old_of:
                self.pair(i, j)

    def by_place(self) -> None:
        """Pair what is left in the same gap of the same category, when it is one for one."""
        new_of = {old: new for new, old in self.old_of.items()}
        old_gaps = _gaps(self.old, new_of)
        new_gaps = _gaps(self.new, {new: new for new in self.old_of})
        for gap, olds in old_gaps.items():
            news = new_gaps.get(gap, [])
            if len(olds) != len(news):
                continue
            for i, j in zip(olds, news, strict=True):
                old, new = self.old[i], self.new[j]
                if (
                    old.task.state is TaskState.OPEN
                    or _likeness(old.text, new.text) >= _STILL_ALIKE
                ):
                    self.pair(i, j)


def _gaps(places: list[_Place], anchors: dict[int, int]) -> dict[tuple[str, int], list[int]]:
    """Unpaired positions by category and by the pair that stands before them (-1: none)."""
    gaps: dict[tuple[str, int], list[int]] = defaultdict(list)
    before, category = -1, -1
    for index, place in enumerate(places):
        if place.category != category:
            before, category = -1, place.category
        if index in anchors:
            before = anchors[index]
        else:
            gaps[place.name, before].append(index)
    return gaps


def reconcile(last_written: Plan, edited: Plan, *, first_free: int = 1) -> PlanEdit:
    """Match ``edited`` (as parsed from the file) against the plan that Leadline last wrote.

    New tasks get ids above every id of ``last_written`` and not below ``t{first_free}``. A task
    that was reworded keeps its id and loses its stored queries, which were for the old wording.
    """
    last_written = last_written.numbered(first_free)
    shown = parse_plan(render_plan(last_written))
    if _bare(edited) == shown:
        return PlanEdit(plan=last_written)
    matching = _Matching(_places(last_written), _places(edited))
    matching.by_key(lambda p: (p.name, p.text))
    matching.by_key(lambda p: p.text)
    matching.by_key(lambda p: _key(p.text))
    matching.by_likeness(same_category=True)
    matching.by_place()
    matching.by_likeness(same_category=False)
    return _edit(last_written, edited, matching, first_free)


def _bare(plan: Plan) -> Plan:
    """The plan as its file shows it: no ids, no queries."""
    return Plan(
        notes=plan.notes,
        categories=tuple(
            Category(
                name=c.name,
                notes=c.notes,
                tasks=tuple(Task(text=t.text, state=t.state, notes=t.notes) for t in c.tasks),
            )
            for c in plan.categories
        ),
    )


def _edit(last_written: Plan, edited: Plan, matching: _Matching, first_free: int) -> PlanEdit:
    """Carry ids and queries over and say what is different."""
    taken = [int(m[1]) for t in last_written.tasks() if (m := _ID.fullmatch(t.id))]
    plan = _carried(edited, matching).numbered(max([first_free, *(n + 1 for n in taken)]))
    before = {task.id: task for task in last_written.tasks()}
    kept = [task for task in plan.tasks() if task.id in before]
    present = {task.id for task in plan.tasks()}
    added = [task for task in plan.tasks() if task.id not in before]
    return PlanEdit(
        plan=plan,
        added=_ids(added),
        removed=tuple(i for i in before if i not in present),
        reworded=_ids(t for t in kept if t.text != one_line(before[t.id].text)),
        ticked=_ids(
            t
            for t in plan.tasks()
            if t.state is not TaskState.OPEN
            and t.state is not (before[t.id].state if t.id in before else TaskState.OPEN)
        ),
        unticked=_ids(
            t for t in kept if t.state is TaskState.OPEN and before[t.id].state is not t.state
        ),
        moved=_moved(last_written, plan),
        changed=True,
    )


def _ids(tasks: Iterable[Task]) -> tuple[str, ...]:
    return tuple(task.id for task in tasks)


def _carried(edited: Plan, matching: _Matching) -> Plan:
    """The edited plan with the ids of matched tasks; other tasks have none yet."""
    position = 0
    categories: list[Category] = []
    for category in edited.categories:
        tasks: list[Task] = []
        for task in category.tasks:
            old = matching.old_of.get(position)
            position += 1
            update: dict[str, object] = {"id": "", "queries": ()}
            if old is not None:
                known = matching.old[old]
                same = one_line(task.text) == known.text
                update = {"id": known.task.id, "queries": known.task.queries if same else ()}
            tasks.append(task.model_copy(update=update))
        categories.append(category.model_copy(update={"tasks": tuple(tasks)}))
    return edited.model_copy(update={"categories": tuple(categories)})


def _moved(before: Plan, after: Plan) -> bool:
    """Whether tasks that both plans have stand in another order or are grouped otherwise."""
    place_before = {t.id: i for i, c in enumerate(before.categories) for t in c.tasks}
    place_after = {t.id: i for i, c in enumerate(after.categories) for t in c.tasks}
    kept = [task_id for task_id in place_before if task_id in place_after]
    if kept != [task_id for task_id in place_after if task_id in place_before]:
        return True
    pairs = {(place_before[i], place_after[i]) for i in kept}
    return not len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
