"""A card a view: what a category of the plan came to, and whether that is enough.

Arithmetic over claims, their checks and conflicts; no model is asked (S3-33). Claims that a check
found unusable count for nothing, and many findings of one origin never make up for a second one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

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
from leadline.domain.plan import Category, Plan, TaskState
from leadline.domain.profiles import GateRule
from leadline.domain.projection import RunView
from leadline.domain.text import shorten
from leadline.domain.views import role_of

MAX_GAPS = 5
_QUESTION_CHARS = 400
_GAP_CHARS = 300

ENOUGH_FINDINGS = 5
"""From this many findings on, more of them do not make a card better."""
ENOUGH_ORIGINS = 3
_FINDINGS_POINTS = 40
_ORIGINS_POINTS = 40
_STRONG_POINTS = 10
_UNDISPUTED_POINTS = 10


def make_cards(plan: Plan, view: RunView) -> tuple[Card, ...]:
    """A card for each category that has tasks, in the order of the plan; without its gate."""
    claims = tuple(view.claims.values())
    return tuple(
        _card(category, claims, view.conflicts, view)
        for category in plan.categories
        if category.tasks
    )


def gated_cards(plan: Plan, view: RunView, rule: GateRule, *, rounds_done: int) -> tuple[Card, ...]:
    """The cards with what the gate says of each."""
    return tuple(
        card.model_copy(
            update={
                "gate": gate(
                    card, view.claims, view.checks, view.conflicts, rule, rounds_done=rounds_done
                )
            }
        )
        for card in make_cards(plan, view)
    )


def gate(
    card: Card,
    claims: Mapping[str, Claim],
    checks: Mapping[str, ClaimCheck],
    conflicts: Sequence[Conflict],
    rule: GateRule,
    *,
    rounds_done: int = 0,
) -> Gate:
    """The score of a card and whether it is accepted; the feedback says what is missing."""
    own = [claims[i] for i in card.claims if i in claims and _is_usable(checks.get(i))]
    origins = {origin for claim in own for origin in claim.origins or claim.sources}
    weak = [claim for claim in own if is_weak(claim, checks.get(claim.id))]
    at_odds = open_conflict_ids(conflicts)
    against = [claim for claim in own if is_contradicted(claim, checks.get(claim.id), at_odds)]
    score = _score(len(own), len(origins), len(weak), len(against))
    feedback = _feedback(len(own), len(origins), len(weak), len(against), rule)
    accepted = score >= rule.score and len(own) >= rule.findings
    return Gate(
        score=score,
        findings=len(own),
        accepted=accepted,
        round=rounds_done,
        feedback=() if accepted else feedback,
    )


def is_weak(claim: Claim, check: ClaimCheck | None) -> bool:
    """Whether little stands behind a claim: low confidence, or a check that could not say."""
    return claim.confidence is Confidence.LOW or (
        check is not None and check.state is ClaimState.UNVERIFIED
    )


def is_contradicted(claim: Claim, check: ClaimCheck | None, at_odds: Collection[str]) -> bool:
    """Whether something speaks against a claim and nothing has settled it for the claim."""
    if check is not None and check.state in (ClaimState.CONTRADICTED, ClaimState.DISPUTED):
        return True
    return claim.id in at_odds


def open_conflict_ids(conflicts: Iterable[Conflict]) -> set[str]:
    """Ids of the claims that are in a contradiction which nothing has settled."""
    return {claim_id for c in conflicts if c.is_open for claim_id in c.claims}


def _is_usable(check: ClaimCheck | None) -> bool:
    return check is None or check.usable


def _score(findings: int, origins: int, weak: int, against: int) -> int:
    if not findings:
        return 0
    return round(
        _FINDINGS_POINTS * min(findings, ENOUGH_FINDINGS) / ENOUGH_FINDINGS
        + _ORIGINS_POINTS * min(origins, ENOUGH_ORIGINS) / ENOUGH_ORIGINS
        + _STRONG_POINTS * (1 - weak / findings)
        + _UNDISPUTED_POINTS * (1 - against / findings)
    )


def _feedback(
    findings: int, origins: int, weak: int, against: int, rule: GateRule
) -> tuple[str, ...]:
    said: list[str] = []
    if findings < rule.findings:
        have = f"Only {findings} findings" if findings != 1 else "Only one finding"
        said.append(f"{have if findings else 'No findings'}; {rule.findings} are needed.")
    if findings and origins < 2:
        said.append("Everything rests on one origin; an independent one is needed.")
    if weak:
        said.append(f"{weak} of {findings} findings have little behind them.")
    if against:
        said.append(f"{against} of {findings} findings are contradicted.")
    return tuple(said) or ("The findings are too few and too one-sided.",)


def _card(
    category: Category, claims: Sequence[Claim], conflicts: Sequence[Conflict], view: RunView
) -> Card:
    tasks = {task.id for task in category.tasks}
    own = tuple(claim.id for claim in claims if tasks & set(claim.tasks))
    return Card(
        perspective=category.name,
        role=role_of(category),
        question=shorten("; ".join(task.text for task in category.tasks), _QUESTION_CHARS),
        claims=own,
        counterpoints=_counterpoints(own, conflicts),
        gaps=_gaps(category, view),
    )


def _counterpoints(own: Collection[str], conflicts: Sequence[Conflict]) -> tuple[str, ...]:
    """Claims that contradict or replace one of the card's own."""
    found: dict[str, None] = {}
    for conflict in conflicts:
        first, second = conflict.claims
        if first in own:
            found[second] = None
        if second in own and conflict.kind is ConflictKind.CONTRADICTION:
            found[first] = None
    return tuple(found)


def _gaps(category: Category, view: RunView) -> tuple[str, ...]:
    """What the view's tasks left open, each once."""
    found: dict[str, str] = {}
    for task in category.tasks:
        state = view.tasks[task.id].state if task.id in view.tasks else task.state
        if state is TaskState.DONE:
            continue
        reason = view.tasks[task.id].reason if task.id in view.tasks else ""
        said = shorten(f"{task.text} ({reason})" if reason else task.text, _GAP_CHARS)
        found.setdefault("".join(task.text.casefold().split()), said)
    return tuple(found.values())[:MAX_GAPS]
