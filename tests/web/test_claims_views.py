"""Claims on the page: counts, table, contradictions, the checks while they go on."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from leadline.domain.claims import Claim, ClaimState, Verification
from leadline.domain.evidence import PassageRef
from leadline.domain.projection import RunView
from leadline.reports.basis import Basis
from leadline.runs.session import RunSession
from leadline.web.claim_rows import basis_of, resting_on, rows_of
from leadline.web.texts import Texts
from leadline.web.views.checking import checking, checking_sentence, counter_searches
from leadline.web.views.claims import SHOWN, claims_table, overview
from leadline.web.views.conflicts import conflicts_view, known_conflicts
from leadline.web.views.feed import feed
from leadline.web.views.plan import plan_view
from leadline.web.views.progress import counters, workers
from tests.web.checked_runs import CheckedRuns
from tests.web.runs_by_hand import ByHand

EN, ZH = Texts("en"), Texts("zh")


def view_of(runs: CheckedRuns) -> tuple[RunView, Basis]:
    view = runs.checked().view()
    basis = basis_of(view)
    assert basis is not None
    return view, basis


def row_of(html: str, claim: str) -> str:
    found = re.search(rf'<tr id="ll-{claim}".*?</tr>', html)
    assert found is not None
    return found[0]


def test_every_state_is_counted_with_sign_and_word(checked: CheckedRuns) -> None:
    """A state of which there is none is named too."""
    view, basis = view_of(checked)
    html = overview(rows_of(view, basis, EN), 61, 2, EN)
    text = re.sub(r"<[^>]+>", "", html)
    for said in ("✓ supported2", "◐ qualified1", "⇄ disputed2", "✗ contradicted1",
                 "? unverified1", "○ not checked0", "7 claims", "Score 61 of 100"):  # fmt: skip
        assert said in text, said
    assert html.count("data-ll-show-state") == 5
    assert 'data-ll-go="ll-conflicts"' in html
    assert "得到支持2" in re.sub(r"<[^>]+>", "", overview(rows_of(view, basis, ZH), None, 0, ZH))


def test_a_row_has_what_filters_and_sorting_go_by(checked: CheckedRuns) -> None:
    view, basis = view_of(checked)
    html = claims_table(rows_of(view, basis, EN), "checked", EN)
    second = row_of(html, "c2")
    for part in ('data-state="supported"', 'data-origins="2"', 'data-grade="A"', 'data-total="15"',
                 'data-view="0 1"', "15 of 15: source 5, check 5, coverage 5"):  # fmt: skip
        assert part in second, part
    assert 'href="/runs/checked/sources/1#p3" data-ll-row-link' in second
    assert 'href="/runs/checked/sources/2#p2"' in second
    third, sixth = row_of(html, "c3"), row_of(html, "c6")
    assert 'data-state="qualified"' in third
    assert "↻" in third
    assert "Superseded by c5." in third
    assert "not used in the report" in sixth
    assert "&lt;b&gt;The board&lt;/b&gt; thanks the crews &amp; the people." in sixth
    assert 'data-grade=""' in row_of(html, "c7")
    assert "其自身段落的说法不同" in claims_table(rows_of(view, basis, ZH), "checked", ZH)


def test_five_hundred_claims_are_drawn_at_once_and_more_are_cut(checked: CheckedRuns) -> None:
    view, basis = view_of(checked)
    (first, *_) = rows_of(view, basis, EN)
    many = [first] * (SHOWN + 20)
    began = time.perf_counter()
    html = claims_table(many[:500], "checked", EN)
    assert time.perf_counter() - began < 1
    assert html.count("<tr id=") == 500
    assert len(html) < 1_500_000
    cut = claims_table(many, "checked", EN)
    assert cut.count("<tr id=") == SHOWN
    assert f"all {SHOWN + 20} stand in Evidence" in cut


def test_contradictions_stand_side_by_side_with_their_basis(checked: CheckedRuns) -> None:
    """S1-9: open ones first, each side with its source, date, state and passage."""
    view, basis = view_of(checked)
    rows = {row.claim.id: row for row in rows_of(view, basis, EN)}
    html = conflicts_view(basis.conflicts, rows, "checked", EN)
    first, second = html.split('<article class="ll-conflict">')[1:]
    assert first.count('class="ll-side"') == 2
    assert "Open: nothing that was read settles it." in first
    for part in ("412,000", "389,000", "ferry.quorrow.example", "2026-01-14", "/sources/2#p2"):
        assert part in first, part
    assert re.search(r"Older.*c3.*Newer.*c5", second, re.DOTALL)
    settled = basis.conflicts[1].model_copy(
        update={"settled_for": "c4", "settled_by": "The audit counted tickets."}
    )
    told = conflicts_view((settled,), rows, "checked", EN)
    assert "Settled for c4: The audit counted tickets." in told
    assert told.index("c1</b>") < told.index("Held") < told.index("c4</b>")
    assert known_conflicts(basis.conflicts, {"c1": rows["c1"]}) == []
    assert conflicts_view((), rows, "checked", EN) == ""


def test_a_run_of_before_claims_shows_none(runs: ByHand) -> None:
    view = runs.done().view()
    assert basis_of(view) is None
    assert resting_on(view, 1, EN) == []


def test_claims_without_a_check_are_not_checked(checked: CheckedRuns) -> None:
    """W3-5: a state is never better than what was checked."""
    session = checked.being_checked()
    with session:
        basis = basis_of(session.view)
        assert basis is not None
        rows = {row.claim.id: row for row in rows_of(session.view, basis, EN)}
    assert rows["c1"].state is ClaimState.NOT_CHECKED
    assert rows["c2"].state is ClaimState.SUPPORTED
    assert "were not checked" not in overview([rows["c1"], rows["c2"]], None, 0, EN)
    assert "were not checked" in overview([rows["c1"]], None, 0, EN)


@pytest.fixture
def debated(checked: CheckedRuns) -> Iterator[RunSession]:
    with checked.being_checked() as session:
        yield session


def test_the_checks_are_seen_while_they_go_on(debated: RunSession) -> None:
    view = debated.view
    said = "Checking 2 of 7 claims, with searches for counter-evidence"
    assert checking_sentence(view, Verification.DEBATE, EN) == said
    assert checking_sentence(view, Verification.CHECK, EN) == "Checking 2 of 7 claims"
    html = checking(view, Verification.DEBATE, EN)
    assert '<progress max="7" value="2"' in html
    assert "3 answers from the verifier so far" in html
    config = debated.folder.record().config
    assert "<dd>2<span>/ 7</span></dd>" in counters(view, view.plan, config, 1, EN)


def test_searches_for_counter_evidence_are_no_tasks_of_the_plan(debated: RunSession) -> None:
    """S3-36: they are told as what they are, with the claim that they are about."""
    view = debated.view
    html = counter_searches(view, EN)
    assert html.count("<li>") == 2
    assert "1 passage found" in html
    assert "searching" in html
    assert "What speaks against this" not in html
    card = workers(view, "being-checked", {}, EN)
    assert "looking for counter-evidence" in card
    assert "against: It left on time on 97 of 100 crossings." in card
    assert "97 of 100" not in plan_view(view.plan, view, EN)
    entries, _ = debated.folder.read_events()
    told = feed(entries, view, EN)
    assert "Counter-evidence is looked for: It left on time" in told
    assert "Found as counter-evidence: The quay was closed" in told
    assert "Task taken up: What speaks" not in told


def test_a_claim_leads_to_passages_that_are_stored_alone(checked: CheckedRuns) -> None:
    """W3-2: a number that no passage has makes no link."""
    view, basis = view_of(checked)
    refs = (PassageRef(source=1, passage=99), PassageRef(source=9, passage=1))
    changed: Claim = basis.claims["c2"].model_copy(update={"passages": refs})
    known = Basis({"c2": changed}, basis.checks)
    (row,) = rows_of(view, known, EN)
    assert row.passages == ()
    assert "<a " not in row_of(claims_table([row], "checked", EN), "c2")
