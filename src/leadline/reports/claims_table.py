"""Every claim of a run and what its checks came to, as the table that ends a report.

It leads to the passages by address, not by the report's citations: a claim that could not be used
stands here with its state and is cited nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leadline.domain.claims import Claim, ClaimState
from leadline.domain.projection import RunView
from leadline.domain.text import shorten
from leadline.reports.basis import SUPERSEDED, Basis
from leadline.reports.escape import escape_text, host_of, without_addresses
from leadline.reports.texts import Texts, fill

MAX_STATEMENT_CHARS = 300
MAX_PASSAGES = 6


def claims_table(texts: Texts, view: RunView, basis: Basis, claims: Sequence[Claim]) -> str:
    """Id, statement, state, why, passages, independent origins and grade of each claim."""
    if not claims:
        return ""
    head = f"| {' | '.join(texts.columns)} |\n|{'|'.join(' --- ' for _ in texts.columns)}|"
    rows = (f"| {' | '.join(_cells(texts, view, basis, claim))} |" for claim in claims)
    return "\n".join((head, *rows))


def _cells(texts: Texts, view: RunView, basis: Basis, claim: Claim) -> list[str]:
    score = view.scores.get(claim.id)
    statement = shorten(without_addresses(claim.text), MAX_STATEMENT_CHARS)
    return [
        claim.id,
        escape_text(statement),
        _state(texts, basis, claim),
        escape_text(_why(texts, basis, claim)),
        _passages(view, claim),
        str(len(claim.origins) or len({view.origins.get(n, n) for n in claim.sources})),
        score.grade.value if score else "–",
    ]


def _state(texts: Texts, basis: Basis, claim: Claim) -> str:
    state = basis.state(claim.id)
    replaced = state is ClaimState.QUALIFIED and basis.superseded_by(claim.id)
    word = texts.state(SUPERSEDED if replaced else state.value)
    return word if basis.usable(claim.id) else f"{word}, {texts.not_used}"


def _why(texts: Texts, basis: Basis, claim: Claim) -> str:
    check = basis.checks.get(claim.id)
    newer = basis.superseded_by(claim.id)
    parts = [check.reason if check else "", fill(texts.replaced_by, claim=newer) if newer else ""]
    return shorten("; ".join(part.rstrip(" .。") for part in parts if part), 240)


def _passages(view: RunView, claim: Claim) -> str:
    links = []
    for ref in claim.passages:
        source = view.sources.get(ref.source)
        if source is not None and 1 <= ref.passage <= source.passages:
            name = escape_text(shorten(host_of(source.url), 60))
            links.append(f"[{name} {ref}](sources/{ref.source}.md#p{ref.passage})")
    more = f" +{len(links) - MAX_PASSAGES}" if len(links) > MAX_PASSAGES else ""
    return ", ".join(links[:MAX_PASSAGES]) + more


def state_counts(texts: Texts, basis: Basis, claims: Sequence[Claim]) -> str:
    """How many claims stand in each state, every state named."""
    counted = Counter(basis.state(claim.id) for claim in claims)
    return ", ".join(f"{texts.state(state.value)} {counted[state]}" for state in ClaimState)
