"""The ``verify`` node: findings become claims, and each claim gets exactly one check.

Code checks always. At level ``check`` one verifier judges the claims of some sources in a call;
``debate`` (``engine/debate``) goes on from there. Whatever fails leaves its claims unverified with
the reason, and the run goes on: a check that could not be made is no reason to lose a report.
A resume asks only about claims that are new, changed, or were left without an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from leadline.domain.claims import Claim, Conflict, ConflictKind, Verification, fingerprint
from leadline.domain.editions import newer_editions, outdated
from leadline.domain.events import ClaimChecked, ConflictFound
from leadline.domain.run import RunStatus
from leadline.domain.text import estimate_tokens, terms
from leadline.domain.verdicts import conclude
from leadline.engine.checks import Checks
from leadline.engine.claims import Store, code_checks, take_claims
from leadline.engine.context import RunContext
from leadline.engine.debate import debate
from leadline.errors import LeadlineError, LimitReached, ModelError
from leadline.models.verification_requests import AtOdds, VerifyRequest, claim_line, passage_lines

PARALLEL_CALLS = 4
CLAIMS_A_CALL = 14
CALL_TOKENS = 6000
"""Of claims and passages in one call, unless the model can take in less."""
SHARED_WORDS = 2
"""Words that two claims must share before a verifier's word makes them contradict each other."""


async def verify(context: RunContext) -> None:
    """Check every claim that the report may state; each one then has its check in the log."""
    session, level = context.session, context.config.verification
    context.session.set_status(RunStatus.VERIFYING)
    store = Store(session)
    claims = take_claims(session, store)
    checks = Checks(code_checks(claims, store))
    _take_known(context, claims, checks)
    if level is not Verification.OFF:
        asked = [c for c in claims if checks.is_open(c)]
        await judge_claims(context, store, asked, checks)
        if level is Verification.DEBATE:
            await debate(context, store, [c for c in claims if c.id not in checks.debated], checks)
    write_checks(context, claims, checks)


def write_checks(context: RunContext, claims: Sequence[Claim], checks: Checks) -> None:
    """Conclude each claim and log what is new."""
    session = context.session
    newer = newer_editions(session.view.sources.values())
    for claim in claims:
        check = conclude(
            claim,
            checks.code[claim.id],
            level=context.config.verification,
            judgements=checks.judgements.get(claim.id, ()),
            challenges=checks.challenges.get(claim.id, ()),
            conflicts=session.view.conflicts,
            newer_edition=outdated(claim, newer),
            silence=checks.silences.get(claim.id, ""),
            debated=claim.id in checks.debated,
        )
        if session.view.checks.get(claim.id) != check:
            session.emit(ClaimChecked(check=check))


def _take_known(context: RunContext, claims: Sequence[Claim], checks: Checks) -> None:
    """What an earlier session heard of claims that are still the same."""
    for claim in claims:
        known = context.session.view.checks.get(claim.id)
        if known and known.fingerprint == fingerprint(claim):
            checks.judgements[claim.id] = list(known.judgements)
            checks.challenges[claim.id] = list(known.challenges)
            if known.debated:
                checks.debated.add(claim.id)


async def judge_claims(
    context: RunContext, store: Store, claims: Sequence[Claim], checks: Checks
) -> None:
    """Ask the verifier about these claims, and once more about those that it left out."""
    gate = asyncio.Semaphore(PARALLEL_CALLS)
    for last in (False, True):
        batches = batched(claims, store, min(CALL_TOKENS, context.config.model.context_tokens // 2))
        await asyncio.gather(*(_ask(context, store, gate, batch, checks) for batch in batches))
        claims = [c for c in claims if checks.is_open(c) and c.id not in checks.silences]
        if last or not claims:
            break
    for claim in claims:
        checks.silences.setdefault(claim.id, "The verifier gave no answer about it.")


async def _ask(
    context: RunContext,
    store: Store,
    gate: asyncio.Semaphore,
    claims: Sequence[Claim],
    checks: Checks,
) -> None:
    request = VerifyRequest(
        language=context.language,
        claims=tuple(claims),
        passages=store.shown(ref for claim in claims for ref in claim.passages),
    )
    async with gate:
        try:
            context.budget.check()
            answer = await context.model_for("verifier").ask(request)
        except (ModelError, LimitReached) as error:
            silenced(context, claims, checks, error)
            return
    for judgement in answer.judgements:
        checks.judgements.setdefault(judgement.claim, []).append(judgement)
    by_id = {claim.id: claim for claim in claims}
    for odds in answer.at_odds:
        note_conflict(context, by_id, odds)
    # At once: what was paid for is kept if the run ends here, and a watcher sees it.
    write_checks(context, [c for c in claims if checks.judgements.get(c.id)], checks)


def silenced(
    context: RunContext, claims: Sequence[Claim], checks: Checks, error: LeadlineError
) -> None:
    """Claims that no checker could be asked about, with the reason."""
    why = f"It could not be checked: {error}"
    checks.silences.update({claim.id: why for claim in claims})
    count = f"{len(claims)} claims" if len(claims) > 1 else "One claim"
    context.notice(f"{count} could not be checked: {error}", warning=True)


def note_conflict(context: RunContext, claims: dict[str, Claim], odds: AtOdds) -> None:
    """Take a checker's word that two claims are at odds, where they do speak of one thing."""
    one, other = (claims[claim_id] for claim_id in odds.claims)
    known = {frozenset(c.claims) for c in context.session.view.conflicts}
    if frozenset(odds.claims) in known or set(one.passages) & set(other.passages):
        return
    if len(terms(one.text) & terms(other.text)) < SHARED_WORDS:
        return
    conflict = Conflict(
        kind=ConflictKind.CONTRADICTION,
        claims=odds.claims,
        reason=odds.reason or "The verifier holds that both cannot be true.",
        found_by="verifier",
    )
    context.session.emit(ConflictFound(conflict=conflict))


def batched(claims: Sequence[Claim], store: Store, tokens: int) -> list[list[Claim]]:
    """The claims in calls: those of one source together, as many as fit."""
    batches: list[list[Claim]] = []
    room = 0
    for claim in sorted(claims, key=lambda c: (c.sources[0], int(c.id[1:]))):
        cost = estimate_tokens(claim_line(claim) + passage_lines(store.shown(claim.passages)))
        if not batches or cost > room or len(batches[-1]) >= CLAIMS_A_CALL:
            batches.append([])
            room = tokens
        batches[-1].append(claim)
        room -= cost
    return batches
