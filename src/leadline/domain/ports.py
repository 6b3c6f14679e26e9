"""The edges between the layers, as protocols: who needs something says what, who has it gives it.

The run folder implements ``EventSink``, ``SourceShelf`` and ``FindingBook`` for the layers that
must not know it; tests implement them in memory (``tests/doubles.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leadline.domain.events import Event
from leadline.domain.evidence import Finding, PageContent, PassageRef, Snapshot, Source


class EventSink(Protocol):
    """Takes what happens; never blocks for long, never raises for a full reader."""

    def emit(self, event: Event, *, task: str = "") -> None:
        """Append one event to the run's log."""


class SourceShelf(Protocol):
    """The run's sources: stored once, numbered, looked up by number."""

    def add(self, page: PageContent, *, task: str) -> Source:
        """Store a page as the next source and emit ``page.read``; one URL is one source."""

    def by_url(self, url: str) -> Snapshot | None:
        """The source that was stored for this address (asked for or final), or None."""

    def snapshot(self, source_id: int) -> Snapshot | None:
        """Source ``source_id`` with its passages, or None."""


class FindingBook(Protocol):
    """The run's findings."""

    def record(self, *, task: str, claim: str, passages: Sequence[PassageRef]) -> Finding:
        """Number and store a finding that was checked, and emit ``finding.recorded``.

        A finding of the same task with the same passages and claim is returned, not added twice.
        """


class StopSignal(Protocol):
    """Whether the run is to end."""

    def is_set(self) -> bool:
        """True from the moment that a stop was asked for."""
