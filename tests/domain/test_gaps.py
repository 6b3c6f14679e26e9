"""Gaps are found by code, and no question is asked twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.domain.cards import gated_cards
from leadline.domain.claims import Confidence, Conflict, ConflictKind
from leadline.domain.gaps import Asked, Gap, GapKind, find_gaps
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.profiles import GateRule
from leadline.domain.projection import RunView, TaskView
from tests.domain.strategies import any_text
from tests.domain.test_cards import PLAN, at, view_of

RULE = GateRule()
ODDS = Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="They give 3 and 4.")


def gaps_of(view: RunView, *, rounds_done: int = 0) -> tuple[Gap, ...]:
    plan = view.plan or PLAN
    cards = gated_cards(plan, view, RULE, rounds_done=rounds_done)
    return find_gaps(plan, view, cards, RULE, rounds_done=rounds_done)


def kinds(view: RunView, *, rounds_done: int = 0) -> list[GapKind]:
    return [gap.kind for gap in gaps_of(view, rounds_done=rounds_done)]


def test_a_contradiction_is_a_gap_with_both_claims_until_it_is_settled() -> None:
    view = view_of(at(1, "t1"), at(2, "t3"), conflicts=(ODDS,))
    first = gaps_of(view)[0]
    assert first.kind is GapKind.CONTRADICTION
    assert first.about == ("Statement 1.", "Statement 2.")
    assert (first.detail, first.category) == ("They give 3 and 4.", "Costs")
    settled = ODDS.model_copy(update={"settled_for": "c1"})
    assert GapKind.CONTRADICTION not in kinds(view_of(at(1), at(2), conflicts=(settled,)))
    stale = ODDS.model_copy(update={"kind": ConflictKind.SUPERSEDED})
    assert GapKind.CONTRADICTION not in kinds(view_of(at(1), at(2), conflicts=(stale,)))


def test_a_failed_task_is_a_gap_with_its_reason() -> None:
    failed = next(gap for gap in gaps_of(view_of()) if gap.kind is GapKind.FAILED)
    assert failed.about == ("Who pays?",)
    assert (failed.detail, failed.category) == ("No page says it.", "Costs")


def test_a_task_that_a_person_ticked_as_failed_is_left_alone() -> None:
    view = view_of()
    view.tasks = {**view.tasks, "t2": view.tasks["t2"]._replace(by_user=True)}
    assert GapKind.FAILED not in kinds(view)


@pytest.mark.parametrize(("rounds_done", "followed"), [(0, True), (1, True), (2, False)])
def test_s3_33_a_card_is_followed_up_at_most_twice(rounds_done: int, followed: bool) -> None:
    view = view_of(at(1, "t1"))
    found = [g for g in gaps_of(view, rounds_done=rounds_done) if g.kind is GapKind.VIEW]
    assert bool(found) is followed
    if followed:
        assert found[0].category == "Costs"
        assert "Only one finding; 3 are needed." in found[0].detail


@pytest.mark.parametrize(("rounds_done", "followed"), [(0, True), (1, False)])
def test_s3_32_claims_of_low_confidence_get_one_follow_up_round(
    rounds_done: int, followed: bool
) -> None:
    weak = at(1, "t1", confidence=Confidence.LOW, date="")
    assert (GapKind.WEAK in kinds(view_of(weak), rounds_done=rounds_done)) is followed
    assert GapKind.WEAK not in kinds(view_of(at(1, "t1")))


def test_an_undated_value_that_changes_in_time_is_weak_at_any_number_of_origins() -> None:
    priced = at(1, "t1", text="A crossing costs 7.20 crowns.", date="", origins=(1, 2))
    priced = priced.model_copy(update={"confidence": Confidence.HIGH})
    (gap,) = (g for g in gaps_of(view_of(priced)) if g.kind is GapKind.WEAK)
    assert "no source has a date" in gap.detail
    dated = priced.model_copy(update={"date": "2026-01-01"})
    assert GapKind.WEAK not in kinds(view_of(dated))


def test_a_value_that_is_replaced_already_is_not_looked_for() -> None:
    weak = [at(n, "t1", confidence=Confidence.LOW) for n in (1, 2)]
    stale = ODDS.model_copy(update={"kind": ConflictKind.SUPERSEDED})
    found = [g.about for g in gaps_of(view_of(*weak, conflicts=(stale,))) if g.kind is GapKind.WEAK]
    assert found == [("Statement 2.",)]


TOPIC = "The electric tidal ferry of Quorrow"


def asked(*texts: str, failed: str = "", deleted: str = "", searched: str = "old words") -> Asked:
    tasks = [Task(text=t) for t in texts]
    if failed:
        tasks.append(Task(text=failed, state=TaskState.FAILED))
    plan = Plan(categories=(Category(name="A", tasks=tuple(tasks)),))
    ever = [TaskView("t9", text=deleted, queries=(searched,))] if deleted else []
    return Asked(TOPIC, plan, ever)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("What does the bridge cost?", "The cost of the bridge"),
        ("Who runs the ferry to Quorrow, since 2019?", "Who runs the Quorrow ferry since 2019"),
        ("阔罗岛渡轮的票价", "阔罗岛渡轮的票价？"),
    ],
)
def test_a_question_is_not_asked_twice_in_other_words(known: str, new: str) -> None:
    assert asked(known).is_repeat(new, ("new words",))
    assert asked(deleted=known).is_repeat(new, ("new words",)), "nor when a person deleted it"


def test_questions_that_share_the_subject_alone_are_two() -> None:
    frame = "The electric tidal ferry of Quorrow: {}"
    known = asked(frame.format("cost"), frame.format("noise"))
    assert not known.is_repeat(frame.format("ridership"), ("q",))
    assert known.is_repeat(frame.format("costs"), ("q",))


def test_a_failed_question_may_be_asked_once_more_in_other_words_with_another_search() -> None:
    failed = "Costs and funding of the tidal ferry of Quorrow since 2020"
    again = f"In other words: {failed}"
    known = asked(failed=failed, deleted="Other", searched="ferry funding")
    assert known.is_repeat(failed, ("new words",))
    assert known.is_repeat(again, ("ferry funding",))
    assert not known.is_repeat(again, ("new words",))
    known.add(Task(text=again, queries=("new words",)))
    assert known.is_repeat(again, ("newest words",))


@given(any_text, st.lists(any_text, max_size=3))
def test_any_question_is_new_at_most_once(text: str, queries: list[str]) -> None:
    known = asked("Something else entirely")
    known.add(Task(text=text, queries=tuple(queries)))
    assert known.is_repeat(text, queries)
