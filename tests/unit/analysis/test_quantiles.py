"""p90 and p99 of launches: right as often as they say, from enough samples."""

import math

import numpy as np
import pytest

from leadline.analysis.stats.launches import estimate, quantile_over_launches
from leadline.analysis.stats.statistics import quantile_interval


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
    hits, trials = 0, 500
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
