"""A worker's card in the log: what it does now, where it is. One event a change, none twice."""

from __future__ import annotations

from typing import Literal

from leadline.domain.events import WorkerMoved
from leadline.domain.ports import EventSink
from leadline.domain.text import shorten

Activity = Literal["waiting", "searching", "reading", "thinking", "browsing", "finished", "failed"]


class WorkerCard:
    """Emits :class:`WorkerMoved` for one worker."""

    def __init__(self, sink: EventSink, *, worker: str, task_id: str, query: str) -> None:
        self._sink = sink
        self._worker = worker
        self._task_id = task_id
        self._query = query
        self._last: WorkerMoved | None = None
        self.step = 0
        self.moves = 0

    def moved(
        self,
        activity: Activity,
        *,
        query: str = "",
        url: str = "",
        title: str = "",
        detail: str = "",
    ) -> None:
        """Say what the worker does now."""
        event = WorkerMoved(
            worker=self._worker,
            activity=activity,
            query=shorten(query or self._query, 200),
            url=url[:2000],
            title=shorten(title, 200),
            step=self.step,
            detail=shorten(detail, 300),
        )
        if event != self._last:
            self._last = event
            self.moves += 1
            self._sink.emit(event, task=self._task_id)
