"""The pieces of a report that code writes: gaps, blocked sites, references, what it is made of.

Invariant: every address is that of a source that was read in this run; what a page, a model or a
person wrote is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from leadline.domain.claims import Claim
from leadline.domain.evidence import Source
from leadline.domain.origins import independent
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView
from leadline.domain.text import one_line, shorten
from leadline.reports.basis import Basis
from leadline.reports.citations import Dropped
from leadline.reports.claims_table import state_counts
from leadline.reports.escape import escape_text, host_of, safe_url, without_addresses
from leadline.reports.numbering import ReportCitations
from leadline.reports.texts import Texts, fill

MAX_LISTED = 40
"""Lines of a list of failures; the rest is counted."""
MAX_TASKS_NAMED = 3


def scope(texts: Texts, view: RunView) -> str:
    """How much was asked and read."""
    if not view.sources:
        return ""
    # Of copies one stands for all; then pages of one publisher are one.
    originals = {view.origins.get(n, s.origin or n) for n, s in view.sources.items()}
    origins = len(independent(sorted(originals), view.sources, {}))
    asked = sum(view.counts().values())
    line = fill(texts.scope, tasks=asked, sources=len(view.sources), origins=origins)
    return f"*{line}*"


def standing(texts: Texts, view: RunView, basis: Basis, claims: Sequence[Claim]) -> str:
    """How many claims stand in each state, what is open, and the score."""
    if not claims:
        return ""
    lines = [fill(texts.standing, claims=len(claims), counts=state_counts(texts, basis, claims))]
    if unanswered := sum(view.counts().values()) - view.counts()[TaskState.DONE]:
        lines.append(fill(texts.open_questions, count=unanswered))
    if view.overall_score is not None:
        lines.append(f"{fill(texts.score, score=view.overall_score)}.")
    return " ".join(lines)


def time_sensitive(
    texts: Texts, view: RunView, claims: Sequence[Claim], citations: ReportCitations
) -> str:
    """Usable claims whose value changes in time, with the date that each is from."""
    wanted = set(view.insights.time_sensitive)
    lines: list[str] = []
    for claim in claims:
        if claim.id in wanted:
            text = shorten(without_addresses(claim.text), 300).rstrip(" .。")
            told = f"{text} ({claim.date or texts.undated})"
            lines.append(f"- {citations.line(told, (claim.id,))}")
    return "\n".join(lines)


def gaps(texts: Texts, view: RunView) -> str:
    """Open and failed tasks with their reasons, tasks that a person ticked, other blind spots."""
    lines: list[str] = []
    named: list[str] = []
    for task in view.plan.tasks() if view.plan else ():
        known = view.tasks.get(task.id)
        if task.state is TaskState.DONE:
            if known is None or not known.by_user or known.findings:
                continue
            why = texts.by_hand
        else:
            why = texts.failed_task if task.state is TaskState.FAILED else texts.open_task
            why = escape_text(shorten(known.reason, 300)) if known and known.reason else why
        named.append(one_line(task.text).casefold())
        lines.append(f"- {escape_text(shorten(task.text, 300))} — {why}")
    # A blind spot that begins with a task's words is that task again, with its reason.
    others = (
        spot
        for spot in view.insights.blind_spots
        if not one_line(spot).casefold().startswith(tuple(named))
    )
    lines += (f"- {escape_text(shorten(spot, 300))}" for spot in others)
    return _limited(texts, lines)


def blocked(texts: Texts, view: RunView) -> str:
    """Sites that refused us or could not be read, by host and reason, most pages first."""
    pages = {(page.url, page.reason) for page in view.failed_pages}
    counted = Counter((host_of(url), reason) for url, reason in sorted(pages))
    lines = []
    for (host, reason), count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        many = f" ({fill(texts.pages, count=count)})" if count > 1 else ""
        why = escape_text(shorten(texts.reason(reason), 200))
        lines.append(f"- {escape_text(host)}: {why}{many}")
    return _limited(texts, lines)


def _limited(texts: Texts, lines: list[str]) -> str:
    kept = lines[:MAX_LISTED]
    if len(lines) > MAX_LISTED:
        kept.append(f"- {fill(texts.more, count=len(lines) - MAX_LISTED)}")
    return "\n".join(kept)


def references(
    texts: Texts, view: RunView, citations: ReportCitations, *, by_task: bool = False
) -> str:
    """The numbered list of what is cited; ``by_task``: with the tasks that each answers."""
    lines: list[str] = []
    origins: dict[int, int] = {}
    for source_id, number in citations.numbers.items():
        source = view.sources[source_id]
        origin = source.origin or source_id
        tasks = _tasks_of(texts, view, source_id) if by_task else ""
        line = _reference(texts, source, origins.get(origin), view, tasks)
        lines.append(f"{number}. {line}")
        origins.setdefault(origin, number)
    return "\n".join(lines)


def _tasks_of(texts: Texts, view: RunView, source_id: int) -> str:
    """The tasks whose findings rest on a source."""
    ids = {
        finding.task
        for finding in view.findings.values()
        if any(ref.source == source_id for ref in finding.passages)
    }
    names = [t.text for t in (view.plan.tasks() if view.plan else ()) if t.id in ids]
    shown = "; ".join(shorten(name, 100) for name in names[:MAX_TASKS_NAMED])
    return fill(texts.for_tasks, tasks=escape_text(shown)) if shown else ""


def _reference(texts: Texts, source: Source, same_as: int | None, view: RunView, tasks: str) -> str:
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
    facts += [tasks] if tasks else []
    facts.append(f"[{texts.stored_text}](sources/{source.id}.md)")
    return " · ".join(facts)


def colophon(texts: Texts, model: str, dropped: Dropped) -> str:
    """Who wrote the report and what was taken out of the draft."""
    lines = [fill(texts.written_by, model=escape_text(model))] if model else []
    if "offline" in model.casefold():
        lines = [texts.offline]
    if count := dropped.uncited + dropped.unsupported:
        lines.append(texts.dropped_one if count == 1 else fill(texts.dropped, count=count))
    return f"---\n\n*{' '.join(lines)}*" if lines else ""
