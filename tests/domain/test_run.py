"""What comes in from outside is checked once: ids and topics."""

from __future__ import annotations

import pytest
from hypothesis import given

from leadline.domain.run import TOPIC_MAX_CHARS, RunStatus, Usage, check_task_id, check_topic
from leadline.errors import InvalidTaskId, InvalidTopic, UserError
from tests.domain.strategies import any_text


@pytest.mark.parametrize("value", ["a", "20240506-tidal-ferries-ab12", "A" * 64, "7"])
def test_task_ids_that_are_taken(value: str) -> None:
    assert check_task_id(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "", ".", "..", "../x", "a/b", "a\\b", "-a", "a" * 65, "a\n", "ä", "a b", "a.b", "\x00",
        "１２", "a\u2028",
    ],
)  # fmt: skip
def test_task_ids_that_are_refused(value: str) -> None:
    """safety 11, W2-8: no id can leave the folder of runs."""
    with pytest.raises(InvalidTaskId) as refused:
        check_task_id(value)
    assert isinstance(refused.value, UserError)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("value", ["", "   ", "\n\t", "\x00\x01\x7f"])
def test_an_empty_topic_is_refused_with_a_sentence(value: str) -> None:
    """S2-42, safety 48."""
    with pytest.raises(InvalidTopic, match="Type a question"):
        check_topic(value)


def test_a_megabyte_topic_is_refused_with_its_length() -> None:
    """safety 48."""
    with pytest.raises(InvalidTopic, match="1,000,000"):
        check_topic("x" * 1_000_000)
    assert len(check_topic("x" * TOPIC_MAX_CHARS)) == TOPIC_MAX_CHARS


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("  {braces} {0} %s  ", "{braces} {0} %s"),
        ("emoji 🚢 and\x00 control", "emoji 🚢 and control"),
        ("שלום עולם", "שלום עולם"),
        ("量子计算", "量子计算"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_odd_topics_work(value: str, cleaned: str) -> None:
    """safety 48."""
    assert check_topic(value) == cleaned


@given(any_text)
def test_any_topic_is_storable_or_refused(value: str) -> None:
    try:
        topic = check_topic(value)
    except InvalidTopic:
        return
    assert topic.encode("utf-8").strip()
    assert check_topic(topic) == topic


def test_stopped_failed_empty_and_done_are_four_ends() -> None:
    ends = {RunStatus.DONE, RunStatus.EMPTY, RunStatus.STOPPED, RunStatus.FAILED}
    assert {status for status in RunStatus if status.is_final} == ends | {RunStatus.INTERRUPTED}
    assert not RunStatus.PLANNED.is_active
    assert not RunStatus.PLANNED.is_final


def test_usage_adds_up_and_unknown_prices_stay_unknown() -> None:
    one = Usage(calls=1, input_tokens=10, output_tokens=5)
    priced = Usage(calls=1, input_tokens=1, output_tokens=1, cost_usd=0.5)
    assert (one + one).cost_usd is None
    assert (one + priced).cost_usd == 0.5
    assert (one + priced).tokens == 17
