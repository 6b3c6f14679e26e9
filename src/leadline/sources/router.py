"""One search over several back ends: the first that answers is used, and the log says so.

State lives for one run: which back end cools down until when, and what was already searched. A
query is sent once a run; workers that ask for the same wait for the first one. A hit list that
came back empty is an answer, not an error, but the next back end is asked once before it counts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from leadline.domain.events import Notice, SearchDone
from leadline.domain.ports import EventSink
from leadline.errors import (
    SearchBlocked,
    SearchError,
    SearchMisconfigured,
    SearchUnavailable,
)
from leadline.sources.base import OpenPage, SearchBackend, SearchHit
from leadline.sources.urls import domain_of, in_domains, is_web_address, url_key

BLOCKED_SECONDS = 300.0
BLOCKED_SECONDS_MOST = 3600.0
UNAVAILABLE_SECONDS = 60.0
EMPTY_ANSWERS_MOST = 15
"""So many empty answers in a row mean a silent block, not a world without pages."""

_FETCHED = 20
"""Hits asked of a back end, whatever the caller's limit: filters and the cache take from these."""

_SITES_IN_QUERY = 6
_QUERY_CHARS = 400


@dataclass(slots=True)
class _Health:
    """What is known of a back end in this run."""

    until: float = 0.0
    why: str = ""
    blocked: bool = False
    disabled: bool = False
    blocks: int = 0
    empty: int = 0


@dataclass(slots=True)
class _Answer:
    engine: str
    hits: list[SearchHit] = field(default_factory=list)


class SearchRouter:
    """Searches with the first back end that works; one object a run."""

    def __init__(
        self,
        backends: Sequence[SearchBackend],
        *,
        sink: EventSink,
        clock: Callable[[], float] = time.monotonic,
        only_domains: Sequence[str] = (),
        without_domains: Sequence[str] = (),
    ) -> None:
        if not backends:
            raise ValueError("a router needs at least one back end")
        self._backends = tuple(backends)
        self._health = [_Health() for _ in self._backends]
        self._sink = sink
        self._clock = clock
        self._only = tuple(filter(None, map(domain_of, only_domains)))
        self._without = tuple(filter(None, map(domain_of, without_domains)))
        self._answers: dict[str, _Answer] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def engines(self) -> tuple[str, ...]:
        """The back ends in the order they are tried, for ``run.started``."""
        return tuple(backend.engine.value for backend in self._backends)

    async def search(
        self, query: str, limit: int, *, open_page: OpenPage, task: str = ""
    ) -> list[SearchHit]:
        """Up to ``limit`` hits without duplicates, inside the run's domains; maybe none.

        Raises ``SearchUnavailable`` when every back end failed (the sentence names each and why)
        or the query is empty. ``BrowserError`` passes through.
        """
        cleaned = clean_query(query)
        if not cleaned:
            raise SearchUnavailable("The search query is empty; write what to look for.")
        key = cleaned.casefold()
        # A lock, not a shared future: when the first worker is cancelled, the next one takes
        # over with its own browser instead of being cancelled along.
        async with self._locks.setdefault(key, asyncio.Lock()):
            answer = self._answers.get(key)
            cached = answer is not None
            if answer is None:
                answer = await self._ask_in_turn(cleaned, open_page=open_page, task=task)
                self._answers[key] = answer
        hits = answer.hits[: max(0, limit)]
        self._sink.emit(
            SearchDone(query=cleaned, engine=answer.engine, results=len(hits), cached=cached),
            task=task,
        )
        return hits

    async def _ask_in_turn(self, query: str, *, open_page: OpenPage, task: str) -> _Answer:
        failures: list[str] = []
        empty: _Answer | None = None
        for index in self._order():
            backend = self._backends[index]
            if failures or empty:
                self._say(f"Searching with {backend.label} instead.", task, "info")
            try:
                hits = await backend.search(
                    self._query_for(backend, query), _FETCHED, open_page=open_page
                )
            except SearchError as error:
                self._failed(index, error)
                failures.append(str(error))
                self._say(str(error), task, "warning")
                continue
            kept = self._kept(hits)
            self._answered(index, len(hits))
            answer = _Answer(backend.engine.value, kept)
            if kept:
                return answer
            if empty:
                return empty
            empty = answer
            self._say(f"{backend.label} has nothing for “{query}”.", task, "info")
        if empty:
            return empty
        raise SearchUnavailable(self._all_failed())

    def _order(self) -> list[int]:
        """Healthy back ends first, then those that merely did not answer; blocked ones rest.

        A cooling back end that was only unreachable is still better than no search at all; one
        that shows a captcha is not asked again before its time, since that prolongs the block.
        """
        now = self._clock()
        ready, cooling = [], []
        for index, health in enumerate(self._health):
            if health.disabled:
                continue
            if health.until <= now:
                ready.append(index)
            elif not health.blocked:
                cooling.append(index)
        return ready + sorted(cooling, key=lambda index: self._health[index].until)

    def _failed(self, index: int, error: SearchError) -> None:
        health = self._health[index]
        health.why = str(error)
        health.blocked = isinstance(error, SearchBlocked)
        health.disabled = isinstance(error, SearchMisconfigured)
        if health.blocked:
            seconds = min(BLOCKED_SECONDS * 2**health.blocks, BLOCKED_SECONDS_MOST)
            health.blocks += 1
        else:
            seconds = UNAVAILABLE_SECONDS
        health.until = self._clock() + seconds

    def _answered(self, index: int, hits: int) -> None:
        health = self._health[index]
        health.until = 0.0
        health.blocked = False
        if hits:
            health.blocks = health.empty = 0
            return
        health.empty += 1
        if health.empty >= EMPTY_ANSWERS_MOST:
            health.empty = 0
            label = self._backends[index].label
            self._failed(
                index, SearchBlocked(f"{label} gave nothing {EMPTY_ANSWERS_MOST} times in a row.")
            )

    def _query_for(self, backend: SearchBackend, query: str) -> str:
        if not self._only or not backend.site_operator or len(self._only) > _SITES_IN_QUERY:
            return query
        return f"{query} {' OR '.join(f'site:{domain}' for domain in self._only)}"

    def _kept(self, hits: Sequence[SearchHit]) -> list[SearchHit]:
        kept: dict[str, SearchHit] = {}
        for hit in hits:
            if not is_web_address(hit.url) or in_domains(hit.url, self._without):
                continue
            if self._only and not in_domains(hit.url, self._only):
                continue
            kept.setdefault(url_key(hit.url), hit)
        return list(kept.values())

    def _all_failed(self) -> str:
        now = self._clock()
        parts = []
        for health in self._health:
            rests = "" if health.disabled else f" (rests for {max(0, health.until - now):.0f} s)"
            parts.append(health.why.rstrip(". ") + rests)
        return f"No search engine answered: {'; '.join(parts)}."

    def _say(self, message: str, task: str, level: str) -> None:
        self._sink.emit(
            Notice(message=message, level="warning" if level == "warning" else "info"), task=task
        )


def clean_query(query: str) -> str:
    """One line without control characters, at most 400 characters; the key of the cache."""
    printable = "".join(char if char.isprintable() else " " for char in query)
    return " ".join(printable.split())[:_QUERY_CHARS].strip()
