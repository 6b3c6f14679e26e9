"""Which sections a report has, and which findings each is written from.

Invariant: a finding is in one section at most, and only when the run counts it (a finding of a task
that left the plan, or whose source is gone, is in none).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.domain.evidence import Finding
from leadline.domain.plan import Plan
from leadline.domain.projection import RunView
from leadline.domain.text import one_line
from leadline.reports.texts import texts_for


@dataclass(frozen=True)
class SectionPlan:
    """A section to write: its heading and the findings it may use, and no others."""

    heading: str
    task_ids: tuple[str, ...]
    findings: tuple[Finding, ...]


def outline(
    plan: Plan, findings: Sequence[Finding], view: RunView, *, language: str = "en"
) -> list[SectionPlan]:
    """A section for each category that found something, in the order of the plan.

    The same statement from the same passages, found by two tasks, is written of once.
    """
    used: set[tuple[object, ...]] = set()
    sections: list[SectionPlan] = []
    for category in plan.categories:
        task_ids = tuple(task.id for task in category.tasks)
        kept: list[Finding] = []
        for task_id in task_ids:
            for finding in findings:
                if finding.task != task_id or not _counts(finding, view):
                    continue
                key = (one_line(finding.claim).casefold(), frozenset(finding.passages))
                if key not in used:
                    used.add(key)
                    kept.append(finding)
        if kept:
            heading = one_line(category.name) or texts_for(language).findings
            sections.append(SectionPlan(heading, task_ids, tuple(kept)))
    return sections


def _counts(finding: Finding, view: RunView) -> bool:
    """Whether the run counts a finding and at least one of its passages is stored."""
    task = view.tasks.get(finding.task)
    if task is not None and finding.id not in task.findings:
        return False
    return any(
        (source := view.sources.get(ref.source)) is not None and ref.passage <= source.passages
        for ref in finding.passages
    )
