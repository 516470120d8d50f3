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
    hits, trials = 0, 400
    for _ in range(trials):
        level = random.lognormal(0.0, between, launches) if between else np.ones(launches)
        found = estimate([one * random.lognormal(0.0, within, 40) for one in level])
        if found.interval is None:  # two launches that tell nothing
            assert launches == 2
            trials -= 1
            continue
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
    pooled = quantile_interval(np.repeat(values, 2), confidence=0.8)
    assert estimate([values, values], [51.0, 51.0]).interval == pooled


def test_method_is_told() -> None:
    values = np.random.default_rng(1).lognormal(0, 0.1, 50)
    assert estimate([values]).method == "order statistics within one launch"
    assert estimate([values[:3]]).method == (
        "none: one launch with 3 samples, where 6 independent ones or a second launch give one"
    )
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


@pytest.mark.parametrize("count", [1, 2, 5])
def test_too_few_samples_of_one_launch_have_no_interval(count: int) -> None:
    values = np.linspace(3.0, 4.0, count)
    assert within_launch_interval(values) is None
    found = estimate([values])
    assert found.interval is None and found.median == np.median(values)
    assert f"{count} sample" in found.method
    assert estimate([np.linspace(3.0, 4.0, 6)], [6.0]).interval is not None


def test_two_launches_that_differ_too_much_have_no_interval() -> None:
    found = estimate([np.full(30, 1e-6), np.full(30, 1e-3)])
    assert found.interval is None
    assert found.method == "none: 2 launches differ too much, 6 or more give one"


def test_a_launch_of_few_disturbed_samples_weighs_less_than_one_that_knows() -> None:
    random = np.random.default_rng(3)
    steady = [random.lognormal(0.0, 0.02, 202) for _ in range(2)]
    disturbed = np.array([0.6, 3.0, 0.9, 1.4, 8.0, 1.1])
    found = estimate([*steady, disturbed])
    plain = estimate([np.array([np.median(each)]) for each in (*steady, disturbed)])
    assert found.method.endswith("weighted by what each knows")
    assert found.interval is not None and plain.interval is not None
    assert found.median == pytest.approx(1.0, rel=0.02)
    assert found.interval.low < 1.0 < found.interval.high
    assert found.interval.high < plain.interval.high


def test_launches_that_know_the_same_are_not_weighted() -> None:
    random = np.random.default_rng(4)
    found = estimate([random.lognormal(0.0, 0.1, 100) for _ in range(3)])
    assert found.method == "t of the logarithms of 3 launches' medians"


@pytest.mark.parametrize("launches", [3, 5, 8])
@pytest.mark.parametrize("between", [0.0, 0.05])
def test_the_weighted_interval_covers(launches: int, between: float) -> None:
    random = np.random.default_rng(launches)
    hits, trials = 0, 300
    for _ in range(trials):
        levels = np.exp(between * random.normal(size=launches))
        counts = [8] + [150] * (launches - 1)
        scatter = [0.4] + [0.05] * (launches - 1)
        each = zip(levels, counts, scatter, strict=True)
        found = estimate([level * random.lognormal(0, s, n) for level, n, s in each])
        assert found.interval is not None
        hits += found.interval.low <= 1.0 <= found.interval.high
    assert hits / trials >= 0.93


def test_one_launch_of_few_samples_that_are_alike_has_no_interval() -> None:
    random = np.random.default_rng(3)
    walk = np.cumsum(random.normal(size=60)) * 0.01 + 1
    found = estimate([walk])
    assert found.interval is None
    assert found.method == (
        "none: one launch with 60 samples that are alike as neighbours are, "
        "where 50 independent ones or a second launch give one"
    )
    assert estimate([random.permutation(walk)]).interval is not None


def test_errors_of_few_samples_widen_the_interval_of_skewed_launches_to_the_short_side() -> None:
    random = np.random.default_rng(2)
    levels = 1 + 0.05 * random.pareto(2.5, 30)
    launches = [level + 0.1 * random.normal(size=40) for level in levels]
    plain = estimate([np.array([np.median(each)]) for each in launches]).interval
    widened = estimate(launches).interval
    assert plain and widened
    assert widened.low < plain.low
    assert widened.high == plain.high


def test_quantiles_of_launches_take_enough_samples_of_each() -> None:
    random = np.random.default_rng(2)
    table = random.lognormal(0, 0.05, (10, 500))
    found = quantile_over_launches(list(table), 0.99)
    assert found
    assert found.low < math.exp(0.05 * 2.3263) < found.high
    assert quantile_over_launches(list(table[:, :100]), 0.99) is None
    alone = quantile_over_launches(list(table[:1]), 0.99)
    assert alone == quantile_interval(np.sort(table[0]), 0.99)


@pytest.mark.parametrize("launches", [3, 10])
@pytest.mark.parametrize("between", [0.01, 0.1])
def test_quantile_interval_covers_over_launches(launches: int, between: float) -> None:
    from scipy.stats import norm

    random = np.random.default_rng(launches)
    truth = math.exp(0.1 * norm.ppf(0.9))
    hits, trials = 0, 300
    for _ in range(trials):
        levels = np.exp(between * random.normal(size=(launches, 1)))
        table = levels * random.lognormal(0, 0.1, (launches, 200))
        found = quantile_over_launches(list(table), 0.9)
        assert found
        hits += found.low <= truth <= found.high
    assert 0.92 <= hits / trials <= 0.98


def test_launches_that_scatter_differently_each_have_their_own_p99() -> None:
    random = np.random.default_rng(7)
    scatter = np.repeat([0.02, 0.3], 8)
    launches = [random.lognormal(0.0, sigma, 500) for sigma in scatter]
    found = quantile_over_launches(launches, 0.99)
    own = [np.array([np.quantile(each, 0.99, method="median_unbiased")]) for each in launches]
    assert found == estimate(own).interval


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("seconds", [3e-4, 0.1, 7.3e-6])
def test_equal_times_have_no_interval_of_rounding(count: int, seconds: float) -> None:
    found = estimate([np.array([seconds * (1 + 1e-16 * at)]) for at in range(count)])
    assert found.interval == (found.median, found.median)
