"""The whole report in Markdown, put together by code from checked sections.

Invariants: the sections are those of the template, in its order; every link is a stored passage or
a source that was read in this run; what a page or a model wrote is escaped. A section whose writer
gave nothing lists its claims and says so (S3-46). With no evidence there is only a report that
says so (S2-36).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from leadline.domain.claims import Claim, ReportSentence
from leadline.domain.config import SearchEngine
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.domain.text import shorten
from leadline.reports import parts
from leadline.reports.basis import Basis
from leadline.reports.citations import CheckedText, Deduplicated, Dropped, drop_repeats
from leadline.reports.claims_table import claims_table
from leadline.reports.conflict_text import tell_conflicts
from leadline.reports.escape import escape_text, without_addresses
from leadline.reports.numbering import ReportCitations
from leadline.reports.outline import SectionPlan, counts
from leadline.reports.section_text import Block, render_blocks
from leadline.reports.templates import Part, Template
from leadline.reports.texts import Texts, fill, texts_for

MAX_QUOTE_CHARS = 400


@dataclass(frozen=True)
class SectionText:
    """A section as planned and as checked; an empty text is replaced by a list of its claims."""

    plan: SectionPlan
    text: CheckedText = field(default_factory=CheckedText)


@dataclass(frozen=True)
class Report:
    """``report.md`` and what it counts; ``sources`` counts copies of one text once."""

    markdown: str
    citations: int
    resolved: int
    sources: int
    dropped: Dropped = field(default_factory=Dropped)
    sentences: tuple[ReportSentence, ...] = ()
    """Every cited sentence, in order."""


@dataclass(frozen=True)
class Made:
    """How a report came to be, for its head and its end."""

    model: str | None = None
    """Name of the writer; None: the one that the run started with."""
    date: datetime | None = None
    """None: the time of the run's last event."""
    partial: bool = False
    status: RunStatus = RunStatus.DONE
    reason: str = ""
    """Why it is partial."""


def compose_report(
    topic: str,
    sections: Sequence[SectionText],
    view: RunView,
    basis: Basis,
    template: Template,
    *,
    language: str = "en",
    made: Made | None = None,
) -> Report:
    """Write the report of a run from the sections of its outline, all of them in their order."""
    return _Composer(view, basis, template, texts_for(language), made or Made()).report(
        topic, sections
    )


class _Composer:
    """Writes one report, top to bottom: the order in which things are cited numbers the sources."""

    def __init__(
        self, view: RunView, basis: Basis, template: Template, texts: Texts, made: Made
    ) -> None:
        self._view = view
        self._basis = basis
        self._template = template
        self._texts = texts
        self._made = made
        self._counted = [c for c in basis.claims.values() if counts(c, view)]
        self._usable = [c for c in self._counted if basis.usable(c.id)]
        self._citations = ReportCitations(basis, view.sources, texts)
        self._listed: dict[str, str] = {}
        """Claims that were listed in full, and the heading under which."""

    def report(self, topic: str, sections: Sequence[SectionText]) -> Report:
        texts, view, citations = self._texts, self._view, self._citations
        found = any(section.plan.claims for section in sections)
        asked = [s for s in sections if s.plan.asks_model and not s.plan.spec.judged]
        alone = bool(asked) and all(section.text.is_empty for section in asked)
        out = [f"# {escape_text(shorten(topic, 300))}", *self._head()]
        if not found:
            out.append(self._why_nothing())
        elif alone and not self._made.partial:
            out.append(f"> {texts.automatic_all}")
        told = _without_repeats(sections)
        dropped = sum((text.text.dropped for text in told), Dropped())
        headings = [section.plan.heading or texts.findings for section in sections]
        group = ""
        for section, text in zip(sections, told, strict=True):
            elsewhere = [headings[place] for place in text.told_in]
            body = self._section(section, text.text, elsewhere, quiet=alone)
            plan = section.plan
            if body and plan.group and plan.group != group:
                group = plan.group
                out.append(f"## {escape_text(group)}")
            if body:
                level = "###" if plan.group else "##"
                head = [f"{level} {escape_text(plan.heading)}"] if plan.heading else []
                out += [*head, *body]
        if found:
            model = self._made.model
            out.append(parts.colophon(texts, view.model if model is None else model, dropped))
        markdown = "\n\n".join(part for part in out if part) + "\n"
        return Report(
            markdown,
            citations.total,
            citations.resolved,
            citations.origins,
            dropped,
            tuple(citations.sentences),
        )

    def _why_nothing(self) -> str:
        if self._counted:
            return self._texts.none_usable
        return self._texts.nothing if self._view.sources else self._texts.no_sources

    def _head(self) -> list[str]:
        texts, made, head = self._texts, self._made, []
        if self._view.engines and set(self._view.engines) == {SearchEngine.DEMO.value}:
            head.append(f"> {texts.demo_web}")
        if date := made.date or self._view.updated_at:
            line = fill(texts.report_on, date=date.date().isoformat())
            if self._template.header == "time-and-score":
                time = date.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
                line = fill(texts.report_on, date=fill(texts.on_time, time=time))
                if self._view.overall_score is not None:
                    line += f" · {fill(texts.score, score=self._view.overall_score)}"
            head.append(f"*{line}*")
        if made.partial:
            notes = {RunStatus.STOPPED: texts.stopped, RunStatus.FAILED: texts.failed}
            note = notes.get(made.status, texts.partial)
            head.append(f"> **{note}** {escape_text(shorten(made.reason, 300))}".rstrip())
        return head

    def _section(
        self, section: SectionText, text: CheckedText, elsewhere: list[str], *, quiet: bool
    ) -> list[str]:
        """The pieces of a section below its heading; none when it is left out."""
        plan, texts = section.plan, self._texts
        self._citations.section = plan.heading or texts.findings
        pieces: list[str] = []
        for part in plan.spec.parts:
            if part is Part.TEXT:
                pieces += self._text(section, text, elsewhere, quiet=quiet)
            elif body := self._part(part):
                heading = self._part_heading(part) if len(plan.spec.parts) > 1 else ""
                pieces += [f"### {heading}", body] if heading else [body]
        if not pieces and self._template.missing == "say" and plan.heading:
            pieces.append(texts.no_information)
        return pieces

    def _text(
        self, section: SectionText, text: CheckedText, elsewhere: list[str], *, quiet: bool
    ) -> list[str]:
        plan, texts = section.plan, self._texts
        if not plan.claims:
            return [self._told_under(plan.told_in)] if plan.told_in else []
        if section.text.is_empty:
            if plan.spec.judged:
                return []
            note = (
                []
                if quiet or self._made.partial or not plan.asks_model
                else [f"*{texts.automatic}*"]
            )
            if plan.spec.items:
                return note + self._points(plan.claims[: plan.enough])
            return note + self._claims_listed(plan, plan.claims)
        if text.is_empty:
            return [] if plan.spec.judged else [self._told_under(elsewhere)]
        blocks = _within(text.blocks, plan.spec.items)
        own = any(block.kind == "heading" for block in blocks)
        level = 2 if not plan.heading else 4 if plan.group else 3
        head = [] if plan.heading or own else [f"## {texts.findings}"]
        written = [*head, render_blocks(blocks, self._citations.statement, level=level)]
        points = sum(block.kind == "item" for block in blocks)
        if plan.spec.items and points < plan.spec.items[0]:
            more = [claim for claim in plan.claims if claim.id not in text.cited]
            written += self._points(more[: plan.spec.items[0] - points])
        return written

    def _points(self, claims: Sequence[Claim]) -> list[str]:
        """Claims as points of a list that must have some: said in short, also when said before."""
        texts = (
            (claim, shorten(without_addresses(claim.text), MAX_QUOTE_CHARS)) for claim in claims
        )
        lines = [f"- {self._citations.line(text, (claim.id,))}" for claim, text in texts]
        return ["\n".join(lines)] if lines else []

    def _part(self, part: Part) -> str:
        texts, view, citations = self._texts, self._view, self._citations
        match part:
            case Part.SCOPE:
                return parts.scope(texts, view) if self._usable else ""
            case Part.STANDING:
                return parts.standing(texts, view, self._basis, self._counted)
            case Part.CONFLICTS:
                ids = [claim.id for claim in self._counted]
                return tell_conflicts(texts, view, self._basis, ids, citations)
            case Part.TIME_SENSITIVE:
                return parts.time_sensitive(texts, view, self._usable, citations)
            case Part.GAPS:
                return parts.gaps(texts, view)
            case Part.BLOCKED:
                return parts.blocked(texts, view)
            case Part.REFERENCES:
                by_task = self._template.sources_by_task
                return parts.references(texts, view, citations, by_task=by_task)
            case Part.CLAIMS:
                return self._table()
            case Part.TEXT:
                return ""

    def _table(self) -> str:
        table = claims_table(self._texts, self._view, self._basis, self._counted)
        stands_elsewhere = any(Part.STANDING in s.parts for s in self._template.sections)
        if not table or stands_elsewhere:
            return table
        line = parts.standing(self._texts, self._view, self._basis, self._counted)
        return f"{line}\n\n{table}"

    def _part_heading(self, part: Part) -> str:
        texts = self._texts
        headings = {
            Part.CONFLICTS: texts.conflicts,
            Part.TIME_SENSITIVE: texts.time_sensitive,
            Part.GAPS: texts.not_found,
            Part.BLOCKED: texts.blocked,
            Part.CLAIMS: texts.claims_table,
        }
        return headings.get(part, "")

    def _told_under(self, headings: Sequence[str]) -> str:
        named = ", ".join(f"“{escape_text(heading)}”" for heading in dict.fromkeys(headings))
        return fill(self._texts.told_under, headings=named)

    def _claims_listed(self, plan: SectionPlan, claims: Sequence[Claim]) -> list[str]:
        """Claims as a plain list (statement, passage, citation), each in one list of the report."""
        heading = plan.heading or self._texts.findings
        new = [claim for claim in claims if claim.id not in self._listed]
        new = new[: plan.enough] if plan.enough else new
        lines = [f"- {self._citations.line(_listing(claim), (claim.id,))}" for claim in new]
        head = [] if plan.heading else [f"## {heading}"]
        if not lines:
            return [self._told_under([self._listed[claim.id] for claim in claims])]
        self._listed |= {claim.id: heading for claim in new}
        return [*head, "\n".join(lines)]


def _listing(claim: Claim) -> str:
    """A claim and the passage that carries it, in one line."""
    text = shorten(without_addresses(claim.text), MAX_QUOTE_CHARS)
    quote = shorten(claim.quotes[0] if claim.quotes else "", MAX_QUOTE_CHARS)
    quote = quote.replace("“", "‘").replace("”", "’")
    if not quote:
        return text
    return f"“{quote}”" if _letters(text) == _letters(quote) else f"{text} — “{quote}”"


def _within(blocks: Sequence[Block], items: tuple[int, int] | None) -> list[Block]:
    """The blocks without the points of a list that are too many."""
    kept: list[Block] = []
    points = 0
    for block in blocks:
        points += block.kind == "item" and block.depth == 0
        if block.kind != "item" or items is None or points <= items[1]:
            kept.append(block)
    return kept


def _without_repeats(sections: Sequence[SectionText]) -> list[Deduplicated]:
    """What an earlier section says is left out of later ones; a summary may restate."""
    restating = [i for i, section in enumerate(sections) if section.plan.spec.restates]
    return drop_repeats([_without_own_heading(section) for section in sections], restating)


def _without_own_heading(section: SectionText) -> CheckedText:
    """The text without a first line that says the section's heading again."""
    blocks = section.text.blocks
    if blocks and blocks[0].kind == "heading" and section.plan.heading:
        own = " ".join(blocks[0].sentences)
        if _letters(own) == _letters(section.plan.heading):
            return replace(section.text, blocks=blocks[1:])
    return section.text


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())
