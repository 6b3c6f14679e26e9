"""Limits are typed, bounded and compared with use in one place."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from leadline.domain.budget import Budget
from leadline.domain.limits import PRESETS, Depth, Limits
from leadline.domain.run import Usage
from leadline.errors import LimitReached


class Clock:
    """Seconds that a test moves by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_defaults_of_the_systems_it_contains() -> None:
    """S0-25: 5 results and 2000 tokens a source; S2: at most 10 categories of 6 tasks."""
    limits = Limits()
    assert limits.results_per_search == 5
    assert limits.tokens_per_source == 2000
    assert limits.max_parallel_browsers == 2
    assert Limits(max_categories=10, max_tasks_per_category=6).max_categories == 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_parallel_browsers": 0},
        {"max_parallel_browsers": 17},
        {"max_categories": 11},
        {"max_tasks_per_category": 7},
        {"minutes": 0},
        {"browsers": 2},
    ],
)
def test_values_out_of_range_and_unknown_names_are_refused(wrong: dict[str, int]) -> None:
    """W0-3: a setting that does nothing is refused, not swallowed."""
    with pytest.raises(ValidationError):
        Limits.model_validate(wrong)


def test_every_depth_has_a_preset_and_deeper_is_more() -> None:
    assert set(PRESETS) == set(Depth)
    quick, standard, deep = (PRESETS[depth] for depth in Depth)
    assert quick.tokens < standard.tokens < deep.tokens
    assert quick.minutes < standard.minutes < deep.minutes
    for preset in PRESETS.values():
        assert preset.min_categories <= preset.max_categories
        assert preset.min_tasks_per_category <= preset.max_tasks_per_category


def test_every_limit_is_described() -> None:
    assert all(field.description for field in Limits.model_fields.values())


@pytest.mark.parametrize(
    ("usage", "limit"),
    [
        (Usage(input_tokens=900, output_tokens=100), "tokens"),
        (Usage(cost_usd=2.0), "cost_usd"),
    ],
)
def test_a_used_up_limit_is_named(usage: Usage, limit: str) -> None:
    budget = Budget(Limits(tokens=1000, cost_usd=2.0), clock=Clock())
    budget.check()
    budget.spend(usage)
    with pytest.raises(LimitReached, match=r"resume\.") as reached:
        budget.check()
    assert reached.value.limit == limit


def test_time_counts_over_sessions_and_never_goes_below_zero() -> None:
    clock = Clock()
    budget = Budget(Limits(minutes=1), clock=clock, seconds=50)
    assert budget.seconds_left == 10
    clock.now += 9
    budget.check()
    clock.now += 11
    assert budget.seconds_left == 0
    with pytest.raises(LimitReached) as reached:
        budget.check()
    assert reached.value.limit == "minutes"


def test_a_model_without_a_price_is_not_stopped_for_its_cost() -> None:
    budget = Budget(Limits(cost_usd=0.01), clock=Clock(), used=Usage(calls=3, input_tokens=5))
    budget.spend(Usage(calls=1, input_tokens=5))
    budget.check()
    assert budget.used == Usage(calls=4, input_tokens=10)
