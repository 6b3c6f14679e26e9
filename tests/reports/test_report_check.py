"""Whatever the writer of reports composes, the checker of reports finds in order."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.domain import events as ev
from leadline.domain.claims import ClaimState, Conflict, ConflictKind
from leadline.domain.evidence import PassageRef
from leadline.domain.evidence_file import EvidenceFile, evidence_of
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.reports.compose import Report
from leadline.reports.report_check import ReportProblems, check_report
from leadline.reports.report_reading import read_report
from tests.domain.strategies import any_text
from tests.reports.samples import CLAIMS, SNAPSHOTS, set_state, view
from tests.reports.test_audit import NAMES, states, writings
from tests.reports.test_compose import report

PASSAGES = {
    PassageRef(source=number, passage=passage.number): passage.text
    for number, snapshot in SNAPSHOTS.items()
    for passage in snapshot.passages
}
SECTIONS = ("summary", "theme", "answer", "background", "insights", "evidence", "body", "advice")


def evidence(run: RunView, made: Report) -> EvidenceFile:
    run.report_ready = ev.ReportReady(
        citations=made.citations, resolved=made.resolved, sources=made.sources,
        sentences=made.sentences,
    )  # fmt: skip
    record = RunRecord(task_id="x", topic="y", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    return evidence_of(run, record)


def checked(run: RunView, made: Report) -> ReportProblems:
    return check_report(made.markdown, evidence(run, made), PASSAGES)


def problems(found: ReportProblems) -> list[str]:
    return [*found.sentences, *found.numbers, *found.references]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(writings, min_size=3, max_size=3), states, st.sampled_from(NAMES), st.booleans(),
    st.sampled_from(["en", "zh"]),
)  # fmt: skip
def test_every_report_that_is_composed_is_verified(
    texts: list[str], of_claims: list[ClaimState], name: str, disagree: bool, language: str
) -> None:
    """S3-47: any text of a model, any states, any template, both languages."""
    run = view()
    for claim, state in zip(CLAIMS, of_claims, strict=True):
        set_state(run, claim.id, state)
    if disagree:
        run.conflicts = (
            Conflict(kind=ConflictKind.CONTRADICTION, claims=("c1", "c2"), reason="They differ."),
        )
    run.insights = run.insights.model_copy(update={"time_sensitive": ("c2", "c3")})
    written = {section: texts[n % 3] for n, section in enumerate(SECTIONS)}
    made = report(run, written, template=name, language=language)
    assert problems(checked(run, made)) == [], made.markdown


@pytest.mark.parametrize(
    "title", ["](https://evil.example) <script> `x` | *b*\n# H", "", "A & B &amp; C", "1. *Bold*"]
)
def test_titles_and_addresses_of_pages_are_compared_as_they_are_shown(title: str) -> None:
    for url in ("javascript:alert(1)", "https://täst.example/ü?q=%20&x=(1)", "https://a.example"):
        run = view()
        source = run.sources[2].model_copy(update={"title": title, "url": url, "site": title})
        run.sources = {**run.sources, 2: source}
        made = report(run)
        assert problems(checked(run, made)) == [], made.markdown


@pytest.mark.parametrize("said", ["[c3]1", "Ghent [c3]has 3.2 million lamps.", "[c3]根特有灯。"])
def test_a_mark_right_before_a_word_is_a_mark(said: str) -> None:
    run = view()
    set_state(run, "c3", ClaimState.QUALIFIED)
    for name in NAMES:
        made = report(run, dict.fromkeys(SECTIONS, said), template=name)
        assert problems(checked(run, made)) == [], made.markdown


def test_findings_that_are_in_no_claim_yet_are_checked_too() -> None:
    """The partial report of a run that was stopped before its claims were merged."""
    run = view()
    run.claims, run.checks = {}, {}
    made = report(run)
    assert made.sentences
    assert problems(checked(run, made)) == []


@settings(max_examples=150, deadline=None)
@given(any_text)
def test_any_text_is_read(text: str) -> None:
    shown = read_report(text)
    for block in shown.blocks:
        assert len(block.flat) == len(block.places)


def test_links_that_hide_are_seen() -> None:
    """A citation is what a reader sees as one, however its Markdown is written."""
    shown = read_report(
        "A [\\[1\\]][x] b [&#91;2&#93;](./sources/3%2Emd#p4) ![c](https://a.example/i.png)\n\n"
        "[x]: sources/2.md#p1 'c1 supported'\n"
    )
    (block,) = shown.blocks
    assert [str(link.passage) for link in block.links] == ["2.1", "3.4"]
    assert [link.citation.number for link in block.links if link.citation] == [1, 2]
    assert block.links[0].title == "c1 supported"
    assert shown.urls == ["https://a.example/i.png"]
