"""Claims on the report tab: how many stand in each state, and the table of all of them. Pure.

Filters and sorting are the page's own script (``claims.js``), so they ask nothing of the server;
each row carries what they go by in its ``data-`` attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from leadline.domain.claims import ClaimState, Grade
from leadline.reports.basis import WEAKNESS
from leadline.web.claim_rows import ClaimRow
from leadline.web.texts import Texts
from leadline.web.views.html import claim_badge, cut, esc, passage_href, state_word

SHOWN = 1000
"""Rows of the table; more would make the page heavy, and all stand in ``evidence.json``."""
MAX_STATEMENT_CHARS = 300
MAX_PASSAGES = 6


def overview(rows: Sequence[ClaimRow], score: int | None, conflicts: int, texts: Texts) -> str:
    """How many claims there are, in each state, and ways down to them; every state is named."""
    counted = Counter(row.state for row in rows)
    count = texts("claim_one") if len(rows) == 1 else texts("claims_n", n=len(rows))
    graded = (
        f'<span class="ll-score" title="{esc(texts("score_about"))}">'
        f"{esc(texts('score_of', score=score))}</span>"
        if score is not None
        else ""
    )
    chips = "".join(_chip(state, counted[state], texts) for state in ClaimState)
    links = [("ll-claims", texts("go_claims"))]
    if conflicts:
        links.insert(0, ("ll-conflicts", f"{texts('go_conflicts')} ({conflicts})"))
    nav = "".join(
        f'<a class="ll-go" href="#{goal}" data-ll-go="{goal}">{esc(word)} <span aria-hidden="true">'
        f"↓</span></a>"
        for goal, word in links
    )
    unchecked = len(rows) == counted[ClaimState.NOT_CHECKED]
    note = f'<p class="ll-overview-note">{esc(texts("unchecked_note"))}</p>' if unchecked else ""
    return (
        f'<div class="ll-overview"><p class="ll-overview-count"><strong>{esc(count)}</strong>'
        f'{graded}{nav}</p><div class="ll-chips" role="group" '
        f'aria-label="{esc(texts("states_label"))}">{chips}</div>{note}</div>'
    )


def _chip(state: ClaimState, count: int, texts: Texts) -> str:
    badge = claim_badge(state.value, texts)
    if not count:
        return f'<span class="ll-chip ll-chip-none">{badge}<b>0</b></span>'
    return (
        f'<button type="button" class="ll-chip" data-ll-show-state="{esc(state.value)}" '
        f'aria-pressed="false" '
        f'title="{esc(texts("show_state"))}">{badge}<b>{count}</b></button>'
    )


def claims_table(rows: Sequence[ClaimRow], task_id: str, texts: Texts) -> str:
    """The table with its filters; on a narrow screen its rows are cards."""
    shown = rows[:SHOWN]
    views = list(dict.fromkeys(view for row in rows for view in row.views))
    body = "".join(_row(number, row, views, task_id, texts) for number, row in enumerate(shown))
    cut_note = (
        f"<p>{esc(texts('claims_cut', n=SHOWN, total=len(rows)))}</p>" if len(rows) > SHOWN else ""
    )
    counted = texts("shown_of", n="{n}", total="{total}")
    return (
        f'<section class="ll-claims" id="ll-claims" tabindex="-1" data-ll-claims '
        f'data-counted="{esc(counted)}"><h2>{esc(texts("claims_title"))} '
        f'<span class="ll-count">{len(rows)}</span></h2>{_filters(rows, views, texts)}{cut_note}'
        f'<div class="ll-claims-box"><table><thead><tr>{_head(texts)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
        f'<p class="ll-empty" data-ll-no-claim hidden>{esc(texts("no_claim_matches"))}</p>'
        f"</section>"
    )


def _filters(rows: Sequence[ClaimRow], views: Sequence[str], texts: Texts) -> str:
    states = Counter(row.state for row in rows)
    grades = Counter(row.score.grade for row in rows if row.score)
    of_state = (
        (state.value, f"{state_word(state.value, texts)} ({states[state]})")
        for state in WEAKNESS
        if states[state]
    )
    of_view = ((str(number), cut(view, 60)) for number, view in enumerate(views))
    of_grade = ((g.value, f"{g.value} ({grades[g]})") for g in Grade if grades[g])
    selects = _select("state", of_state, texts)
    if len(views) > 1:
        selects += _select("view", of_view, texts)
    if grades:
        selects += _select("grade", of_grade, texts)
    search = esc(texts("filter_text"))
    return (
        f'<div class="ll-filters" role="search"><label class="ll-filter-text"><span>{search}</span>'
        f'<input type="search" data-ll-filter="text" autocomplete="off">'
        f'</label>{selects}<label class="ll-filter-check"><input type="checkbox" '
        f'data-ll-filter="origins"><span>{esc(texts("filter_origins"))}</span></label>'
        f'<p class="ll-filter-shown"><span role="status" data-ll-shown>'
        f"{esc(texts('shown_of', n=min(len(rows), SHOWN), total=min(len(rows), SHOWN)))}</span> "
        f'<button type="button" class="ll-button" data-ll-filter-reset hidden>'
        f"{esc(texts('filter_reset'))}</button></p></div>"
    )


def _select(name: str, options: Iterable[tuple[str, str]], texts: Texts) -> str:
    items = "".join(f'<option value="{esc(v)}">{esc(word)}</option>' for v, word in options)
    return (
        f"<label><span>{esc(texts(f'filter_{name}'))}</span>"
        f'<select data-ll-filter="{name}"><option value="">{esc(texts("filter_all"))}</option>'
        f"{items}</select></label>"
    )


_COLUMNS = ("claim", "statement", "state", "view", "origins", "grade")


def _head(texts: Texts) -> str:
    cells = []
    for name in _COLUMNS:
        word = texts(f"col_{name}")
        cells.append(
            f'<th scope="col" class="ll-col-{name}"><button type="button" data-ll-sort="{name}" '
            f'title="{esc(texts("sort_by", column=word))}">{esc(word)}</button></th>'
        )
    return "".join(cells)


def _row(number: int, row: ClaimRow, views: Sequence[str], task_id: str, texts: Texts) -> str:
    claim, score = row.claim, row.score
    grade = f'<abbr title="{esc(_graded(row, texts))}">{score.grade.value}</abbr>' if score else "–"
    parts = "".join(f'<li dir="auto">{esc(cut(view, 60))}</li>' for view in row.views)
    cells = (
        esc(claim.id),
        _statement(row, task_id, texts),
        claim_badge(row.mark, texts),
        f"<ul>{parts}</ul>" if parts else esc(texts("no_view")),
        str(row.origins),
        grade,
    )
    places = " ".join(str(views.index(view)) for view in row.views)
    body = "".join(
        f'<td class="ll-col-{name}" data-label="{esc(texts(f"col_{name}"))}">{cell}</td>'
        for name, cell in zip(_COLUMNS, cells, strict=True)
    )
    return (
        f'<tr id="ll-{esc(claim.id)}" data-n="{number}" data-state="{esc(row.state.value)}" '
        f'data-weak="{WEAKNESS.index(row.state)}" data-view="{places}" '
        f'data-origins="{row.origins}" data-grade="{score.grade.value if score else ""}" '
        f'data-total="{score.total if score else 0}">{body}</tr>'
    )


def _statement(row: ClaimRow, task_id: str, texts: Texts) -> str:
    text = f'<span dir="auto">{esc(cut(row.claim.text, MAX_STATEMENT_CHARS))}</span>'
    if row.passages:
        ref = row.passages[0][0]
        quote = row.claim.quotes[0] if row.claim.quotes else ""
        text = (
            f'<a class="ll-claim-text" href="{esc(passage_href(task_id, ref))}" data-ll-row-link '
            f'title="{esc(cut(f"“{quote}”", 400))}">{text}</a>'
        )
    notes = [row.why]
    if row.superseded_by and row.superseded_by not in row.why:
        notes.append(texts("replaced_by", claim=row.superseded_by))
    if others := [claim for claim in row.against if claim not in row.why]:
        notes.append(texts("at_odds_with", claims=", ".join(others)))
    if not row.usable:
        notes.append(texts("not_in_report"))
    said = " · ".join(note for note in notes if note)
    why = f'<p class="ll-why" dir="auto">{esc(cut(said, 400))}</p>' if said else ""
    links = [
        f'<a href="{esc(passage_href(task_id, ref))}">{esc(host)} {ref}</a>'
        for ref, host in row.passages[:MAX_PASSAGES]
    ]
    more = f" +{len(row.passages) - MAX_PASSAGES}" if len(row.passages) > MAX_PASSAGES else ""
    where = f'<p class="ll-where">{" · ".join(links)}{more}</p>' if links else ""
    return f"{text}{why}{where}"


def _graded(row: ClaimRow, texts: Texts) -> str:
    score = row.score
    if score is None:
        return ""
    return texts(
        "grade_about",
        total=score.total,
        reliability=score.reliability,
        verification=score.verification,
        coverage=score.coverage,
    )
