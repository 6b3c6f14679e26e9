"""The demo web read with a model over HTTP: honest, and faulty in every way of safety 47."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from leadline.domain.events import FindingRecorded
from leadline.domain.run import RunStatus
from leadline.runs.folder import RunFolder
from tests.end_to_end.conftest import MakeLab
from tests.end_to_end.lab import Lab, check_invariants, entries, wait_for, wait_status
from tests.openai_server import OpenAIServer

TOPIC = "How many passengers did the Quorrow ferry carry in 2025?"
KEY = "sk-canary-3f9c2b7a51d84e60"
ADDRESS = re.compile(r"https?://[^\s)>\]]+")
SMALL = (
    "--set", "max_categories=1", "--set", "min_categories=1",
    "--set", "max_tasks_per_category=2", "--set", "min_tasks_per_category=1",
    "--loops", "0",
)  # fmt: skip


def research(lab: Lab, server: OpenAIServer, *more: str) -> tuple[dict[str, Any], RunFolder, str]:
    """Run the topic against the server; the result, the folder and the report's text."""
    result = lab.json(
        "run", TOPIC, "--provider", "custom", "--model", "scripted", "--base-url", server.base_url,
        "--engine", "demo", *SMALL, *more,
    )  # fmt: skip
    folder = lab.store.open(result["task_id"])
    check_invariants(folder)
    report = Path(result["report"]).read_text(encoding="utf-8") if result["report"] else ""
    assert_no_invented_source(folder, report)
    assert_key_is_nowhere(lab, folder)
    return result, folder, report


def assert_no_invented_source(folder: RunFolder, report: str) -> None:
    """Every address and every citation of the report is a source that this run read."""
    known = {s.url for s in folder.sources()} | {s.requested_url for s in folder.sources()}
    for url in ADDRESS.findall(report.replace("\\", "")):
        assert url.rstrip(".,") in known, url
    for source, passage in re.findall(r"\(sources/(\d+)\.md#p(\d+)", report):
        snapshot = folder.snapshot(int(source))
        assert snapshot is not None
        assert snapshot.passage(int(passage)) is not None


def assert_key_is_nowhere(lab: Lab, folder: RunFolder) -> None:
    """safety 29: the key is in no file of the run."""
    for path in folder.path.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


@pytest.fixture
def lab(make_lab: MakeLab) -> Lab:
    return make_lab(LEADLINE_MODEL_API_KEY=KEY, LEADLINE_LIMITS_MODEL_SECONDS="20")


def test_an_honest_model_writes_a_report_from_its_findings(lab: Lab) -> None:
    """W2-1: a known finding of a worker is in the writer's input and in the report."""
    with OpenAIServer(key=KEY) as server:
        result, folder, report = research(lab, server)
        writers = [call.user for call in server.of("writer")]
        workers = len(server.of("worker"))
    assert result["status"] == "done"
    assert result["citations"]["resolved"] == result["citations"]["total"] >= 1
    findings = [e.event.finding for e in entries(folder) if isinstance(e.event, FindingRecorded)]
    known = next(f for f in findings if "412,000" in f.claim)
    assert any(known.claim in text for text in writers)
    assert "412,000" in report
    assert workers <= 3 * (result["tasks"]["done"] + result["tasks"]["failed"])


@pytest.mark.parametrize("mode", ["fenced", "think", "wrong-tool"])
def test_a_model_with_odd_manners_still_gets_the_job_done(lab: Lab, mode: str) -> None:
    """safety 47: fences, think text, lists of parts and odd tool names are read."""
    with OpenAIServer(mode=mode, key=KEY) as server:
        result, _, report = research(lab, server)
    assert result["status"] in ("done", "empty")
    assert "<think>" not in report
    assert "secret plan" not in report


@pytest.mark.parametrize("mode", ["malformed", "wrong-types", "empty", "huge", "endless-tools"])
def test_a_model_that_gives_nothing_usable_ends_the_run_in_bounds(lab: Lab, mode: str) -> None:
    """W2-3, safety 47: a bounded number of calls, no task done without evidence."""
    with OpenAIServer(mode=mode, key=KEY) as server:
        result, _, _ = research(lab, server)
        calls = server.calls
    assert result["status"] in ("empty", "failed", "done")
    if result["status"] == "done":
        assert result["citations"]["total"] > 0
    assert calls <= 60


def test_a_model_that_invents_everything_gets_none_of_it_into_the_report(lab: Lab) -> None:
    """Invented quotes, ids, passage numbers and URLs never become a source."""
    with OpenAIServer(mode="inventing", key=KEY) as server:
        result, folder, report = research(lab, server)
    assert result["citations"]["resolved"] == result["citations"]["total"]
    assert "invented.example" not in report
    assert "987654" not in report
    assert "Nowhere" not in report
    assert not any("invented" in source.url for source in folder.sources())


def test_a_rate_limit_is_waited_for_and_the_run_finishes(lab: Lab) -> None:
    """safety 45: a 429 is retried with its Retry-After."""
    with OpenAIServer(mode="429", faults=2, retry_after="1", key=KEY) as server:
        result, _, _ = research(lab, server)
    assert result["status"] == "done"


@pytest.mark.parametrize("mode", ["500", "401", "cut"])
def test_a_dead_or_refusing_model_fails_the_run_with_a_sentence(lab: Lab, mode: str) -> None:
    """safety 45: the run is ``failed``, says why, and can be resumed."""
    with OpenAIServer(mode=mode, key=KEY) as server:
        result, folder, _ = research(lab, server)
    assert result["status"] == "failed", result
    assert result["exit"] == 1
    assert result["reason"].endswith(".")
    assert "Traceback" not in result["reason"]
    assert folder.view().last_event is not None


def test_a_model_that_dies_in_the_middle_keeps_what_was_found(lab: Lab) -> None:
    """The run fails, its findings and a partial report stay, and a resume finishes it."""
    with OpenAIServer(key=KEY, latency=0.3) as server:
        command = (
            "run", TOPIC, "--provider", "custom", "--model", "scripted",
            "--base-url", server.base_url, "--engine", "demo", "--browsers", "1",
            "--set", "max_categories=2", "--set", "min_categories=2", "--loops", "0",
        )  # fmt: skip
        with lab.started(*command) as process:
            folder = lab.only_run()
            wait_for(folder, "task.finished")
            server.mode = "500"
            wait_status(folder, RunStatus.FAILED)
            assert process.wait(20) == 1
        found = len(folder.findings())
        assert found >= 1
        report = folder.report()
        assert report is not None
        assert "(sources/" in report
        server.mode = "competent"
        result = lab.json("resume", folder.task_id)
    assert result["status"] == "done"
    assert len(folder.findings()) >= found
    check_invariants(folder)


def test_a_hanging_model_ends_within_its_time_limit(make_lab: MakeLab) -> None:
    lab = make_lab(LEADLINE_MODEL_API_KEY=KEY, LEADLINE_LIMITS_MODEL_SECONDS="2")
    with OpenAIServer(mode="hang", key=KEY) as server:
        result, _, _ = research(lab, server)
    assert result["status"] == "failed"
    assert result["seconds"] < 60
