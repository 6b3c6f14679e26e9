from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leadline.domain.claims import ClaimState
from leadline.domain.evidence_file import evidence_of, read_evidence
from leadline.domain.projection import RunView
from leadline.domain.run import RunRecord
from leadline.errors import UserError
from tests.runs.evidence_by_hand import TOPIC, whole_run


def test_the_file_holds_all_that_the_run_came_to(tmp_path: Path) -> None:
    """S3-47: run, question, cards, verified claims, score, insights and report in one file."""
    folder = whole_run(tmp_path)
    evidence = read_evidence(folder.file("evidence.json").read_bytes())
    assert (evidence.run.id, evidence.run.topic) == ("whole", TOPIC)
    assert (evidence.run.model, evidence.run.template) == ("a-model", "thematic")
    assert evidence.run.usage.calls == 4
    assert evidence.run.ended_at is not None
    disputed = next(claim for claim in evidence.claims if claim.id == "c3")
    assert disputed.state is ClaimState.DISPUTED
    assert disputed.passages[0].quote.startswith("The two boats")
    assert (disputed.passages[0].ref, disputed.passages[0].date) == ("2.1", "2026-01-02")
    assert (disputed.against, disputed.usable) == (("c4",), True)
    assert disputed.challenges[0].challenge.startswith("A later page")
    assert disputed.score is not None
    assert disputed.score.grade.value == "B"
    assert evidence.counts[ClaimState.SUPPORTED] == 3
    assert evidence.counts[ClaimState.CONTRADICTED] == 0
    assert (evidence.overall_score, len(evidence.cards)) == (74, 1)
    assert evidence.insights.blind_spots == ("Who rows?",)
    assert evidence.conflicts[0].claims == ("c3", "c4")
    assert [source.counted_as for source in evidence.sources] == [1, 2, 3]
    assert evidence.report is not None
    assert [line.number for line in evidence.report.references] == [1, 2, 3]
    assert len(evidence.report.sentences) == 4


def test_the_file_and_the_log_agree_when_it_is_made_anew(tmp_path: Path) -> None:
    folder = whole_run(tmp_path)
    assert json.loads(folder.file("evidence.json").read_text("utf-8")) == folder.evidence()


def test_a_claim_that_nobody_checked_is_not_checked_and_says_why(tmp_path: Path) -> None:
    """Fail closed: without a check there is no better state, and the reason tells why."""
    view = whole_run(tmp_path).view()
    view.checks = {key: check for key, check in view.checks.items() if key != "c1"}
    record = RunRecord(task_id="x", topic="y", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    first = evidence_of(view, record).claims[0]
    assert first.state is ClaimState.NOT_CHECKED
    assert "before it was checked" in first.reason


def test_findings_that_were_never_merged_are_claims_all_the_same(tmp_path: Path) -> None:
    """A run that was stopped while it searched has a report of what it found by then."""
    view = whole_run(tmp_path).view()
    view.claims, view.checks = {}, {}
    record = RunRecord(task_id="x", topic="y", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    claims = evidence_of(view, record).claims
    assert {finding for claim in claims for finding in claim.findings} == set(view.findings)
    assert {claim.state for claim in claims} == {ClaimState.NOT_CHECKED}


def test_a_run_without_anything_has_a_file_too() -> None:
    record = RunRecord(task_id="x", topic="y", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    evidence = evidence_of(RunView(), record)
    assert (evidence.claims, evidence.report, evidence.overall_score) == ((), None, None)
    assert read_evidence(evidence.model_dump_json().encode()) == evidence


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"findings": [{"id": "f1"}]}', "earlier version"),
        (b'{"format": 3, "run": {}}', "newer version"),
        (b'{"format": 2}', "not the evidence of a run"),
        (b'{"format": "2"}', "not the evidence of a run"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "not the evidence of a run"),
        (b"\xff", "not JSON"),
    ],
)
def test_other_files_are_refused_with_a_sentence(content: bytes, sentence: str) -> None:
    """An earlier format gets a clear sentence, never a crash."""
    with pytest.raises(UserError, match=sentence):
        read_evidence(content)
