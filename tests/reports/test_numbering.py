"""Numbers, links, marks, and the list of cited sentences."""

from __future__ import annotations

import re

import pytest

from leadline.domain.claims import Citation, Claim, ClaimState
from leadline.domain.evidence import PassageRef, Source
from leadline.domain.plan import TaskState
from leadline.domain.projection import RunView, TaskView
from leadline.reports.basis import Basis
from leadline.reports.citations import check_section
from leadline.reports.numbering import ReportCitations
from leadline.reports.section_text import render_blocks
from leadline.reports.texts import CHINESE
from tests.reports.samples import C3, CLAIMS, SNAPSHOTS, claim, set_state, view

SOURCES: dict[int, Source] = {number: s.source for number, s in SNAPSHOTS.items()}


def written(text: str, run: RunView | None = None) -> tuple[str, ReportCitations]:
    """The Markdown of a text, and what was written down of it."""
    run = run or view()
    citations = ReportCitations(Basis.of(run), run.sources)
    citations.section = "History"
    blocks = check_section(text, tuple(run.claims.values())).blocks
    return render_blocks(blocks, citations.statement), citations


def test_numbers_follow_the_order_of_appearance_one_a_source() -> None:
    text = "Ghent has lamps [c3]. Ada Mol built it [c1]. It is 45.5 metres high [c2]."
    markdown, citations = written(text)
    assert markdown == (
        r'Ghent has lamps [\[1\]](sources/2.md#p1 "c3 supported"). '
        r'Ada Mol built it [\[2\]](sources/1.md#p1 "c1 supported")'
        r'[\[3\]](sources/3.md#p1 "c1 supported"). '
        r'It is 45.5 metres high [\[2\]](sources/1.md#p2 "c2 supported").'
    )
    assert tuple(citations.numbers) == (2, 1, 3)
    assert citations.total == citations.resolved == 4
    assert citations.origins == 2


def test_each_cited_sentence_is_written_down() -> None:
    """S3-47: claims, citations and the weakest state of each."""
    run = view()
    set_state(run, "c3", ClaimState.DISPUTED)
    text = (
        "However, sources differ. **Ada Mol** built it [c1], Ghent has lamps [c3].\n\nLamps [c3]."
    )
    _, citations = written(text, run)
    first, second = citations.sentences
    assert first.section == "History"
    assert first.text == "Ada Mol built it, Ghent has lamps."
    assert first.claims == ("c1", "c3")
    assert [c.number for c in first.citations] == [1, 2, 3]
    assert first.citations[2] == Citation(number=3, passage=PassageRef(source=2, passage=1))
    assert first.state is ClaimState.DISPUTED
    assert second.text == "Lamps."


def test_a_table_row_is_one_sentence() -> None:
    _, citations = written("| Year | What |\n|---|---|\n| 1703 | built [c1] |")
    assert [s.text for s in citations.sentences] == ["1703 built"]


def test_a_run_of_citations_carries_the_word_for_its_weakest_claim() -> None:
    """S3-45: marks by word, behind the citations and before the full stop."""
    run = view()
    set_state(run, "c2", ClaimState.UNVERIFIED)
    markdown, _ = written("Ada Mol built it [c1], it is 45.5 metres high [c2].", run)
    assert markdown.endswith('(sources/1.md#p2 "c2 unverified") *(unverified)*.')
    assert markdown.count("*(") == 1


@pytest.mark.parametrize("state", [s for s in ClaimState if s is not ClaimState.SUPPORTED])
def test_every_state_but_supported_has_its_word_in_both_languages(state: ClaimState) -> None:
    run = view()
    set_state(run, "c1", state)
    basis = Basis.of(run)
    for texts in (CHINESE, None):
        citations = ReportCitations(basis, run.sources, *((texts,) if texts else ()))
        line = citations.line("Ada Mol built it", ("c1",))
        assert f"*({texts.state(state) if texts else state.value})*" in line


def test_an_older_value_is_superseded_unless_the_newer_stands_beside_it() -> None:
    """S1-9."""
    run = view()
    set_state(run, "c2", ClaimState.QUALIFIED, superseded_by="c3")
    assert "*(superseded)*" in written("It is 45.5 metres high [c2].", run)[0]
    both = written("It is 45.5 metres high [c2][c3].", run)[0]
    assert "*(superseded)*" not in both
    assert "*(the older value is superseded)*" in both
    set_state(run, "c2", ClaimState.NOT_CHECKED, superseded_by="c3")
    assert "*(superseded)*" in written("It is 45.5 metres high [c2].", run)[0]


def test_a_claim_without_a_check_counts_as_not_checked() -> None:
    """W3-3: nothing is supported by default."""
    run = view()
    run.checks = {}
    markdown, citations = written("Ada Mol built it [c1].", run)
    assert "*(not checked)*" in markdown
    assert citations.sentences[0].state is ClaimState.NOT_CHECKED


def test_the_link_leads_to_the_passage_that_fits_the_sentence() -> None:
    both = claim(6, "The tower of 1703 is 45.5 metres high.", "1.1", "1.2")
    run = view(claims=(both,))
    markdown, _ = written("It is 45.5 metres high [c6]. Ada Mol built it in 1703 [c6].", run)
    assert re.findall(r"#p\d", markdown) == ["#p2", "#p1"]


def test_a_citation_of_a_source_that_is_gone_is_not_resolved() -> None:
    run = view(claims=(C3,))
    run.sources = {}
    markdown, citations = written("Ghent has lamps [c3].", run)
    assert (citations.total, citations.resolved) == (1, 0)
    assert "sources/" not in markdown
    assert citations.sentences == []


def test_findings_of_a_run_that_was_ended_early_are_merged_and_not_checked() -> None:
    """safety 45: what was found before a stop is told, and nobody says that it was checked."""
    run = view()
    run.claims, run.checks = {}, {}
    basis = Basis.of(run)
    told = {c.text for c in basis.claims.values()}
    assert told == {c.text for c in CLAIMS}
    assert {basis.state(i) for i in basis.claims} == {ClaimState.NOT_CHECKED}
    assert all(basis.usable(i) for i in basis.claims)


def test_a_check_of_other_words_does_not_count() -> None:
    run = view()
    newer: Claim = C3.model_copy(update={"id": "c9", "findings": ("f9",)})
    again = run.findings["f3"].model_copy(update={"id": "f9"})
    run.findings = {**run.findings, "f9": again}
    task = run.tasks[again.task]
    run.tasks = {**run.tasks, task.id: task._replace(findings=(*task.findings, "f9"))}
    run.checks = {i: c.model_copy(update={"fingerprint": "old"}) for i, c in run.checks.items()}
    basis = Basis.of(run)
    assert newer.id not in basis.claims
    assert basis.state("c1") is ClaimState.NOT_CHECKED


def test_counter_evidence_of_a_debate_is_no_claim_of_the_report() -> None:
    """S3-36: what a refuter found neither becomes a claim nor undoes a check."""
    run = view()
    against = run.findings["f3"].model_copy(
        update={"id": "f9", "task": "x1", "claim": "Some deny that the tower stands."}
    )
    run.findings = {**run.findings, "f9": against}
    run.tasks = {**run.tasks, "x1": TaskView("x1", state=TaskState.DONE, findings=("f9",))}
    basis = Basis.of(run)
    assert basis.claims == run.claims
    assert basis.checks == run.checks
