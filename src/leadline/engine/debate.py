"""Level ``debate``: what was verified is attacked and defended, card by card (S3-34 to S3-41).

    verifier (done before) ─▶ refuter searches ─▶ challenges ─▶ rebuttal ─▶ adjudicator

A card is a category of the plan; cards go side by side. A card whose claims are all supported ends
there, except that claims of high impact are attacked in any case (W3-7): one lenient reviewer is
not enough for what a reader will rely on. Whatever fails leaves things as uncertain as they were.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from leadline.domain.claims import Challenge, Claim, Verdict
from leadline.domain.events import ConflictFound
from leadline.domain.evidence import PassageRef
from leadline.domain.plan import Task
from leadline.domain.ranking import rank
from leadline.domain.text import numbers, shorten
from leadline.engine.checks import Checks
from leadline.engine.claims import Store
from leadline.engine.context import RunContext
from leadline.engine.task_runner import run_task
from leadline.errors import LeadlineError, LimitReached, ModelError
from leadline.models.debate_requests import (
    AdjudicateRequest,
    ChallengeRequest,
    CounterSearch,
    RebuttalRequest,
    RefuteRequest,
)
from leadline.models.verification_requests import ShownPassage

COUNTER_PASSAGES = 12
"""Passages of other sources that a refuter is shown with the claims of a card."""
PARALLEL_CARDS = 4


async def debate(
    context: RunContext, store: Store, claims: Sequence[Claim], checks: Checks
) -> None:
    """Debate claims that were judged, and let their open contradictions be adjudicated."""
    gate = asyncio.Semaphore(PARALLEL_CARDS)
    cards = _cards(context, claims)
    await asyncio.gather(*(_card(context, store, gate, card, checks) for card in cards))
    mine = {claim.id for claim in claims}
    open_ones = [c for c in context.session.view.conflicts if c.is_open and mine & {*c.claims}]
    for conflict in open_ones:
        known = context.session.view.claims
        pair = tuple(known[i] for i in conflict.claims)
        request = AdjudicateRequest(
            language=context.language,
            claims=pair,
            passages=_shown(store, pair, _rivals(context, pair)),
            conflict=conflict,
        )
        try:
            context.budget.check()
            settled = await context.model_for("adjudicator").ask(request)
        except (ModelError, LimitReached) as error:
            context.notice(f"A contradiction could not be adjudicated: {error}", warning=True)
            return
        if settled.settled_for:
            context.session.emit(ConflictFound(conflict=settled))


def _cards(context: RunContext, claims: Sequence[Claim]) -> list[list[Claim]]:
    """The claims by category of the plan, each once."""
    left = {claim.id: claim for claim in claims}
    cards: list[list[Claim]] = []
    for category in context.plan.categories:
        tasks = {task.id for task in category.tasks}
        mine = [claim for claim in left.values() if tasks & {*claim.tasks}]
        left = {key: claim for key, claim in left.items() if claim not in mine}
        if mine:
            cards.append(mine)
    return cards


async def _card(
    context: RunContext,
    store: Store,
    gate: asyncio.Semaphore,
    claims: Sequence[Claim],
    checks: Checks,
) -> None:
    """Debate one card; a card that was cut short is debated again by a resume."""
    most = context.config.limits.debate_claims
    chosen = contested(claims, checks)
    if len(chosen) > most:
        context.notice(f"{len(chosen) - most} of {len(chosen)} claims were not debated (limit).")
    chosen = chosen[:most]
    async with gate:
        try:
            challenges = await _debated(context, store, chosen) if chosen else ()
        except (ModelError, LimitReached) as error:
            context.notice(f"A debate ended early: {error}", warning=True)
            return
    for challenge in challenges:
        checks.challenges.setdefault(challenge.claim, []).append(challenge)
    checks.debated.update(claim.id for claim in claims)


async def _debated(
    context: RunContext, store: Store, claims: Sequence[Claim]
) -> tuple[Challenge, ...]:
    """The challenges to these claims, each with its ruling."""
    context.budget.check()
    searches = await _searches(context, store, claims)
    found = await _search(context, searches)
    challenges = await _challenged(context, store, claims, found)
    return await _ruled(context, store, claims, challenges) if challenges else ()


def contested(claims: Iterable[Claim], checks: Checks) -> list[Claim]:
    """Claims worth a debate: the doubtful first, then those of high impact.

    High impact is a stated number that rests on one origin alone: a reader relies on it, and
    nothing else bears it out.
    """
    doubtful: list[Claim] = []
    weighty: list[Claim] = []
    for claim in claims:
        said = checks.judgements.get(claim.id)
        if checks.code[claim.id].problems or not said:
            continue  # there is nothing to attack
        if said[-1].verdict is not Verdict.SUPPORTS:
            doubtful.append(claim)
        elif numbers(claim.text) and len(claim.origins) < 2:
            weighty.append(claim)
    return doubtful + weighty


async def _searches(
    context: RunContext, store: Store, claims: Sequence[Claim]
) -> tuple[CounterSearch, ...]:
    most = context.config.limits.debate_searches
    if not most:
        return ()
    request = RefuteRequest(
        topic=context.topic,
        claims=tuple(claims),
        passages=_shown(store, claims, ()),
        most=most,
    )
    return await context.model_for("refuter").ask(request)


async def _search(context: RunContext, searches: Sequence[CounterSearch]) -> set[PassageRef]:
    """Run the searches with browsers and return the passages that they found.

    Their tasks (``x1``, ``x2`` …) are in the log and not in the plan: what they find is counter-
    evidence, and no part of the report.
    """
    if not searches:
        return set()
    view = context.session.view
    first = 1 + max((int(i[1:]) for i in view.tasks if i[1:].isdigit() and i[0] == "x"), default=0)
    tasks = [
        Task(
            id=f"x{number}",
            text=f"What speaks against this: {shorten(view.claims[search.claim].text, 240)}",
            queries=(search.query,),
        )
        for number, search in enumerate(searches, start=first)
    ]
    results = await asyncio.gather(
        *(run_task(context, task) for task in tasks), return_exceptions=True
    )
    for result in results:
        if isinstance(result, LeadlineError):
            context.notice(f"A search for counter-evidence failed: {result}", warning=True)
        elif isinstance(result, BaseException):
            raise result
    ids = {task.id for task in tasks}
    findings = context.session.view.findings.values()
    return {ref for finding in findings if finding.task in ids for ref in finding.passages}


async def _challenged(
    context: RunContext, store: Store, claims: Sequence[Claim], found: set[PassageRef]
) -> tuple[Challenge, ...]:
    request = ChallengeRequest(
        language=context.language,
        claims=tuple(claims),
        passages=_shown(store, claims, (*sorted(found, key=str), *_rivals(context, claims))),
    )
    return await context.model_for("refuter").ask(request)


async def _ruled(
    context: RunContext, store: Store, claims: Sequence[Claim], challenges: tuple[Challenge, ...]
) -> tuple[Challenge, ...]:
    """The challenges with their rulings; without an answer they stand as they are."""
    against = (ref for challenge in challenges for ref in challenge.passages)
    request = RebuttalRequest(
        language=context.language,
        claims=tuple(claims),
        passages=_shown(store, claims, against),
        challenges=challenges,
    )
    try:
        return await context.model_for("verifier").ask(request)
    except ModelError as error:
        context.notice(f"Challenges stayed unanswered: {error}", warning=True)
        return challenges


def _rivals(context: RunContext, claims: Sequence[Claim]) -> list[PassageRef]:
    """Passages of other sources that speak of the same, from what the run found."""
    own = {number for claim in claims for number in claim.sources}
    others = [f for f in context.session.view.findings.values() if f.passages[0].source not in own]
    ranked = rank(" ".join(c.text for c in claims), [f.claim for f in others])
    return [others[i].passages[0] for i, _ in ranked[:COUNTER_PASSAGES]]


def _shown(
    store: Store, claims: Sequence[Claim], further: Iterable[PassageRef]
) -> tuple[ShownPassage, ...]:
    own = [ref for claim in claims for ref in claim.passages]
    return store.shown([*own, *list(further)[: 2 * COUNTER_PASSAGES]])
