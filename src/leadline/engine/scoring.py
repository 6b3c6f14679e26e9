"""Cards, scores and insights of the checked claims, computed in code and logged once (S3-42)."""

from __future__ import annotations

from leadline.domain.cards import gated_cards
from leadline.domain.events import EvidenceScored
from leadline.domain.profiles import PROFILES
from leadline.domain.scores import insights, overall, score_claims
from leadline.engine.context import RunContext
from leadline.sources.classes import source_class


def score_evidence(context: RunContext) -> None:
    """Bring cards, scores and insights of the log up to date with its claims and checks.

    Nothing is logged when they say what they said before, so a resume adds no line.
    """
    view = context.session.view
    claims = tuple(view.claims.values())
    rule = PROFILES[context.config.profile].gate
    cards = gated_cards(context.plan, view, rule, rounds_done=view.reflections)
    scores = score_claims(claims, view.checks, view.sources, view.origins, cards, source_class)
    scored = EvidenceScored(
        cards=cards,
        scores=scores,
        overall=overall(scores),
        insights=insights(claims, view.checks, view.conflicts, cards),
    )
    known = (view.cards, tuple(view.scores.values()), view.overall_score, view.insights)
    if known != (scored.cards, scored.scores, scored.overall, scored.insights):
        context.session.emit(scored)
