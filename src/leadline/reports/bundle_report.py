"""What the checks of an evidence bundle came to, for a table and for machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TITLES = {
    "files": "Files can be read safely",
    "manifest": "Manifest is complete, hashes agree",
    "snapshots": "Stored texts are what was read",
    "quotes": "Quotes are the words of their passages",
    "sentences": "Sentences cite what they rest on",
    "numbers": "Numbers stand in the passages",
    "references": "References are the sources that were read",
    "page": "report.html is report.md",
    "log": "The log tells the same",
}


@dataclass(frozen=True)
class Check:
    """One line of the table."""

    name: str
    looked_at: str = ""
    """How much was looked at, or why it was not."""
    problems: tuple[str, ...] = ()
    made: bool = True
    """False: there was nothing to check, or something else was in the way."""

    @property
    def title(self) -> str:
        """What holds when there is no problem."""
        return TITLES[self.name]

    def to_wire(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "name": self.name,
            "title": self.title,
            "made": self.made,
            "looked_at": self.looked_at,
            "problems": list(self.problems),
        }


@dataclass(frozen=True)
class BundleReport:
    """What the checks of a bundle came to."""

    checks: tuple[Check, ...]
    run: str = ""
    topic: str = ""

    @property
    def ok(self) -> bool:
        """Whether everything was checked and nothing is wrong."""
        return not any(check.problems for check in self.checks)

    def to_wire(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "ok": self.ok,
            "run": self.run,
            "topic": self.topic,
            "checks": [check.to_wire() for check in self.checks],
        }
