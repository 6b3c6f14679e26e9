"""The ``verify`` node.

Findings were checked when they were recorded (``domain/finding_rules``) and sentences are checked
when they are written (``reports/citations``). Judging claims against each other happens between
the two, here; at present every finding passes.
"""

from __future__ import annotations

from leadline.domain.evidence import Finding
from leadline.engine.context import RunContext


async def verify(context: RunContext) -> tuple[Finding, ...]:
    """The findings that the report may use."""
    return tuple(context.session.view.findings.values())
