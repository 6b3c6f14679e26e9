"""What a run needs before it can go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InvalidSetting
from leadline.runs.store import RunStore
from leadline.web.live import LiveRuns
from leadline.web.resuming import Limit, Offer, Said, offer_of, read_answer, suggested
from leadline.web.texts import Texts
from tests.web.runs_by_hand import ByHand

EN = Texts("en")


def offer(store: RunStore, run: str, *, has_key: bool = True) -> Offer:
    return offer_of(LiveRuns(store).look(run), has_key=has_key)


def test_each_state_offers_what_it_can(runs: ByHand) -> None:
    runs.done()
    runs.planned()
    runs.stopped()
    runs.spent()
    with runs.at_work():
        assert offer(runs.store, "at-work", has_key=False) == Offer()
    assert offer(runs.store, "planned") == Offer()
    assert offer(runs.store, "done") == Offer(failed=1)
    assert offer(runs.store, "stopped") == Offer(resume=True)
    assert offer(runs.store, "stopped", has_key=False) == Offer(resume=True), "the offline model"
    assert offer(runs.store, "spent").limits == (Limit("tokens", 2000, 2580),)


def test_a_key_is_asked_for_when_it_is_missing_or_was_refused(runs: ByHand) -> None:
    runs.refused()
    assert offer(runs.store, "refused", has_key=False).key == "missing"
    assert offer(runs.store, "refused").key == "refused"
    assert offer(runs.store, "refused").asks


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        (Limit("minutes", 15, 15.2), 30),
        (Limit("minutes", 0.1, 0.3), 1),
        (Limit("minutes", 1440, 1441), 1440),
        (Limit("tokens", 300_000, 300_500), 600_000),
        (Limit("tokens", 1000, 9000), 10_000),
        (Limit("cost_usd", 1.0, 1.03), 2.0),
        (Limit("cost_usd", 0.005, 0.02), 0.03),
    ],
)
def test_the_suggestion_is_a_round_higher_number(limit: Limit, value: float) -> None:
    assert suggested(limit) == value


@given(
    st.sampled_from(["minutes", "tokens", "cost_usd"]),
    st.floats(1, 1000),
    st.floats(1, 2),
)
def test_the_suggestion_is_taken_as_it_stands(name: str, most: float, over: float) -> None:
    limit = Limit(name, most, most * over)
    said = Said(**{name: f"{suggested(limit):,}"})
    if suggested(limit) > limit.used:  # the day is not over
        assert read_answer(said, Offer(limits=(limit,)), EN).limits[name] > limit.used


def test_a_number_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"Cost .* above the 1\.03"):
        read_answer(Said(cost_usd="1"), Offer(limits=(Limit("cost_usd", 1.0, 1.03),)), EN)


def test_a_key_is_in_no_representation() -> None:
    """safety 29"""
    said = Said(key="sk-canary")
    assert "canary" not in repr(said) + repr(read_answer(said, Offer(key="missing"), EN))
