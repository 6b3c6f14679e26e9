"""safety 45: Retry-After, backoff with jitter, one gate for all calls. No real waiting."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leadline.errors import ModelUnavailable
from leadline.models.limiter import Retryable, parse_retry_after, with_retries
from tests.models.conftest import FakeTime


def failing(times: int, **how: object):
    left = [times]

    async def send() -> str:
        if left[0]:
            left[0] -= 1
            raise Retryable(ModelUnavailable("down"), **how)  # type: ignore[arg-type]  # test data
        return "answer"

    return send


async def test_backoff_grows_and_is_jittered() -> None:
    time = FakeTime()
    attempts: list[int] = []
    answer = await with_retries(failing(3), time.limiter(), seconds=60, on_attempt=attempts.append)
    assert answer == "answer"
    assert attempts == [1, 2, 3, 4]
    assert time.slept == [0.375, 0.75, 1.5]


async def test_the_last_failure_is_raised_as_it_is() -> None:
    with pytest.raises(ModelUnavailable, match="down"):
        await with_retries(failing(9), FakeTime().limiter(), seconds=60)


async def test_no_attempt_starts_after_the_time_is_up() -> None:
    time = FakeTime()
    with pytest.raises(ModelUnavailable):
        await with_retries(failing(9, retry_after=10), time.limiter(), seconds=5)
    assert time.slept == []


async def test_a_busy_endpoint_closes_the_gate_for_others() -> None:
    time = FakeTime()
    limiter = time.limiter()
    with pytest.raises(ModelUnavailable):
        await with_retries(failing(9, retry_after=30, busy=True), limiter, seconds=10)
    await with_retries(failing(0), limiter, seconds=10)
    assert time.now >= 30


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("7", 7),
        ("1.5", 1.5),
        ("-3", 0),
        ("inf", 60),
        ("Wed, 01 Jan 2025 00:00:30 GMT", 30),
        ("Tue, 31 Dec 2024 00:00:00 GMT", 0),
        ("Wed, 01 Jan 2025 00:00:30", 30),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    assert parse_retry_after(header, now=now) == seconds
