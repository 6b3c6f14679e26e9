"""From what was said of a claim to its state: exactly one ``ClaimCheck`` a claim, by rule.

Invariant (fail closed): every rule lowers. *Supported* is what is left when code found nothing
wrong, the claim stands near enough to its passages, a checker said *supports*, no challenge holds
and no other claim speaks against it. A missing, unknown or contradictory word never raises a state
(W3-1 to W3-4).
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.domain.claim_check import CodeCheck
from leadline.domain.claims import (
    Challenge,
    Claim,
    ClaimCheck,
    ClaimState,
    Conflict,
    ConflictKind,
    Judgement,
    Ruling,
    Severity,
    Verdict,
    Verification,
    fingerprint,
)
from leadline.domain.evidence import Source
from leadline.domain.text import one_line

MIN_COVERAGE = 0.5
"""Share of a claim's words that its passages must hold before a model's word makes it supported."""

_WORDS = {
    Verdict.SUPPORTS: (
        "supports supported support verified true confirmed correct yes 支持 证实 属实"
    ),
    Verdict.QUALIFIES: (
        "qualifies qualified partial partially partly mixed partially_supported "
        "部分支持 有条件 限定"
    ),
    Verdict.CONTRADICTS: (
        "contradicts contradicted contradict refutes refuted false incorrect wrong untrue "
        "反驳 矛盾 错误 虚假"
    ),
    Verdict.SILENT: (
        "silent unrelated unsupported unverified unconfirmed suspect unknown unclear no none "
        "does_not_address not_addressed not_supported not_verified "
        "不支持 无关 未证实 未提及 存疑"
    ),
}
_TABLE = {word: verdict for verdict, words in _WORDS.items() for word in words.split()}


def parse_verdict(text: object) -> Verdict | None:
    """A checker's word as a verdict: looked up whole in a table, never by a part of it.

    ``not verified`` is no kind of *verified*; a word that is not in the table is None.
    """
    if not isinstance(text, str):
        return None
    word = one_line(text).casefold().strip(" .。!\"'`*").replace("-", "_").replace(" ", "_")
    return _TABLE.get(word)


def conclude(
    claim: Claim,
    code: CodeCheck,
    *,
    level: Verification,
    judgements: Sequence[Judgement] = (),
    challenges: Sequence[Challenge] = (),
    conflicts: Sequence[Conflict] = (),
    newer_edition: Source | None = None,
    silence: str = "",
    debated: bool = False,
) -> ClaimCheck:
    """What the checks of one claim come to.

    ``judgements`` are those on this claim, the last one weighs; ``silence`` says why there is none.
    ``newer_edition`` is the page that replaced those it stands on.
    """
    own = [c for c in conflicts if claim.id in c.claims]
    asked = [j for j in judgements if j.claim == claim.id]
    raised = [c for c in challenges if c.claim == claim.id]
    state, reason, usable = _own_passages(code, level, asked, silence)
    if usable and level is not Verification.OFF:
        state, reason = _after_challenges(state, reason, raised)
        state, reason = _after_conflicts(claim, state, reason, own)
        if newer_edition and state is ClaimState.SUPPORTED:
            state = ClaimState.QUALIFIED
            reason = (
                f"It stands on an older edition of its page; the newer one is "
                f"“{newer_edition.title}” ({newer_edition.date})."
            )
    return ClaimCheck(
        claim=claim.id,
        state=state,
        reason=reason,
        usable=usable,
        judgements=tuple(asked),
        challenges=tuple(raised),
        against=tuple(c.other(claim.id) for c in own if c.is_open),
        superseded_by=next((c.claims[1] for c in own if _is_older(claim, c)), ""),
        debated=debated,
        stale=newer_edition is not None or any(_is_older(claim, c) for c in own),
        fingerprint=fingerprint(claim),
    )


def _own_passages(
    code: CodeCheck, level: Verification, asked: Sequence[Judgement], silence: str
) -> tuple[ClaimState, str, bool]:
    """State, reason and usability by the claim's own passages alone."""
    if code.problems:
        return ClaimState.UNVERIFIED, " ".join(code.problems), False
    if level is Verification.OFF:
        return ClaimState.NOT_CHECKED, "This run does not check claims.", True
    if not asked:
        return ClaimState.UNVERIFIED, silence or "No check gave an answer about it.", True
    judgement = asked[-1]
    why = judgement.reason
    match judgement.verdict:
        case Verdict.CONTRADICTS:
            return ClaimState.CONTRADICTED, why or "Its own passages say otherwise.", False
        case Verdict.SILENT:
            return ClaimState.UNVERIFIED, why or "Its passages do not say it.", False
        case Verdict.QUALIFIES:
            return ClaimState.QUALIFIED, why or "Its passages say it with a condition.", True
        case Verdict.SUPPORTS if code.coverage < MIN_COVERAGE:
            said = "Too few of its words stand in its passages to take one check's word for it."
            return ClaimState.UNVERIFIED, said, True
        case Verdict.SUPPORTS:
            return ClaimState.SUPPORTED, "", True


def _after_challenges(
    state: ClaimState, reason: str, raised: Sequence[Challenge]
) -> tuple[ClaimState, str]:
    """What challenges leave of it: one that nobody answered stands."""
    held = [c for c in raised if c.ruling is not Ruling.REJECTED]
    if not held or state in (ClaimState.UNVERIFIED, ClaimState.CONTRADICTED):
        return state, reason
    worst = min(held, key=lambda c: (list(Severity).index(c.severity), c.ruling is Ruling.DISPUTED))
    said = worst.challenge
    if worst.severity is Severity.MINOR:
        return ClaimState.QUALIFIED, reason or said
    if worst.ruling is Ruling.ACCEPTED and worst.severity is Severity.CRITICAL and worst.passages:
        return ClaimState.CONTRADICTED, said
    if worst.ruling is Ruling.ACCEPTED and worst.severity is Severity.MODERATE:
        return ClaimState.QUALIFIED, said
    return ClaimState.DISPUTED, said


def _after_conflicts(
    claim: Claim, state: ClaimState, reason: str, conflicts: Sequence[Conflict]
) -> tuple[ClaimState, str]:
    if state in (ClaimState.UNVERIFIED, ClaimState.CONTRADICTED):
        return state, reason
    lost = next((c for c in conflicts if c.settled_for and c.settled_for != claim.id), None)
    if lost:
        return ClaimState.CONTRADICTED, lost.settled_by or lost.reason
    if opened := next((c for c in conflicts if c.is_open), None):
        return ClaimState.DISPUTED, f"{opened.other(claim.id)} says otherwise. {opened.reason}"
    if newer := next((c for c in conflicts if _is_older(claim, c)), None):
        return ClaimState.QUALIFIED, f"Superseded by {newer.claims[1]}. {newer.reason}"
    return state, reason


def _is_older(claim: Claim, conflict: Conflict) -> bool:
    return conflict.kind is ConflictKind.SUPERSEDED and conflict.claims[0] == claim.id
