"""The interval over launches: is it right as often as it says?"""

import math

import numpy as np
import pytest

from leadline.analyse.launches import _STUDENT, estimate, within_launch_interval


def test_table_is_students() -> None:
    from scipy.stats import t

    assert pytest.approx(t.ppf(0.975, [1, 2, 3, 4])) == _STUDENT


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
    from leadline.analyse.statistics import quantile_interval

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
    assert found.interval == (1.0, 900.0)


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
