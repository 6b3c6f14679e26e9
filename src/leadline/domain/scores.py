"""Scores of claims, the overall score, and what the claims show together. Arithmetic (W3-16).

Each claim has three scores of 1 to 5: the class of its best source, what the checks came to, and
how many independent origins and views carry it. Views that share one origin are one voice (W3-15).
Whatever is missing counts as the lowest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from leadline.domain.claims import (
    Card,
    Claim,
    ClaimCheck,
    ClaimScore,
    ClaimState,
    Conflict,
    ConflictKind,
    Insights,
)
from leadline.domain.evidence import Source
from leadline.domain.statement_tables import CURRENCIES
from leadline.domain.statements import read_statement

MAX_BLIND_SPOTS = 20


class SourceClass(NamedTuple):
    """What kind of source it is: a name, 1 to 4 stars, and why that many (S3-18)."""

    name: str
    stars: int
    reason: str


ClassOf = Callable[[Source], SourceClass]

_OF_STATE = {
    ClaimState.SUPPORTED: 5,
    ClaimState.QUALIFIED: 4,
    ClaimState.DISPUTED: 2,
    ClaimState.UNVERIFIED: 2,
    ClaimState.NOT_CHECKED: 2,
    ClaimState.CONTRADICTED: 1,
}
_STANDING = (ClaimState.SUPPORTED, ClaimState.QUALIFIED, ClaimState.NOT_CHECKED)
_SUPERSEDED = 3
"""A value that was right when it was written."""
_OF_ORIGINS = {0: 1, 1: 1, 2: 3, 3: 4}
_MOST = 5

_CURRENT = re.compile(
    r"\b(?:currently|current|now|today|as of|at present|latest|so far|to date)\b"
    r"|目前|当前|现在|现有|截至|迄今|最新",
    re.IGNORECASE,
)


def score_claims(
    claims: Sequence[Claim],
    checks: Mapping[str, ClaimCheck],
    sources: Mapping[int, Source],
    origins: Mapping[int, int],
    cards: Sequence[Card],
    source_class: ClassOf,
) -> tuple[ClaimScore, ...]:
    """One score a claim, in their order, each with the reasons of its three numbers (S3-43)."""
    found: list[ClaimScore] = []
    for claim in claims:
        reliability, of_class = _reliability(claim, sources, source_class)
        verification, of_check = _verification(checks.get(claim.id))
        coverage, of_origins = _coverage(claim, origins, cards)
        found.append(
            ClaimScore(
                claim=claim.id,
                reliability=reliability,
                verification=verification,
                coverage=coverage,
                reasons=(of_class, of_check, of_origins),
            )
        )
    return tuple(found)


def overall(scores: Iterable[ClaimScore]) -> int:
    """The mean of all claims on a scale of 0 (all at the lowest) to 100; 0 without claims."""
    totals = [score.total for score in scores]
    if not totals:
        return 0
    lowest, highest = 3, 15
    return round(100 * (sum(totals) / len(totals) - lowest) / (highest - lowest))


def insights(
    claims: Sequence[Claim],
    checks: Mapping[str, ClaimCheck],
    conflicts: Sequence[Conflict],
    cards: Sequence[Card],
) -> Insights:
    """What the claims show together (S3-44)."""
    superseded = {c.claims[0] for c in conflicts if c.kind is ConflictKind.SUPERSEDED}
    contradictions = tuple(c for c in conflicts if c.kind is ConflictKind.CONTRADICTION)
    lost = {i for c in contradictions for i in c.claims if i != c.settled_for}
    return Insights(
        consensus=tuple(
            claim.id
            for claim in claims
            if len(claim.origins) >= 2
            and claim.id not in superseded | lost
            and _stands(checks.get(claim.id))
        ),
        contradictions=contradictions,
        blind_spots=_blind_spots(cards),
        time_sensitive=tuple(
            claim.id for claim in claims if claim.id in superseded or is_time_sensitive(claim.text)
        ),
    )


def is_time_sensitive(text: str) -> bool:
    """Whether a statement holds for a time only: a price, a present count, a value of a year."""
    statement = read_statement(text)
    units = {quantity.unit for quantity in statement.quantities}
    if units & _MONEY or (statement.numbers and any(sign in text for sign in "€$£¥₹₽元")):
        return True
    if statement.years and any(not unit.startswith(_DATE_UNITS) for unit in units):
        return True
    return bool(statement.numbers and _CURRENT.search(text))


_DATE_UNITS = ("date", "月", "日", "号")
_MONEY = frozenset(
    {*CURRENCIES.values(), "yuan", "crown", "cent", "franc", "ruble", "won", "peso", "real"}
)


def _reliability(
    claim: Claim, sources: Mapping[int, Source], source_class: ClassOf
) -> tuple[int, str]:
    """The class of the best source, one more than its stars, one less where nobody signs it."""
    graded = [
        (found.stars + 1 - (not source.author and not source.date), found, source)
        for number in claim.sources
        if (source := sources.get(number)) is not None
        for found in (source_class(source),)
    ]
    if not graded:
        return 1, "No source of it is known."
    points, best, source = max(graded, key=lambda one: one[0])
    unsigned = "" if source.author or source.date else " It names neither author nor date."
    return max(1, min(_MOST, points)), (
        f"Best source, {source.site or source.url}: {best.name}. {best.reason}{unsigned}"
    )


def _verification(check: ClaimCheck | None) -> tuple[int, str]:
    if check is None:
        return 1, "There is no check of it."
    points = _OF_STATE[check.state]
    if check.superseded_by:
        points = min(points, _SUPERSEDED)
    if not check.usable:
        points = 1
    return points, f"Checked: {check.state}."


def _coverage(claim: Claim, origins: Mapping[int, int], cards: Sequence[Card]) -> tuple[int, str]:
    """Independent origins; several views count as more only where they have several origins."""
    independent = len(set(claim.origins)) or len({origins.get(i, i) for i in claim.sources})
    views = sum(claim.id in card.claims for card in cards)
    points = _OF_ORIGINS.get(independent, _MOST)
    if independent >= 2 and views >= 2:
        points = min(_MOST, points + 1)
    return points, (
        f"{independent} independent origin{'' if independent == 1 else 's'}, "
        f"{views} view{'' if views == 1 else 's'}."
    )


def _stands(check: ClaimCheck | None) -> bool:
    """Whether a check leaves a claim standing; without one it does not."""
    return check is not None and check.usable and check.state in _STANDING


def _blind_spots(cards: Sequence[Card]) -> tuple[str, ...]:
    """What stayed open: the gaps of all views, and views without a single claim."""
    found: dict[str, None] = {}
    for card in cards:
        spots = card.gaps or (() if card.claims else (card.question,))
        found.update(dict.fromkeys(spots))
    return tuple(found)[:MAX_BLIND_SPOTS]
