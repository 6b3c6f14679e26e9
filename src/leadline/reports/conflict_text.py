"""Contradictions and superseded values, told as such by code (S1-9).

Invariant: each side is given with its basis (source, date, measure) and its own citations; a side
that the report may not state is given in the words of its stored passage, never as a statement.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.domain.claims import Claim, Conflict, ConflictKind
from leadline.domain.evidence import Source
from leadline.domain.projection import RunView
from leadline.domain.text import shorten
from leadline.reports.basis import Basis
from leadline.reports.escape import escape_text, host_of
from leadline.reports.numbering import ReportCitations
from leadline.reports.texts import Texts, fill

MAX_STATEMENT_CHARS = 400


def tell_conflicts(
    texts: Texts,
    view: RunView,
    basis: Basis,
    counted: Iterable[str],
    citations: ReportCitations,
) -> str:
    """A list of what is at odds among the ``counted`` claims; empty when nothing is.

    Open contradictions come first, then settled ones, then superseded values.
    """
    known = set(counted)
    told = [c for c in basis.conflicts if known.issuperset(c.claims)]
    told.sort(key=lambda c: (c.kind is ConflictKind.SUPERSEDED, not c.is_open))
    return "\n".join(_Teller(texts, view, basis, citations).lines(told))


class _Teller:
    def __init__(
        self, texts: Texts, view: RunView, basis: Basis, citations: ReportCitations
    ) -> None:
        self._texts = texts
        self._view = view
        self._basis = basis
        self._citations = citations

    def lines(self, conflicts: Iterable[Conflict]) -> list[str]:
        lines: list[str] = []
        for conflict in conflicts:
            one, other = (self._basis.claims[claim_id] for claim_id in conflict.claims)
            lines.append(f"- {self._head(conflict)}")
            if conflict.kind is ConflictKind.SUPERSEDED:
                lines += [self._side(one, self._texts.was), self._side(other, self._texts.now)]
            else:
                lines += [self._side(one), self._side(other)]
            if outcome := self._outcome(conflict):
                lines.append(f"    - {escape_text(outcome)}")
        return lines

    def _head(self, conflict: Conflict) -> str:
        superseded = conflict.kind is ConflictKind.SUPERSEDED
        what = self._texts.replaced if superseded else self._texts.at_odds
        # What code has to say of it is a bag of words; a checker names it.
        about = "" if conflict.found_by == "code" else escape_text(shorten(conflict.about, 200))
        return f"**{about}**: {what}" if about else f"**{what}**"

    def _side(self, claim: Claim, form: str = "{said}") -> str:
        """A side: who says it, from when, what, and where it stands."""
        source = self._source(claim)
        stated = self._basis.usable(claim.id)
        text = claim.text if stated else (claim.quotes[0] if claim.quotes else "")
        text = shorten(text, MAX_STATEMENT_CHARS).rstrip(" .。")
        text = text if stated else f"“{text.replace('“', '‘').replace('”', '’')}”"
        date = claim.date or (source.date if source else "") or self._texts.undated
        told = f"{self._site(claim)}, {shorten(date, 40)}: {text}"
        return f"    - {self._citations.line(fill(form, said=told), (claim.id,))}"

    def _outcome(self, conflict: Conflict) -> str:
        # What code has to say (both values, both dates) stands in the sides already.
        reason = "" if conflict.found_by == "code" else shorten(conflict.reason, 300)
        if conflict.kind is ConflictKind.SUPERSEDED:
            return reason
        if conflict.is_open:
            return f"{reason} {self._texts.nothing_settles}".strip()
        winner = self._basis.claims.get(conflict.settled_for)
        site = self._site(winner) if winner else conflict.settled_for
        why = shorten(conflict.settled_by or conflict.reason, 300)
        return fill(self._texts.settled, site=site, why=why).strip()

    def _source(self, claim: Claim) -> Source | None:
        return next((s for n in claim.sources if (s := self._view.sources.get(n))), None)

    def _site(self, claim: Claim) -> str:
        source = self._source(claim)
        name = (source.site or host_of(source.url)) if source else self._texts.undated
        return shorten(name, 120)
