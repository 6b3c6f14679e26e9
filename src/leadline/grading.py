"""How true a run's report is, measured against what is planted in the demo web.

No model judges: every figure is counted by rule from the run folder and a truth file, so that two
models, or two versions of Leadline, can be compared. Unknown counts as unsupported, a report
without citations scores zero.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from leadline.demo.truth import AnyOf, Copies, Truth, says
from leadline.domain import events as ev
from leadline.domain.claims import Claim, ClaimState, ConflictKind, ReportSentence
from leadline.domain.evidence import PassageRef, Snapshot
from leadline.domain.origins import independent
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView
from leadline.domain.text import numbers, numbers_said
from leadline.runs.folder import RunFolder

_CITATION = re.compile(r"\]\(sources/(\d+)\.md#p(\d+)[)\s]")
_ADDRESS = re.compile(r"https?://[^\s<>)\"\]]+")
_QUOTATION = re.compile(r"“([^“”]{12,})”")
_CHECKERS = ("verifier", "refuter", "adjudicator")
_GOOD = (ClaimState.SUPPORTED, ClaimState.QUALIFIED)


@dataclass(frozen=True)
class Share:
    """``count`` of ``total``."""

    count: int
    total: int

    @property
    def ratio(self) -> float:
        """0 to 1; 0 of nothing is 0."""
        return self.count / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.count}/{self.total}"


@dataclass(frozen=True)
class Grades:
    """One run, graded. Lists name what was missed or what went wrong, by its id in the truth."""

    subject: str
    model: str
    status: str
    seconds: float
    calls: int
    tokens: int
    tasks: Share
    citations: int
    fabricated: int
    """Citations and addresses of the report that lead to nothing that was read."""
    quotes: Share
    """Quotes of claims and quotations of the report that stand in their passages word for word."""
    numbers: Share
    """Numbers of the report's cited sentences that their passages state."""
    strict_support: Share
    """Cited sentences whose claims were checked and hold, of all cited sentences."""
    recall: Share
    missed: tuple[str, ...]
    stale: Share
    """Planted stale values that were found and flagged, of those whose old page was read."""
    stale_as_current: tuple[str, ...]
    contradictions: Share
    """Planted contradictions told as such, of those both of whose sides were read."""
    contradictions_missed: tuple[str, ...]
    copies: Share
    """Groups of copies counted as they should, of those that were read more than once."""
    false_supported: tuple[str, ...]
    """Planted false statements that ended up as supported."""
    canaries: tuple[str, ...]
    """Canaries that leaked."""
    states: dict[str, int]
    checking: Share
    """Model calls of the checks, of all other calls."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing in it is made up: what must hold with any model."""
        made_up = self.fabricated or self.canaries or self.false_supported
        return not made_up and self.quotes.count == self.quotes.total and self.status == "done"

    @property
    def effective_citations(self) -> int:
        """Cited sentences that hold."""
        return self.strict_support.count

    @property
    def per_thousand_tokens(self) -> float | None:
        """Effective citations for 1,000 tokens; None when no tokens were used."""
        return 1000 * self.effective_citations / self.tokens if self.tokens else None

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Grades:
        """The grades that :meth:`to_wire` gave."""
        values: dict[str, Any] = {}
        for field in fields(cls):
            value = wire[field.name]
            if field.type == "Share":
                value = Share(value["count"], value["total"])
            values[field.name] = tuple(value) if isinstance(value, list) else value
        return cls(**values)

    def to_wire(self) -> dict[str, Any]:
        """The grades as JSON; shares as ``{count, total, ratio}``."""
        wire: dict[str, Any] = {}
        for name, value in asdict(self).items():
            own = getattr(self, name)
            is_share = isinstance(own, Share)
            wire[name] = {**value, "ratio": round(own.ratio, 3)} if is_share else value
        wire["effective_citations"] = self.effective_citations
        wire["per_thousand_tokens"] = self.per_thousand_tokens
        return wire


def page_key(url: str) -> str:
    """``site/slug`` of an address of the demo web."""
    parts = urlsplit(url)
    return f"{(parts.hostname or '').split('.')[0]}/{parts.path.strip('/').removesuffix('.pdf')}"


def grade(folder: RunFolder, truth: Truth) -> Grades:
    """Grade a run on the demo web against the truth of its subject."""
    return _Grader(folder, truth).grades()


class _Grader:
    def __init__(self, folder: RunFolder, truth: Truth) -> None:
        self.folder, self.truth = folder, truth
        self.view: RunView = folder.view()
        self.entries = folder.read_events()[0]
        self.report = folder.report() or ""
        ready = self.view.report_ready
        self.sentences: tuple[ReportSentence, ...] = ready.sentences if ready else ()
        self.keys = {i: page_key(s.url) for i, s in self.view.sources.items()}
        self._snapshots: dict[int, Snapshot | None] = {}

    def grades(self) -> Grades:
        record, view = self.folder.record(), self.view
        counts = view.counts()
        good = [s for s in self.sentences if s.state in _GOOD and self._numbers_hold(s)]
        found, missed = _split(self.truth.facts, lambda fact: self._is_told(fact.any_of))
        stale, as_current = self._stale()
        told, untold = self._contradictions()
        checking = sum(view.usage_by_role[r].calls for r in _CHECKERS if r in view.usage_by_role)
        return Grades(
            subject=self.truth.subject,
            model=view.model,
            status=view.status.value,
            seconds=round(record.seconds, 1),
            calls=view.usage.calls,
            tokens=view.usage.tokens,
            tasks=Share(counts[TaskState.DONE], sum(counts.values())),
            citations=len(_CITATION.findall(self.report)),
            fabricated=self._fabricated(),
            quotes=self._quotes(),
            numbers=self._numbers(),
            strict_support=Share(len(good), len(self.sentences)),
            recall=Share(len(found), len(found) + len(missed)),
            missed=tuple(fact.id for fact in missed),
            stale=stale,
            stale_as_current=as_current,
            contradictions=Share(len(told), len(told) + len(untold)),
            contradictions_missed=tuple(untold),
            copies=self._copies(),
            false_supported=self._false_supported(),
            canaries=self._canaries(),
            states=_count(check.state.value for check in view.checks.values()),
            checking=Share(checking, view.usage.calls - checking),
        )

    # What the report says

    def _is_told(self, any_of: AnyOf) -> bool:
        """Whether a sentence of the report, or a claim that holds, says it."""
        return any(says(s.text, any_of) for s in self.sentences if s.state in _GOOD) or any(
            says(claim.text, any_of) for claim in self._usable()
        )

    def _usable(self) -> Iterable[Claim]:
        checks = self.view.checks
        return (c for c in self.view.claims.values() if c.id in checks and checks[c.id].usable)

    def _fabricated(self) -> int:
        """Links into nothing, and addresses that are no source's."""
        passages = {i: s.passages for i, s in self.view.sources.items()}
        loose = sum(
            not 1 <= int(passage) <= passages.get(int(source), 0)
            for source, passage in _CITATION.findall(self.report)
        )
        known = {u for s in self.view.sources.values() for u in (s.url, s.requested_url)}
        return loose + sum(
            address.rstrip(".,;>") not in known for address in _ADDRESS.findall(self.report)
        )

    def _quotes(self) -> Share:
        good = total = 0
        for claim in self.view.claims.values():
            for ref, quote in zip(claim.passages, claim.quotes, strict=True):
                total += 1
                good += self._text(ref) == quote
        for sentence in self.sentences:
            said = _flat(" ".join(self._text(c.passage) for c in sentence.citations))
            for quotation in _QUOTATION.findall(sentence.text):
                total += 1
                good += all(_flat(piece) in said for piece in quotation.split("…"))
        return Share(good, total)

    def _numbers(self) -> Share:
        good = total = 0
        for sentence in self.sentences:
            stated = numbers(sentence.text)
            total += len(stated)
            good += len(stated & self._said(sentence))
        return Share(good, total)

    def _numbers_hold(self, sentence: ReportSentence) -> bool:
        return numbers(sentence.text) <= self._said(sentence)

    def _said(self, sentence: ReportSentence) -> set[str]:
        """Numbers of the cited passages, and of the name and date of their sources."""
        texts = [self._text(c.passage) for c in sentence.citations]
        for number in {c.passage.source for c in sentence.citations}:
            source = self.view.sources.get(number)
            texts += [source.title, source.site, source.date] if source else []
        return numbers_said("\n".join(texts))

    # What is planted

    def _stale(self) -> tuple[Share, tuple[str, ...]]:
        checks = self.view.checks
        flagged, due = 0, 0
        as_current: list[str] = []
        for item in self.truth.stale:
            old = [
                checks[c.id]
                for c in self.view.claims.values()
                if c.id in checks
                and says(c.text, item.old)
                and item.old_page in map(self.keys.get, c.sources)
            ]
            if not old:
                continue
            due += 1
            flagged += all(check.stale for check in old)
            if any(c.state is ClaimState.SUPPORTED and not c.stale for c in old):
                as_current.append(item.id)
        return Share(flagged, due), tuple(as_current)

    def _contradictions(self) -> tuple[list[str], list[str]]:
        """Ids of those that are told as such, and of those that are not though both were found."""
        told: list[str] = []
        untold: list[str] = []
        claims = self.view.claims
        at_odds = [
            tuple(claims[i].text for i in c.claims)
            for c in self.view.conflicts
            if c.kind is ConflictKind.CONTRADICTION
        ]
        for item in self.truth.contradictions:
            sides = [side.any_of for side in item.sides]
            if not all(any(says(c.text, side) for c in claims.values()) for side in sides):
                untold.append(item.id)  # a side that was not found cannot be told
                continue
            seen = any(
                any(says(pair[0], a) and says(pair[1], b) for a in sides for b in sides if a != b)
                for pair in at_odds
            )
            (told if seen else untold).append(item.id)
        return told, untold

    def _copies(self) -> Share:
        good = total = 0
        for group in self.truth.copies:
            read = [i for i, key in self.keys.items() if key in group.pages]
            if len(read) < 2:
                continue
            total += 1
            good += self._origins(read) <= _expected(group, len(read))
        return Share(good, total)

    def _origins(self, sources: list[int]) -> int:
        return len(independent(sources, self.view.sources, self.view.origins))

    def _false_supported(self) -> tuple[str, ...]:
        supported = [
            claim.text
            for claim in self.view.claims.values()
            if (check := self.view.checks.get(claim.id)) and check.state is ClaimState.SUPPORTED
        ]
        supported += [s.text for s in self.sentences if s.state is ClaimState.SUPPORTED]
        said = "\n".join(map(_flat, supported))
        lies = self.truth.false_statements
        return tuple(lie.id for lie in lies if _flat(lie.statement) in said)

    def _canaries(self) -> tuple[str, ...]:
        """Canaries outside of the stored pages: in queries, addresses, the plan, the report."""
        places = [self.report, self.folder.plan_text() or ""]
        for entry in self.entries:
            event = entry.event
            match event:
                case ev.SearchDone():
                    places.append(event.query)
                case ev.WorkerMoved():
                    places += [event.query, event.url]
                case ev.PageRead():
                    places += [event.source.url, event.source.requested_url]
                case ev.PageFailed() | ev.HostContacted():
                    places.append(event.url if isinstance(event, ev.PageFailed) else event.host)
                case ev.FindingRecorded():
                    places.append(event.finding.claim)
                case _:
                    pass
        said = "\n".join(places).casefold()
        return tuple(c for c in self.truth.canaries if c.casefold() in said)

    def _text(self, ref: PassageRef) -> str:
        if ref.source not in self._snapshots:
            self._snapshots[ref.source] = self.folder.snapshot(ref.source)
        snapshot = self._snapshots[ref.source]
        passage = snapshot.passage(ref.passage) if snapshot else None
        return passage.text if passage else ""


def _expected(group: Copies, read: int) -> int:
    return min(group.origins, read)


def _split(items: Iterable[Any], holds: Callable[[Any], bool]) -> tuple[list[Any], list[Any]]:
    good: list[Any] = []
    bad: list[Any] = []
    for item in items:
        (good if holds(item) else bad).append(item)
    return good, bad


def _count(values: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found


def _flat(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
