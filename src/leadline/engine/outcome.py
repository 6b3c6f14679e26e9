"""From the results of a task's workers to its state: pure, and fail closed.

A task is done only when a worker recorded a finding for it and said that it answers the task.
Anything else, a missing answer included, is a failure with its reason (the findings are kept).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.browsing.worker import WorkerResult
from leadline.domain.plan import TaskState


@dataclass(frozen=True)
class Outcome:
    """How a task ended. ``reason`` is empty exactly when it is done."""

    state: TaskState
    reason: str
    summary: str
    findings: tuple[str, ...]


def judge(results: Sequence[WorkerResult]) -> Outcome:
    """Fold the results of a task's workers into one outcome."""
    findings = tuple(dict.fromkeys(f for result in results for f in result.findings))
    summary = " ".join(dict.fromkeys(r.summary.strip() for r in results if r.summary.strip()))
    if any(result.answered and result.findings for result in results):
        return Outcome(TaskState.DONE, "", summary, findings)
    return Outcome(TaskState.FAILED, _why_failed(results, bool(findings)), summary, findings)


def _why_failed(results: Sequence[WorkerResult], has_findings: bool) -> str:
    errors = list(dict.fromkeys(r.error for r in results if r.error))
    missing = list(dict.fromkeys(r.missing.strip() for r in results if r.missing.strip()))
    if has_findings:
        return "Not fully answered: " + (" ".join(missing + errors) or "the worker left it open.")
    if errors:
        return " ".join(errors)
    return " ".join(missing) or "Nothing was found that answers it."
