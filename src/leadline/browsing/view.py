"""How a worker's state looks to its model. Pure: state in, text out, every part with a cap.

Everything that came from outside (titles, snippets, passages, elements, what tools reported) is
given as ``Data``, so it stands in blocks whose marks nothing in it can imitate. Topic, task and
query are the user's and the plan's own, each on one line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from leadline.browsing.state import CurrentPage, Row, Shown, WorkerState
from leadline.domain.evidence import Passage, Snapshot
from leadline.domain.ranking import rank
from leadline.domain.text import estimate_tokens, shorten
from leadline.models.prompts import Data, Value
from leadline.models.requests import language_name

PASSAGE_CHARS = 1200
SNIPPET_CHARS = 220
ROWS_SHOWN = 20
ELEMENTS_CHARS = 4000
_OPENING = 2
"""The first passages of a page are shown whatever they say: they tell what the page is."""


def select_passages(snapshot: Snapshot, wanted: str, tokens: int) -> tuple[Passage, ...]:
    """The passages to show of a source, in its order, of about ``tokens`` tokens.

    A short source is shown whole. Of a long one its opening and the passages that fit ``wanted``
    best are kept, then the rest from the top while there is room.
    """
    passages = snapshot.passages
    costs = [_cost(p) for p in passages]
    if sum(costs) <= tokens:
        return passages
    order = list(range(min(_OPENING, len(passages))))
    order += [index for index, _ in rank(wanted, [p.text for p in passages])]
    order += range(len(passages))
    kept: set[int] = set()
    left = tokens
    for index in dict.fromkeys(order):
        if costs[index] <= left:
            kept.add(index)
            left -= costs[index]
    if not kept and passages:
        kept.add(0)
    return tuple(passages[index] for index in sorted(kept))


def prompt_values(state: WorkerState, *, today: date, material_tokens: int) -> Mapping[str, Value]:
    """What goes into the slots of ``prompts/worker.md``."""
    return {
        "task": shorten(state.task, 1500),
        "topic": shorten(state.topic or state.task, 600),
        "query": shorten(state.query, 300),
        "language": language_name(state.language),
        "today": f"{today:%B} {today.day}, {today.year}",
        "background": _data(state.background, "nothing yet"),
        "results": _data(render_rows(state), "none"),
        "passages": _data(render_sources(list(state.shown.values()), material_tokens), "none yet"),
        "page": _data(render_page(state.page), "empty: no page is open for clicking"),
        "journal": _data("\n".join(state.journal), "nothing yet"),
        "budget": _budget(state),
    }


def render_rows(state: WorkerState) -> str:
    """The search results, with what became of each."""
    if not state.rows:
        return state.search_failure or ("The search found nothing." if state.queries else "")
    rows = state.rows[-ROWS_SHOWN:]
    return "\n".join(_row(row, state) for row in rows)


def _row(row: Row, state: WorkerState) -> str:
    fate = ""
    if row.url in state.opened:
        fate = f" (read: source {state.opened[row.url]})"
    elif row.url in state.failed:
        fate = f" (not readable: {state.failed[row.url][0]})"
    when = f" — {row.date}" if row.date else ""
    title = shorten(row.title, 120) or "untitled"
    line = f"{row.number}. {title} — {row.host} — {shorten(row.url, 200)}{when}{fate}"
    snippet = shorten(row.snippet, SNIPPET_CHARS)
    return f"{line}\n   {snippet}" if snippet and not fate else line


def render_sources(shown: Sequence[Shown], tokens: int) -> str:
    """The passages shown so far; the newest sources come first in the sharing of room."""
    blocks: list[str] = []
    left = tokens
    for position, item in enumerate(reversed(shown)):
        share = left // (len(shown) - position)
        block, used = _source(item, share)
        blocks.append(block)
        left = max(0, left - used)
    return "\n\n".join(reversed(blocks))


def _source(item: Shown, tokens: int) -> tuple[str, int]:
    source = item.snapshot.source
    parts = [f"Source {source.id}: {shorten(source.title, 120) or 'untitled'}"]
    parts += [part for part in (source.site, source.date) if part]
    lines = [" — ".join(parts)]
    used = 0
    last = 0
    heading = ""
    page: int | None = None
    for passage in item.passages:
        cost = _cost(passage)
        if used + cost > tokens and last:
            continue
        used += cost
        if passage.number != last + 1:
            lines.append("…")
        if passage.page is not None and passage.page != page:
            page = passage.page
            lines.append(f"(page {page})")
        if passage.heading and passage.heading != heading:
            heading = passage.heading
            lines.append(f"# {shorten(heading, 120)}")
        lines.append(f"[{source.id}.{passage.number}] {shorten(passage.text, PASSAGE_CHARS)}")
        last = passage.number
    if last != len(item.snapshot.passages):
        lines.append("…")
    if source.truncated:
        lines.append("(the page was longer than what was stored)")
    return "\n".join(lines), used


def render_page(page: CurrentPage) -> str:
    """The tab in front and what can be clicked there; empty when no page is open."""
    if page.is_blank:
        return ""
    lines = [f"{shorten(page.title, 120)} — {shorten(page.url, 300)}"]
    if page.trouble:
        lines.append(shorten(page.trouble, 300))
    if page.text:
        lines.append(page.text[:ELEMENTS_CHARS])
    return "\n".join(lines)


def _data(text: str, otherwise: str) -> Value:
    """Text from outside in its marks; where there is none, our own word for that, without any."""
    return Data(text) if text.strip() else otherwise


def _budget(state: WorkerState) -> str:
    steps = state.limits.steps_per_worker
    text = (
        f"Step {state.step} of {steps}. Pages that may still be read: {state.pages_left}. "
        f"Findings recorded: {len(state.findings)}."
    )
    if state.last_step:
        text += " This is the last step: record what the passages show and end with done, now."
    return text


def _cost(passage: Passage) -> int:
    return min(estimate_tokens(passage.text), PASSAGE_CHARS) + 6
