"""A report held against its evidence: sentences, citations, numbers, references.

Invariant (fail closed): every citation that a reader sees belongs to a sentence that the evidence
lists or to the line of a claim; what cannot be told apart is a problem. A problem is one sentence
for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from leadline.domain.claims import Citation, ClaimState, ReportSentence
from leadline.domain.evidence import PassageRef
from leadline.domain.evidence_file import ClaimPart, EvidenceFile, SourcePart
from leadline.domain.text import numbers, numbers_said, shorten
from leadline.reports.escape import host_of, safe_url, visible, without_addresses
from leadline.reports.report_reading import (
    PassageLink,
    ShownBlock,
    ShownReport,
    address,
    flat,
    read_report,
)
from leadline.reports.texts import CHINESE, ENGLISH

_TOLD_STATE = re.compile(r"(c\d+) ([a-z ]+)", re.ASCII)
_OWN_LINES = tuple(
    re.compile(re.sub(r"\\\{\w+\\\}", ".*", re.escape(line)))
    for texts in (ENGLISH, CHINESE)
    for line in (texts.standing, texts.scope)
)
"""What the writer of reports itself may set below the references: counts and scope."""
_STATEMENT_CHARS = 120
"""So much of a claim's text must stand in its line of a table, which may cut it short."""


@dataclass
class ReportProblems:
    """What is wrong, by the thing that was looked at."""

    sentences: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    counted: dict[str, int] = field(default_factory=dict)
    """How much was looked at, by the same names."""


def check_report(
    markdown: str, evidence: EvidenceFile, passages: Mapping[PassageRef, str]
) -> ReportProblems:
    """Hold ``report.md`` against the evidence; ``passages`` is the stored text of those named."""
    return _Checker(read_report(markdown), evidence, passages).check()


class _Checker:
    def __init__(
        self, shown: ShownReport, evidence: EvidenceFile, passages: Mapping[PassageRef, str]
    ) -> None:
        self._shown = shown
        self._sentences = evidence.report.sentences if evidence.report else ()
        self._references = evidence.report.references if evidence.report else ()
        self._claims = {claim.id: claim for claim in evidence.claims}
        self._sources = {source.id: source for source in evidence.sources}
        self._passages = passages
        self._taken: set[tuple[int, int]] = set()
        """Links that belong to a sentence: index of the block, index of the link."""
        self.problems = ReportProblems()

    def check(self) -> ReportProblems:
        found = self.problems
        cites = any(_citations(block.links) for block in self._shown.blocks)
        if cites and not self._sentences:
            found.sentences.append(
                "The evidence lists no sentence of the report, so none can be checked; reports of "
                "earlier versions of Leadline have no such list."
            )
        for sentence in self._sentences:
            self._check_sentence(sentence)
        for index, block in enumerate(self._shown.blocks):
            self._check_rest(index, block)
        self._check_references()
        links = sum(len(block.links) for block in self._shown.blocks)
        found.counted = {
            "sentences": len(self._sentences),
            "numbers": links,
            "references": len(self._shown.references),
        }
        return found

    # Sentences

    def _check_sentence(self, sentence: ReportSentence) -> None:
        say = self.problems.sentences.append
        name = _named(sentence.text)
        self._check_basis(sentence, name)
        places = list(self._places(sentence))
        wanted = list(sentence.citations)
        exact = [p for p in places if _citations(p.links) == wanted]
        if not places:
            say(f"{name} is in the evidence and not in report.md.")
            return
        place = (exact or places)[0]
        self._taken |= {(place.index, i) for i in place.link_indexes}
        if not exact:
            told = ", ".join(map(_written, _citations(place.links))) or "nothing"
            say(
                f"{name} cites {told} in report.md, and "
                f"{', '.join(map(_written, wanted))} in the evidence."
            )
        for link in place.links:
            self._check_states(link, name)
        self._check_numbers(sentence, place.text, name)

    def _check_basis(self, sentence: ReportSentence, name: str) -> None:
        """Its citations are passages of its claims, its state is one of theirs."""
        say = self.problems.sentences.append
        claims = [self._claims[i] for i in sentence.claims if i in self._claims]
        if len(claims) < len(sentence.claims) or not claims:
            say(f"{name} rests on a claim that the evidence does not have.")
        carried = {row.ref for claim in claims for row in claim.passages}
        for citation in sentence.citations:
            if str(citation.passage) not in carried:
                say(f"{name} cites passage {citation.passage}, which carries none of its claims.")
            if citation.passage not in self._passages:
                say(f"{name} cites passage {citation.passage}, which is not stored.")
        states = {claim.state for claim in claims}
        weaker = states - {ClaimState.SUPPORTED}
        if claims and sentence.state not in (weaker or states):
            say(f"{name} is called {sentence.state.value}; its claims are not.")

    def _check_states(self, link: PassageLink, name: str) -> None:
        """What the title and the mark of a citation say is what the checks came to."""
        for claim_id, told in _TOLD_STATE.findall(link.title):
            claim = self._claims.get(claim_id)
            if claim is None or claim.state.value != told.strip():
                self.problems.sentences.append(
                    f"{name} is shown as resting on {claim_id} {told.strip()}; "
                    f"the evidence says {claim.state.value if claim else 'nothing of it'}."
                )
            elif claim.state is not ClaimState.SUPPORTED and not link.marked:
                self.problems.sentences.append(
                    f"{name} rests on {claim_id}, which is {told.strip()}, and does not say so."
                )

    def _places(self, sentence: ReportSentence) -> Iterator[_Place]:
        """Where a sentence may stand, places of other sentences left out."""
        wanted = flat(sentence.text)
        for index, block in enumerate(self._shown.blocks):
            if not block.links:
                continue
            for start in block.finds(wanted):
                end = start + len(wanted)
                whole = (start, end) == (0, len(block.flat))
                within = [
                    i
                    for i, link in enumerate(block.links)
                    if link.citation and (whole or start < link.at <= end)
                ]
                if within and not any((index, i) in self._taken for i in within):
                    links = tuple(block.links[i] for i in within)
                    yield _Place(index, tuple(within), links, block.shown(start, end))

    def _check_numbers(self, sentence: ReportSentence, shown: str, name: str) -> None:
        claims = [self._claims[i] for i in sentence.claims if i in self._claims]
        refs = {c.passage for c in sentence.citations}
        refs |= {
            ref for claim in claims for row in claim.passages if (ref := PassageRef.parse(row.ref))
        }
        sources = {ref.source: self._sources[ref.source] for ref in refs if ref.source in
                   self._sources}  # fmt: skip
        said = [self._passages[ref] for ref in refs if ref in self._passages]
        about = [part for source in sources.values() for part in _about(source)]
        extra = sorted(numbers(shown) - numbers_said("\n".join((*said, *about))))
        if extra:
            self.problems.numbers.append(
                f"{name} states {', '.join(extra[:5])}, which no passage that it rests on has."
            )

    # Links that belong to no sentence

    def _check_rest(self, index: int, block: ShownBlock) -> None:
        for i, link in enumerate(block.links):
            if (index, i) in self._taken:
                continue
            if link.citation is not None:
                self.problems.sentences.append(
                    f"report.md cites {_written(link.citation)} in {_named(block.text)}, "
                    "which is no sentence of the evidence."
                )
            elif not self._is_line_of_claim(block, link):
                self.problems.sentences.append(
                    f"report.md links passage {link.passage} in {_named(block.text)}, "
                    "which is no line of a claim."
                )

    def _is_line_of_claim(self, block: ShownBlock, link: PassageLink) -> bool:
        """Whether the block is a table's row about a claim that this passage carries."""
        claim = self._claims.get(block.cells[0].strip()) if block.cells else None
        if claim is None or str(link.passage) not in {row.ref for row in claim.passages}:
            return False
        return _states(block, claim) and str(link.passage) in link.shown

    # References

    def _check_references(self) -> None:
        say = self.problems.references.append
        wanted = {line.number: line.source for line in self._references}
        shown = [line.number for line in self._shown.references]
        for number in sorted(set(wanted) - set(shown)):
            say(f"Reference {number} is cited and is not in the list of references.")
        for number in sorted({n for n in shown if shown.count(n) > 1}):
            say(f"Reference {number} stands in the list twice.")
        for line in self._shown.references:
            if line.number not in wanted:
                say(f"Reference {line.number}, {_named(line.text)}, is cited nowhere.")
            source = self._sources.get(wanted.get(line.number, 0))
            if set(line.sources) != {source.id if source else 0}:
                say(f"Reference {line.number} does not lead to the stored source that it is for.")
            if source is not None:
                self._compare_reference(line.number, line.text, line.urls, source)
        known = {address(safe_url(s.url)) for s in self._sources.values()} - {""}
        for url in dict.fromkeys(self._shown.urls):
            if url not in known:
                say(f"report.md links {shorten(url, 120)}, which was not read in this run.")
        for text in self._shown.beside_references:
            if any(line.match(text) for line in _OWN_LINES):
                continue
            say(f"{_named(text)} stands among the references and is none.")

    def _compare_reference(
        self, number: int, text: str, urls: Iterable[tuple[str, str]], source: SourcePart
    ) -> None:
        say = self.problems.references.append
        title = flat(visible(shorten(source.title, 200))) or flat(visible(host_of(source.url)))
        if not flat(text).startswith(title):
            say(
                f"Reference {number} does not have the title of its source, {_named(source.title)}."
            )
        own = address(safe_url(source.url))
        if any(url != own for url, _ in urls) or (own and not list(urls)):
            say(f"Reference {number} does not have the address of its source.")


@dataclass(frozen=True)
class _Place:
    """Where a sentence stands in a report."""

    index: int
    link_indexes: tuple[int, ...]
    links: tuple[PassageLink, ...]
    text: str


def _citations(links: Iterable[PassageLink]) -> list[Citation]:
    return [link.citation for link in links if link.citation]


def _states(block: ShownBlock, claim: ClaimPart) -> bool:
    """Whether a row has the words of a claim, at least their beginning."""
    words = flat(visible(shorten(without_addresses(claim.text), _STATEMENT_CHARS))).rstrip("…")
    return any(flat(cell).startswith(words) for cell in block.cells)


def _about(source: SourcePart) -> tuple[str, ...]:
    """What a sentence may say of a source beside its passages."""
    return (source.title, source.site, source.author, source.date, host_of(source.url))


def _written(citation: Citation) -> str:
    return f"[{citation.number}] (passage {citation.passage})"


def _named(text: str) -> str:
    return f"“{shorten(text, 80)}”"
