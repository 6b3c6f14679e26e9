"""The whole report in Markdown, put together by code from checked sections.

Invariants: every link is a stored passage or a source that was read in this run; the list of
references is made from the stored sources alone; what a page or a model wrote is escaped. With no
evidence there is no section, only a report that says so (S2-36).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from leadline.domain.config import SearchEngine
from leadline.domain.evidence import Finding, Source
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView
from leadline.domain.run import RunStatus
from leadline.domain.text import shorten
from leadline.reports.citations import CheckedText, CitationNumbers, Dropped, drop_repeats
from leadline.reports.escape import escape_text, host_of, safe_url
from leadline.reports.outline import SectionPlan
from leadline.reports.section_text import render_blocks
from leadline.reports.texts import Texts, fill, texts_for

MAX_LISTED = 40
"""Lines of a list of failures; the rest is counted."""
MAX_QUOTE_CHARS = 400
SUMMARY_FINDINGS = 5

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://\S*", re.IGNORECASE)


@dataclass(frozen=True)
class SectionText:
    """A section as planned and as checked; an empty text is replaced by a list of its findings."""

    plan: SectionPlan
    text: CheckedText


@dataclass(frozen=True)
class Report:
    """``report.md`` and what it counts; ``sources`` counts copies of one text once."""

    markdown: str
    citations: int
    resolved: int
    sources: int
    dropped: Dropped = field(default_factory=Dropped)


def compose_report(
    topic: str,
    sections: Sequence[SectionText],
    view: RunView,
    *,
    language: str = "en",
    partial: bool = False,
    status: RunStatus = RunStatus.DONE,
    summary: CheckedText | None = None,
    date: datetime | None = None,
    model: str | None = None,
    reason: str = "",
) -> Report:
    """Write the report of a run.

    ``date`` defaults to the time of the run's last event, ``model`` to the one that the run
    started with; ``reason`` says why it is partial.
    """
    texts = texts_for(language)
    findings = [finding for section in sections for finding in section.plan.findings]
    sections, dropped = _without_repeats(sections)
    citations = CitationNumbers(findings, view.sources)
    dropped += summary.dropped if summary else Dropped()
    date = date or view.updated_at
    parts = [f"# {escape_text(shorten(topic, 300))}"]
    if view.engines and set(view.engines) == {SearchEngine.DEMO.value}:
        parts.append(f"> {texts.demo_web}")
    if date:
        parts.append(f"*{fill(texts.report_on, date=date.date().isoformat())}*")
    parts += _partial_note(texts, partial, status, reason)
    if findings:
        parts += [f"## {texts.in_short}", _summary(summary, sections, citations)]
        for section in sections:
            parts += [f"## {escape_text(section.plan.heading)}", _section(section, citations)]
    else:
        parts.append(texts.nothing if view.sources else texts.no_sources)
    parts += _not_found(texts, view)
    parts += _blocked(texts, view)
    if citations.numbers:
        parts += [f"## {texts.references}", _references(texts, view, citations)]
    parts.append(_colophon(texts, view.model if model is None else model, dropped, bool(findings)))
    markdown = "\n\n".join(part for part in parts if part) + "\n"
    return Report(markdown, citations.total, citations.resolved, citations.origins, dropped)


def _without_repeats(sections: Sequence[SectionText]) -> tuple[list[SectionText], Dropped]:
    """Sections with something to say; what an earlier one says is left out of later ones."""
    texts = drop_repeats([_without_own_heading(section) for section in sections])
    # A section that says nothing new is left out; one that has no text yet lists its findings.
    kept = [
        SectionText(before.plan, text)
        for before, text in zip(sections, texts, strict=True)
        if before.text.is_empty or not text.is_empty
    ]
    return kept, sum((text.dropped for text in texts), Dropped())


def _without_own_heading(section: SectionText) -> CheckedText:
    """The text without a first line that says the section's heading again."""
    blocks = section.text.blocks
    if blocks and blocks[0].kind == "heading":
        own = " ".join(blocks[0].sentences)
        if _letters(own) == _letters(section.plan.heading):
            return replace(section.text, blocks=blocks[1:])
    return section.text


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())


def _partial_note(texts: Texts, partial: bool, status: RunStatus, reason: str) -> list[str]:
    if not partial:
        return []
    notes = {RunStatus.STOPPED: texts.stopped, RunStatus.FAILED: texts.failed}
    note = notes.get(status, texts.partial)
    return [f"> **{note}** {escape_text(shorten(reason, 300))}".rstrip()]


def _section(section: SectionText, citations: CitationNumbers) -> str:
    if section.text.is_empty:
        return _listed(section.plan.findings, citations)
    return render_blocks(section.text.blocks, citations.cite)


def _summary(
    summary: CheckedText | None, sections: Sequence[SectionText], citations: CitationNumbers
) -> str:
    if summary is not None and not summary.is_empty:
        return render_blocks(summary.blocks, citations.cite)
    firsts = [section.plan.findings[0] for section in sections if section.plan.findings]
    return _listed(firsts[:SUMMARY_FINDINGS], citations, quotes=False)


def _listed(findings: Sequence[Finding], citations: CitationNumbers, *, quotes: bool = True) -> str:
    """Findings as a plain list: what was found, its passage, its citation."""
    lines: list[str] = []
    for finding in findings:
        claim = shorten(_ADDRESS.sub("", finding.claim), MAX_QUOTE_CHARS)
        quote = shorten(finding.quotes[0] if finding.quotes else "", MAX_QUOTE_CHARS)
        quote = quote.replace("“", "‘").replace("”", "’")
        if _letters(claim) == _letters(quote):
            text = f"“{quote}”"
        else:
            text = f"{claim} — “{quote}”" if quotes and quote else claim
        lines.append(f"- {escape_text(text)} {citations.cite((finding.id,), finding.claim)}")
    return "\n".join(lines)


def _not_found(texts: Texts, view: RunView) -> list[str]:
    """Open and failed tasks with their reasons, and tasks that a person ticked."""
    lines: list[str] = []
    for task in view.plan.tasks() if view.plan else ():
        known = view.tasks.get(task.id)
        if task.state is TaskState.DONE:
            if known is None or not known.by_user or known.findings:
                continue
            why = texts.by_hand
        else:
            why = texts.failed_task if task.state is TaskState.FAILED else texts.open_task
            why = escape_text(shorten(known.reason, 300)) if known and known.reason else why
        lines.append(f"- {escape_text(shorten(task.text, 300))} — {why}")
    return [f"## {texts.not_found}", _limited(texts, lines)] if lines else []


def _blocked(texts: Texts, view: RunView) -> list[str]:
    """Sites that refused us or could not be read, by host and reason, most pages first."""
    pages = {(page.url, page.reason) for page in view.failed_pages}
    counted = Counter((host_of(url), reason) for url, reason in sorted(pages))
    lines = []
    for (host, reason), count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        many = f" ({fill(texts.pages, count=count)})" if count > 1 else ""
        why = escape_text(shorten(texts.reason(reason), 200))
        lines.append(f"- {escape_text(host)}: {why}{many}")
    return [f"## {texts.blocked}", _limited(texts, lines)] if lines else []


def _limited(texts: Texts, lines: list[str]) -> str:
    kept = lines[:MAX_LISTED]
    if len(lines) > MAX_LISTED:
        kept.append(f"- {fill(texts.more, count=len(lines) - MAX_LISTED)}")
    return "\n".join(kept)


def _references(texts: Texts, view: RunView, citations: CitationNumbers) -> str:
    lines: list[str] = []
    origins: dict[int, int] = {}
    for source_id, number in citations.numbers.items():
        source = view.sources[source_id]
        origin = source.origin or source_id
        lines.append(f"{number}. {_reference(texts, source, origins.get(origin), view)}")
        origins.setdefault(origin, number)
    return "\n".join(lines)


def _reference(texts: Texts, source: Source, same_as: int | None, view: RunView) -> str:
    """Title, site, author, date, address, when it was read, where it is stored."""
    url = safe_url(source.url)
    title = escape_text(shorten(source.title, 200)) or escape_text(host_of(source.url))
    facts = [f"[{title}](<{url}>)" if url else title]
    makers = dict.fromkeys(fact for fact in (source.site, source.author) if fact)
    facts += [escape_text(shorten(fact, 120)) for fact in makers]
    if source.date:
        facts.append(fill(texts.published, date=escape_text(shorten(source.date, 40))))
    # In angle brackets an address reads as it is, in the file as well as on a page.
    short = safe_url(source.url) if len(source.url) <= 300 else ""
    facts.append(f"<{short}>" if short else escape_text(shorten(source.url, 300)))
    facts.append(fill(texts.accessed, date=source.fetched_at.date().isoformat()))
    if same_as is not None:
        facts.append(fill(texts.same_text, other=rf"\[{same_as}\]"))
    elif source.origin is not None and source.origin in view.sources:
        other = view.sources[source.origin]
        name = escape_text(shorten(other.title or host_of(other.url), 120))
        facts.append(fill(texts.same_text, other=name))
    facts.append(f"[{texts.stored_text}](sources/{source.id}.md)")
    return " · ".join(facts)


def _colophon(texts: Texts, model: str, dropped: Dropped, written: bool) -> str:
    """Who wrote the report and what was taken out of the draft."""
    if not written:
        return ""
    lines = [fill(texts.written_by, model=escape_text(model))] if model else []
    if "offline" in model.casefold():
        lines = [texts.offline]
    if count := dropped.uncited + dropped.unsupported:
        lines.append(texts.dropped_one if count == 1 else fill(texts.dropped, count=count))
    return f"---\n\n*{' '.join(lines)}*" if lines else ""
