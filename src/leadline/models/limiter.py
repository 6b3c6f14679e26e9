"""Retries of model calls: one gate for all calls of a run, backoff with jitter, Retry-After.

A 429 closes the gate for everybody, so that ten workers do not find out one by one. Waiting never
passes the time that a call has; clock, sleep and chance are handed in.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from leadline.errors import ModelError

T = TypeVar("T")

ATTEMPTS = 4
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
"""A longer Retry-After is cut to this; the next attempt then asks again."""


class Retryable(Exception):
    """One attempt failed and another may do better; ``error`` is what is raised in the end."""

    def __init__(
        self, error: ModelError, *, retry_after: float | None = None, busy: bool = False
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after
        self.busy = busy
        """The endpoint asks everybody to slow down."""


class Limiter:
    """The gate before an endpoint, shared by all calls of a run."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.clock = clock
        self.sleep = sleep
        self.chance = chance
        self._closed_until = clock()

    def pause(self, seconds: float) -> None:
        """Let no call start for this long."""
        self._closed_until = max(self._closed_until, self.clock() + seconds)

    async def wait(self) -> None:
        """Return when the gate is open; waiters come out one after the other, not all at once."""
        while (left := self._closed_until - self.clock()) > 0:
            await self.sleep(left + 0.25 * self.chance())


async def with_retries(
    send: Callable[[], Awaitable[T]],
    limiter: Limiter,
    *,
    seconds: float,
    attempts: int = ATTEMPTS,
    on_attempt: Callable[[int], None] = lambda number: None,
) -> T:
    """Call ``send`` until it returns, fails for good, or ``seconds`` or ``attempts`` are used up.

    Raises the :class:`ModelError` of the last :class:`Retryable`, or whatever else ``send`` raises.
    """
    await limiter.wait()
    deadline = limiter.clock() + seconds

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        number = state.attempt_number
        delay: float = FIRST_WAIT * 2.0 ** (number - 1) * (0.5 + limiter.chance() / 2)
        if isinstance(failure, Retryable):
            if failure.retry_after is not None:
                asked = min(failure.retry_after, LONGEST_WAIT)
                delay = max(delay, asked + 0.1 * limiter.chance())
            if failure.busy:
                limiter.pause(delay)
        return delay

    def stop(state: RetryCallState) -> bool:
        out_of_time = limiter.clock() + state.upcoming_sleep >= deadline
        return state.attempt_number >= attempts or out_of_time

    async def attempt() -> T:
        await limiter.wait()
        on_attempt(retrying.statistics["attempt_number"])
        return await send()

    retrying = AsyncRetrying(
        wait=wait,
        stop=stop,
        sleep=limiter.sleep,
        retry=retry_if_exception_type(Retryable),
        reraise=True,
    )
    try:
        return await retrying(attempt)
    except Retryable as failure:
        raise failure.error from None


def parse_retry_after(value: str | None, *, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header (a number or an HTTP date); None when it says nothing."""
    if not value or not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds < float("inf") else LONGEST_WAIT
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
