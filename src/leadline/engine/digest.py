"""A short account of what was found so far, for later stages and for the reflection.

It holds claims with their finding ids, never page text at length; the budget is in tokens.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.domain.evidence import Finding
from leadline.domain.text import estimate_tokens, shorten

CLAIM_CHARS = 240


def digest(findings: Iterable[Finding], *, max_tokens: int) -> str:
    """One line a finding, the newest first, until ``max_tokens`` are used; may be empty."""
    lines: list[str] = []
    used = 0
    for finding in reversed(list(findings)):
        line = f"- {shorten(finding.claim, CLAIM_CHARS)} [{finding.id}]"
        used += estimate_tokens(line)
        if used > max_tokens:
            break
        lines.append(line)
    return "\n".join(reversed(lines))
