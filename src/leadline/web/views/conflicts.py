"""What is at odds, side by side, each side with what it rests on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadline.domain.claims import Conflict, ConflictKind
from leadline.web.claim_rows import ClaimRow
from leadline.web.run_sentences import in_words
from leadline.web.texts import Texts
from leadline.web.views.html import claim_badge, cut, esc, passage_href

SHOWN = 100
MAX_CHARS = 500


def conflicts_view(
    conflicts: Sequence[Conflict], rows: Mapping[str, ClaimRow], task_id: str, texts: Texts
) -> str:
    """Open contradictions first, then settled ones, then superseded values; empty for none.

    ``rows`` are the claims by id; a conflict with a claim that is not there is left out.
    """
    told = known_conflicts(conflicts, rows)
    if not told:
        return ""
    items = "".join(_pair(conflict, rows, task_id, texts) for conflict in told[:SHOWN])
    return (
        f'<section class="ll-conflicts" id="ll-conflicts" tabindex="-1">'
        f'<h2>{esc(texts("conflicts_title"))} <span class="ll-count">{len(told)}</span></h2>'
        f"{items}</section>"
    )


def known_conflicts(conflicts: Sequence[Conflict], rows: Mapping[str, ClaimRow]) -> list[Conflict]:
    """Those of which both claims are known, the open ones first."""
    told = [conflict for conflict in conflicts if rows.keys() >= set(conflict.claims)]
    told.sort(key=lambda c: (c.kind is ConflictKind.SUPERSEDED, not c.is_open))
    return told


def _pair(conflict: Conflict, rows: Mapping[str, ClaimRow], task_id: str, texts: Texts) -> str:
    one, other = (rows[claim] for claim in conflict.claims)
    names = ("side_older", "side_newer") if conflict.kind is ConflictKind.SUPERSEDED else ("", "")
    sides = "".join(
        _side(row, texts(name) if name else _held(conflict, row, texts), task_id, texts)
        for row, name in zip((one, other), names, strict=True)
    )
    return (
        f'<article class="ll-conflict"><p class="ll-conflict-why">{_outcome(conflict, texts)}</p>'
        f'<div class="ll-sides">{sides}</div></article>'
    )


def _held(conflict: Conflict, row: ClaimRow, texts: Texts) -> str:
    return texts("side_held") if conflict.settled_for == row.claim.id else ""


def _outcome(conflict: Conflict, texts: Texts) -> str:
    # What code finds is seen in the two values; a checker's reason says more than they do.
    told = "" if conflict.found_by == "code" else in_words(conflict.reason, texts)
    reason = f" <span>{esc(cut(told, MAX_CHARS))}</span>" if told else ""
    if conflict.kind is ConflictKind.SUPERSEDED:
        said = texts("conflict_superseded")
    elif conflict.is_open:
        said = texts("conflict_open")
    else:
        why = cut(in_words(conflict.settled_by or conflict.reason, texts), MAX_CHARS)
        said = texts("conflict_settled", claim=conflict.settled_for, why=why)
    return f"<strong>{esc(said)}</strong>{reason}"


def _side(row: ClaimRow, name: str, task_id: str, texts: Texts) -> str:
    claim = row.claim
    origins = (
        texts("basis_origin_one") if row.origins == 1 else texts("basis_origins", n=row.origins)
    )
    grade = f"{texts('col_grade')} {row.score.grade.value}" if row.score else ""
    basis = " · ".join(part for part in (origins, grade) if part)
    quote = claim.quotes[0] if claim.quotes else ""
    quoted = (
        f'<blockquote dir="auto">“{esc(cut(quote, MAX_CHARS))}”</blockquote>'
        if quote and cut(quote, MAX_CHARS).rstrip(".。") != cut(claim.text, MAX_CHARS).rstrip(".。")
        else ""
    )
    link = ""
    if row.passages:
        ref = row.passages[0][0]
        link = f'<a href="{esc(passage_href(task_id, ref))}">{esc(texts("open_passage"))}</a>'
    named = f'<span class="ll-side-name">{esc(name)}</span>' if name else ""
    return (
        f'<div class="ll-side"><p class="ll-side-head">{named}<b>{esc(claim.id)}</b> '
        f'{claim_badge(row.mark, texts)}</p><p dir="auto">{esc(cut(claim.text, MAX_CHARS))}</p>'
        f'{quoted}<p class="ll-side-basis"><span dir="auto">{esc(row.site)}</span>, '
        f"{esc(row.date or texts('undated'))}<br>{esc(basis)}</p>{link}</div>"
    )
