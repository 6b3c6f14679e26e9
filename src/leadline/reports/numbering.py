"""Citations of a whole report: numbered, linked, marked, and written down sentence by sentence.

Invariants: every ``[n]`` leads to a stored passage of a source that was read in this run; a
sentence on a claim that is not *supported* carries the word for it behind its citations; each
cited sentence of the Markdown is in ``sentences``, as it stands there, and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from leadline.domain.claims import Citation, ReportSentence
from leadline.domain.evidence import PassageRef, Source
from leadline.domain.text import numbers, numbers_said, terms
from leadline.reports.basis import Basis
from leadline.reports.escape import escape_inline, escape_text
from leadline.reports.plain import plain_text
from leadline.reports.section_text import CITE, CITE_RUN
from leadline.reports.texts import ENGLISH, Texts


class ReportCitations:
    """Writes statements with their citations; numbers sources in the order of their first one."""

    def __init__(self, basis: Basis, sources: Mapping[int, Source], texts: Texts = ENGLISH) -> None:
        self._basis = basis
        self._sources = sources
        self._texts = texts
        self._cited: list[Citation] = []
        self._ids: list[str] = []
        self.section = ""
        """Heading of the section that is being written."""
        self.sentences: list[ReportSentence] = []
        self.numbers: dict[int, int] = {}
        """Source id → number in the report."""
        self.total = 0
        self.resolved = 0

    def statement(self, pieces: Sequence[str]) -> tuple[str, ...]:
        """Markdown of one checked statement: a sentence, or the cells of a table's row."""
        return self._recorded(tuple(self._inline(piece) for piece in pieces))

    def line(self, text: str, ids: Sequence[str]) -> str:
        """Markdown of plain text that cites claims, for what is written by code."""
        (written,) = self._recorded((f"{escape_text(text)} {self._cite(ids, text)}",))
        return written

    def _inline(self, marked: str) -> str:
        plain = CITE_RUN.sub("", marked)
        escaped = escape_inline(marked)
        return CITE_RUN.sub(lambda m: self._cite(CITE.findall(m[0]), plain), escaped)

    def _recorded(self, written: tuple[str, ...]) -> tuple[str, ...]:
        if self._cited:
            claims = tuple(dict.fromkeys(self._ids))
            self.sentences.append(
                ReportSentence(
                    section=self.section,
                    text=plain_text(" ".join(written)),
                    claims=claims,
                    citations=tuple(self._cited),
                    state=self._basis.weakest(claims),
                )
            )
        self._cited, self._ids = [], []
        return written

    def _cite(self, ids: Iterable[str], sentence: str) -> str:
        """Links for one run of citations, one a source, to its passage that fits best."""
        ids = tuple(dict.fromkeys(ids))
        best: dict[int, tuple[int, int]] = {}
        titles: dict[int, list[str]] = {}
        for claim_id in ids:
            claim = self._basis.claims.get(claim_id)
            for ref, quote in zip(claim.passages, claim.quotes, strict=False) if claim else ():
                source = self._sources.get(ref.source)
                if source is None or not 1 <= ref.passage <= source.passages:
                    continue
                fit = _fit(sentence, quote)
                if ref.source not in best or fit > best[ref.source][0]:
                    best[ref.source] = (fit, ref.passage)
                title = f"{claim_id} {self._basis.state(claim_id)}"
                if title not in titles.setdefault(ref.source, []):
                    titles[ref.source].append(title)
        self.total += max(len(best), 1)
        self.resolved += len(best)
        if not best:
            return ""
        self._ids += ids
        links = "".join(
            self._link(source, passage, "; ".join(titles[source]))
            for source, (_, passage) in best.items()
        )
        mark = self._basis.mark(ids)
        return f"{links} *({self._texts.state(mark)})*" if mark else links

    def _link(self, source: int, passage: int, title: str) -> str:
        number = self.numbers.setdefault(source, len(self.numbers) + 1)
        ref = PassageRef(source=source, passage=passage)
        self._cited.append(Citation(number=number, passage=ref))
        return rf'[\[{number}\]](sources/{source}.md#p{passage} "{title}")'

    @property
    def origins(self) -> int:
        """How many independent sources are cited: copies of one text are one."""
        return len({self._sources[i].origin or i for i in self.numbers})


def _fit(sentence: str, quote: str) -> int:
    """How well a passage fits a sentence: shared numbers first, then shared words."""
    shared = numbers(sentence) & numbers_said(quote)
    return 100 * len(shared) + len(terms(sentence) & terms(quote))
