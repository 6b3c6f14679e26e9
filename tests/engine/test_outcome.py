"""A task's state from its workers' results: fail closed (W2-4)."""

from leadline.browsing.worker import WorkerResult
from leadline.domain.plan import TaskState
from leadline.engine.outcome import judge


def test_done_needs_a_finding_and_a_worker_that_calls_it_answered() -> None:
    outcome = judge([WorkerResult(answered=True, findings=("f1",), summary="Nine boats.")])
    assert outcome.state is TaskState.DONE
    assert outcome.reason == ""
    assert outcome.summary == "Nine boats."


def test_answered_without_a_finding_is_a_failure() -> None:
    outcome = judge([WorkerResult(answered=True, summary="Trust me.")])
    assert outcome.state is TaskState.FAILED
    assert outcome.reason


def test_findings_of_an_unanswered_task_are_kept_with_the_reason() -> None:
    outcome = judge([WorkerResult(findings=("f1",), missing="The year 2025 is missing.")])
    assert outcome.state is TaskState.FAILED
    assert outcome.findings == ("f1",)
    assert "2025" in outcome.reason


def test_one_good_worker_is_enough_and_errors_of_the_others_do_not_hide_it() -> None:
    outcome = judge(
        [
            WorkerResult(error="The page hung."),
            WorkerResult(answered=True, findings=("f2", "f1")),
            WorkerResult(findings=("f1",)),
        ]
    )
    assert outcome.state is TaskState.DONE
    assert outcome.findings == ("f2", "f1")


def test_no_result_at_all_is_a_failure() -> None:
    assert judge([]).state is TaskState.FAILED


def test_the_text_error_in_a_summary_changes_nothing() -> None:
    """W2-4: states come from structure, never from words in a text."""
    outcome = judge(
        [WorkerResult(answered=True, findings=("f1",), summary="Error: {} Error executing")]
    )
    assert outcome.state is TaskState.DONE
