"""The interval over launches: is it right as often as it says?"""

import math

import numpy as np
import pytest

from leadline.analysis.stats.launches import (
    estimate,
    quantile_over_launches,
    within_launch_interval,
)
from leadline.analysis.stats.statistics import quantile_interval


# Scatter between launches and within one, as standard deviations of the logarithm.
@pytest.mark.parametrize(("between", "within"), [(0.05, 0.02), (0.3, 0.3), (0.01, 0.1), (0, 0.1)])
@pytest.mark.parametrize("launches", [2, 3, 5, 6, 10])
def test_interval_covers_the_machines_median(launches: int, between: float, within: float) -> None:
    random = np.random.default_rng(launches)
    hits, trials = 0, 1000
    for _ in range(trials):
        level = random.lognormal(0.0, between, launches) if between else np.ones(launches)
        found = estimate([one * random.lognormal(0.0, within, 40) for one in level])
        assert found.interval.low <= found.median <= found.interval.high
        hits += found.interval.low <= 1.0 <= found.interval.high
    assert hits / trials >= 0.93


def test_pooling_all_samples_would_claim_far_too_much() -> None:
    """The reason for all this: samples of three launches are not independent."""
    from leadline.analysis.stats.statistics import quantile_interval

    random = np.random.default_rng(5)
    hits = 0
    for _ in range(500):
        values = random.lognormal(0.0, 0.05, 3)[:, None] * random.lognormal(0.0, 0.02, (3, 200))
        interval = quantile_interval(np.sort(values.ravel()))
        assert interval
        hits += interval.low <= 1.0 <= interval.high
    assert hits / 500 < 0.6


def test_a_few_launches_that_agree_by_luck_keep_the_width_of_their_samples() -> None:
    values = np.linspace(1.0, 2.0, 51)
    found = estimate([np.roll(values, 7), values])
    assert found.median == pytest.approx(1.5)
    assert found.interval.high - found.interval.low > 0.1


def test_method_is_told() -> None:
    values = np.random.default_rng(1).lognormal(0, 0.1, 50)
    assert estimate([values]).method == "order statistics within one launch"
    assert estimate([values[:3]]).method == "range of too few samples within one launch"
    assert estimate([values] * 4).method == "t of the logarithms of 4 launches' medians"
    assert estimate([values] * 9).method == "order statistics over 9 launches"


def test_six_launches_use_nothing_but_their_order() -> None:
    found = estimate([np.full(10, level) for level in (1.0, 2.0, 3.0, 4.0, 5.0, 900.0)])
    assert found.median == 3.5
    assert 1.0 < found.interval.low < 2.0
    assert 5.0 < found.interval.high < 900.0


def test_zero_and_negative_times_are_summarised_and_not_a_crash() -> None:
    found = estimate([np.zeros(10), np.full(10, -1.0)])
    assert np.isfinite(found.interval).all()
    assert found.interval.low <= found.median <= found.interval.high


def test_one_sample_is_its_own_interval() -> None:
    assert within_launch_interval(np.array([3.0])) == (3.0, 3.0)


def test_an_interval_that_knows_nothing_ends_at_a_factor_of_1000() -> None:
    found = estimate([np.full(30, 1e-6), np.full(30, 1e-3)])
    centre = math.sqrt(1e-6 * 1e-3)
    assert found.interval.low == pytest.approx(centre / 1000)
    assert found.interval.high == pytest.approx(centre * 1000)


def test_quantiles_of_launches_take_enough_samples_of_each() -> None:
    random = np.random.default_rng(2)
    table = random.lognormal(0, 0.05, (10, 500))
    found = quantile_over_launches(list(table), 0.99, table.size)
    assert found
    assert found.low < math.exp(0.05 * 2.3263) < found.high
    assert quantile_over_launches(list(table), 0.99, 1000) is None
    alone = quantile_over_launches(list(table[:1]), 0.99, 500)
    assert alone == quantile_interval(np.sort(table[0]), 0.99)


@pytest.mark.parametrize("launches", [3, 10])
@pytest.mark.parametrize("between", [0.01, 0.1])
def test_quantile_interval_covers_over_launches(launches: int, between: float) -> None:
    from scipy.stats import norm

    random = np.random.default_rng(launches)
    truth = math.exp(0.1 * norm.ppf(0.9))
    hits, trials = 0, 500
    for _ in range(trials):
        levels = np.exp(between * random.normal(size=(launches, 1)))
        table = levels * random.lognormal(0, 0.1, (launches, 200))
        found = quantile_over_launches(list(table), 0.9, table.size)
        assert found
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / trials <= 0.98
