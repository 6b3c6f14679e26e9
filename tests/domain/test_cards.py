"""A card a view, and a gate that is arithmetic."""

from __future__ import annotations

import pytest

from leadline.domain.cards import gate, gated_cards, make_cards
from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimState,
    Confidence,
    Conflict,
    ConflictKind,
    Gate,
)
from leadline.domain.events import ClaimsMerged, Entry, Event, PlanWritten, TaskFinished
from leadline.domain.plan import Category, Plan, Task, TaskState
from leadline.domain.profiles import GateRule
from leadline.domain.projection import RunView
from tests.claims_by_hand import NOW, claim, page

PLAN = Plan(
    categories=(
        Category(
            name="Costs",
            notes=("> Role: Economist",),
            tasks=(Task(id="t1", text="What does it cost?"), Task(id="t2", text="Who pays?")),
        ),
        Category(name="Empty"),
        Category(name="Critics", tasks=(Task(id="t3", text="What is criticised?"),)),
    )
)
RULE = GateRule()


def at(number: int, *tasks: str, **fields: object) -> Claim:
    """Claim ``number`` on a page of its own, found by these tasks."""
    made = claim(number, f"Statement {number}.", page(number, "Text.", date="2025-01-01"))
    return made.model_copy(
        update={"tasks": tasks, "confidence": Confidence.MEDIUM, "origins": (number,), **fields}
    )


def view_of(*claims: Claim, conflicts: tuple[Conflict, ...] = (), plan: Plan = PLAN) -> RunView:
    view = RunView()
    events: list[tuple[Event, str]] = [(PlanWritten(plan=plan, origin="model"), "")]
    failed = TaskFinished(attempt=1, state=TaskState.FAILED, reason="No page says it.")
    events.append((failed, "t2"))
    events.append((TaskFinished(attempt=1, state=TaskState.DONE, findings=()), "t1"))
    events.append((ClaimsMerged(claims=claims, origins={}, conflicts=conflicts), ""))
    for seq, (event, task) in enumerate(events, start=1):
        view.apply(Entry(seq=seq, ts=NOW, task=task, event=event))
    return view


def test_s3_27_a_card_has_role_question_claims_and_gaps() -> None:
    costs, critics = make_cards(PLAN, view_of(at(1, "t1"), at(2, "t1", "t3"), at(3, "t3")))
    assert (costs.perspective, costs.role) == ("Costs", "Economist")
    assert costs.question == "What does it cost?; Who pays?"
    assert costs.claims == ("c1", "c2")
    assert costs.gaps == ("Who pays? (No page says it.)",)
    assert critics.claims == ("c2", "c3"), "a claim of two views stands on both cards"
    assert critics.gaps == ("What is criticised?",)


def test_s3_28_counterpoints_are_what_contradicts_or_replaces_a_claim_of_the_card() -> None:
    conflicts = (
        Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c3"), reason="r"),
        Conflict(kind=ConflictKind.SUPERSEDED, claims=("c2", "c4"), reason="r"),
        Conflict(kind=ConflictKind.SUPERSEDED, claims=("c5", "c1"), reason="r"),
    )
    claims = (at(1, "t1"), at(2, "t1"), at(3, "t3"), at(4, "t3"), at(5, "t3"))
    costs, critics = make_cards(PLAN, view_of(*claims, conflicts=conflicts))
    assert costs.counterpoints == ("c3", "c4"), "c5 is older than c1 and says nothing against it"
    assert critics.counterpoints == ("c1",)


def test_s3_32_gaps_are_united_and_at_most_five() -> None:
    tasks = tuple(Task(id=f"t{n}", text=f"Open {n // 2}?") for n in range(4, 20))
    plan = Plan(categories=(Category(name="A", tasks=tasks),))
    (card,) = make_cards(plan, view_of(plan=plan))
    assert card.gaps == tuple(f"Open {n}?" for n in range(2, 7))


def judged(*claims: Claim, conflicts: tuple[Conflict, ...] = (), **checks: ClaimCheck) -> Gate:
    card = Card(perspective="A", claims=tuple(c.id for c in claims))
    return gate(card, {c.id: c for c in claims}, checks, conflicts, RULE)


def test_s3_33_accepted_from_60_points_and_three_findings_on() -> None:
    several = judged(at(1), at(2), at(3))
    assert (several.score, several.findings, several.accepted) == (84, 3, True)
    assert several.feedback == ()
    strong = tuple(at(n, origins=(1, 2, 3)) for n in (1, 2))
    two = judged(*strong)
    assert two.score == 76
    assert not two.accepted, "two findings are too few at any score"
    assert two.feedback == ("Only 2 findings; 3 are needed.",)


def test_s3_33_many_findings_of_one_origin_are_not_enough_and_it_is_said() -> None:
    alone = judged(*(at(n, origins=(1,)) for n in (1, 2, 3)))
    assert not alone.accepted
    assert alone.feedback == ("Everything rests on one origin; an independent one is needed.",)


def test_s3_33_weak_and_contradicted_findings_cost_points() -> None:
    whole = judged(at(1), at(2), at(3)).score
    weak = judged(*(at(n, confidence=Confidence.LOW) for n in (1, 2, 3)))
    assert weak.score == whole - 10
    conflict = Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="r")
    against = judged(at(1), at(2), at(3), conflicts=(conflict,))
    assert against.score == whole - 7
    settled = conflict.model_copy(update={"settled_for": "c1"})
    assert judged(at(1), at(2), at(3), conflicts=(settled,)).score == whole


@pytest.mark.parametrize("usable", [True, False])
def test_s3_33_what_a_check_found_unusable_is_no_finding(usable: bool) -> None:
    check = ClaimCheck(claim="c1", state=ClaimState.UNVERIFIED, reason="r", usable=usable)
    found = judged(at(1), at(2), at(3), c1=check)
    assert found.findings == 2 + usable
    assert found.accepted is usable


def test_s3_30_a_view_without_findings_still_has_a_card() -> None:
    costs, _ = gated_cards(PLAN, view_of(), RULE, rounds_done=2)
    assert costs.gate is not None
    assert (costs.gate.score, costs.gate.accepted, costs.gate.round) == (0, False, 2)
    assert costs.gate.feedback == ("No findings; 3 are needed.",)
    assert costs.gaps
