"""What is still missing, found by code, and which proposed questions are new.

Gaps are claims that contradict each other, failed tasks, views that their gate did not accept, and
claims with little behind them. Invariant: no question is asked twice, also not one that a person
deleted from the plan; a failed one may be asked once more in other words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from leadline.domain.cards import is_weak
from leadline.domain.claims import Card, Claim, ConflictKind
from leadline.domain.plan import Plan, Task, TaskState
from leadline.domain.profiles import GateRule
from leadline.domain.projection import RunView, TaskView
from leadline.domain.scores import is_time_sensitive
from leadline.domain.subject import research_object
from leadline.domain.text import shorten, terms

MAX_WEAK = 5
MAX_GAPS = 20
_TEXT_CHARS = 300
_ALIKE = 0.8
"""Share of common words from which two questions are one."""
_ALIKE_WITHOUT_SUBJECT = 0.5
"""The same without the words of the topic's subject, which all questions share."""


class GapKind(StrEnum):
    """What is missing."""

    CONTRADICTION = "contradiction"
    FAILED = "failed task"
    VIEW = "thin view"
    WEAK = "weak claim"


class Gap(BaseModel):
    """One thing that further research could settle."""

    model_config = ConfigDict(frozen=True)

    kind: GapKind
    about: tuple[str, ...] = Field(
        min_length=1, description="The question, or the claim; of a contradiction both claims."
    )
    detail: str = Field("", description="Why it is a gap.")
    category: str = Field("", description="Where in the plan it belongs.")


def find_gaps(
    plan: Plan, view: RunView, cards: Sequence[Card], rule: GateRule, *, rounds_done: int
) -> tuple[Gap, ...]:
    """The gaps of a run, the most telling first.

    ``rounds_done`` is how many follow-up rounds the run had: views and weak claims are followed up
    only so often as ``rule`` says (S3-33, S3-32).
    """
    found = [*_contradictions(plan, view), *_failed(plan, view)]
    if rounds_done < rule.rounds:
        found.extend(_thin_views(cards))
    if rounds_done < rule.weak_rounds:
        found.extend(_weak(plan, view))
    return tuple(found[:MAX_GAPS])


def _contradictions(plan: Plan, view: RunView) -> Iterator[Gap]:
    for conflict in view.conflicts:
        pair = [view.claims[i] for i in conflict.claims if i in view.claims]
        if conflict.is_open and len(pair) == 2:
            yield Gap(
                kind=GapKind.CONTRADICTION,
                about=tuple(shorten(claim.text, _TEXT_CHARS) for claim in pair),
                detail=conflict.reason,
                category=_category_of(plan, pair[0]),
            )


def _failed(plan: Plan, view: RunView) -> Iterator[Gap]:
    """Failed tasks; one that a person ticked as failed is not to be researched."""
    for category in plan.categories:
        for task in category.tasks:
            known = view.tasks.get(task.id, TaskView(task.id))
            if task.state is TaskState.FAILED and not known.by_user:
                yield Gap(
                    kind=GapKind.FAILED,
                    about=(shorten(task.text, _TEXT_CHARS),),
                    detail=shorten(known.reason, _TEXT_CHARS),
                    category=category.name,
                )


def _thin_views(cards: Sequence[Card]) -> Iterator[Gap]:
    for card in cards:
        if card.gate is not None and not card.gate.accepted:
            yield Gap(
                kind=GapKind.VIEW,
                about=(shorten(card.question, _TEXT_CHARS),),
                detail=" ".join(card.gate.feedback),
                category=card.perspective,
            )


def _weak(plan: Plan, view: RunView) -> Iterator[Gap]:
    """Claims of one undated origin, and undated ones whose value changes in time."""
    replaced = {c.claims[0] for c in view.conflicts if c.kind is ConflictKind.SUPERSEDED}
    count = 0
    for claim in view.claims.values():
        undated = not claim.date and is_time_sensitive(claim.text)
        if claim.id in replaced or not (undated or is_weak(claim, None)):
            continue
        count += 1
        if count > MAX_WEAK:
            return
        yield Gap(
            kind=GapKind.WEAK,
            about=(shorten(claim.text, _TEXT_CHARS),),
            detail="Its value changes in time and no source has a date."
            if undated
            else "It rests on one source without a date.",
            category=_category_of(plan, claim),
        )


def _category_of(plan: Plan, claim: Claim) -> str:
    found = (plan.category_of(task_id) for task_id in claim.tasks)
    return next((category.name for category in found if category), "")


class Asked:
    """Every question that a run ever had, and every search it made."""

    def __init__(self, topic: str, plan: Plan, ever: Iterable[TaskView]) -> None:
        """``ever`` are all tasks of the log, those that a person removed among them."""
        known, tasks = list(ever), list(plan.tasks())
        self._frame = terms(research_object(topic))
        self._questions = [terms(task.text) for task in tasks]
        self._questions += [terms(view.text) for view in known]
        self._failed = [terms(t.text) for t in tasks if t.state is TaskState.FAILED]
        self._searches = {frozenset(terms(q)) for t in tasks for q in t.queries}
        self._searches |= {frozenset(terms(q)) for view in known for q in view.queries}

    def is_repeat(self, text: str, queries: Sequence[str]) -> bool:
        """Whether a question was asked before.

        One that is much like a failed question is none when it is worded otherwise and searches
        for something else.
        """
        wanted = terms(text)
        if not wanted or wanted in self._questions:
            return True
        alike = [known for known in self._questions if self._are_alike(wanted, known)]
        if not alike:
            return False
        fresh = any(frozenset(terms(query)) not in self._searches for query in queries)
        return not (fresh and all(known in self._failed for known in alike))

    def add(self, task: Task) -> None:
        """Count a question that is asked from now on."""
        self._questions.append(terms(task.text))
        self._searches |= {frozenset(terms(query)) for query in task.queries}

    def _are_alike(self, one: set[str], other: set[str]) -> bool:
        """Much the same words, and not by the subject's name alone."""
        if _likeness(one, other) < _ALIKE:
            return False
        rests = one - self._frame, other - self._frame
        return rests == (set(), set()) or _likeness(*rests) >= _ALIKE_WITHOUT_SUBJECT


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
