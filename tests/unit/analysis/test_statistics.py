"""Order statistics against scipy, by their properties, and by how often they are right."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from leadline.analysis.stats.statistics import (
    Interval,
    coefficient_of_variation,
    effective_count,
    interval_ranks,
    nearest_rank,
    quantile_interval,
    ratio_interval,
)

times = arrays(np.float64, st.integers(1, 300), elements=st.floats(1e-9, 1e3))


@pytest.mark.parametrize("count", [6, 7, 10, 20, 100, 368, 1000, 20_000])
@pytest.mark.parametrize("quantile", [0.5, 0.9, 0.99])
def test_ranks_lie_between_those_that_the_binomial_allows(count: int, quantile: float) -> None:
    from scipy.stats import binom

    ranks = interval_ranks(count, quantile)
    low = int(binom.ppf(0.025, count, quantile))
    high = int(binom.ppf(0.975, count, quantile)) + 1
    if ranks is None:
        assert low < 1 or high > count
        return
    # Whole ranks cover at least 95 %, the next ones less: the ends are between them.
    assert low <= ranks[0] < low + 1
    assert high - 1 < ranks[1] <= high
    covered = binom.cdf(high - 1, count, quantile) - binom.cdf(low - 1, count, quantile)
    assert covered >= 0.95


def test_median_of_ten_is_hettmansperger_and_sheathers() -> None:
    """Between the second and third of ten: their gammas are 0.9785 and 0.8906."""
    outer, inner = 0.978515625, 0.890625
    part = (outer - 0.95) / (outer - inner)
    step = (10 - 2) * part / (2 + (10 - 4) * part)
    assert interval_ranks(10) == pytest.approx((2 + step, 9 - step))


@pytest.mark.parametrize(("quantile", "smallest"), [(0.5, 6), (0.99, 368)])
def test_too_few_samples_have_no_interval(quantile: float, smallest: int) -> None:
    assert quantile_interval(np.arange(smallest - 1.0), quantile) is None
    assert quantile_interval(np.arange(float(smallest)), quantile) is not None


@given(times, st.floats(0.01, 1.0))
def test_nearest_rank_is_the_smallest_sample_that_covers_the_quantile(
    values: np.ndarray, quantile: float
) -> None:
    ordered = np.sort(values)
    found = nearest_rank(ordered, quantile)
    assert found in values
    assert np.mean(ordered <= found) >= quantile - 1e-9
    assert np.mean(ordered < found) < quantile


def test_nearest_rank_is_numpys_inverted_distribution() -> None:
    ordered = np.arange(1.0, 101.0)
    for percent in range(1, 101):
        assert nearest_rank(ordered, percent / 100) == percent


@given(times)
def test_interval_holds_the_median_and_widens_with_fewer_independent_samples(
    values: np.ndarray,
) -> None:
    ordered = np.sort(values)
    if (interval := quantile_interval(ordered)) is None:
        assert len(values) < 6
        return
    assert ordered[0] <= interval.low <= np.median(ordered) <= interval.high <= ordered[-1]
    fewer = quantile_interval(ordered, effective=len(values) / 2)
    assert fewer is None or (fewer.low <= interval.low and fewer.high >= interval.high)


@given(times, st.floats(0.1, 10))
def test_interval_scales_with_its_unit(values: np.ndarray, factor: float) -> None:
    ordered = np.sort(values)
    interval, scaled = quantile_interval(ordered), quantile_interval(ordered * factor)
    if interval and scaled:
        assert scaled == pytest.approx((interval.low * factor, interval.high * factor))


def test_ties_give_an_interval_of_no_width() -> None:
    assert quantile_interval(np.full(50, 2e-6)) == (2e-6, 2e-6)


def _two_modes(random: np.random.Generator, count: int) -> np.ndarray:
    slow = random.random(count) < 0.3
    return np.where(slow, random.normal(9.0, 0.5, count), random.normal(2.0, 0.1, count))


SHAPES = {
    "normal": (lambda random, count: random.normal(5.0, 1.0, count), 5.0),
    "lognormal": (lambda random, count: random.lognormal(0.0, 1.0, count), 1.0),
    # 0.5 / 0.7 of the fast mode lies below the median: 2.0 + 0.1 * z(0.714286).
    "two modes": (_two_modes, 2.0 + 0.1 * 0.5659488219),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [30, 101, 400])
def test_interval_covers_the_median_as_often_as_it_says(shape: str, count: int) -> None:
    draw, truth = SHAPES[shape]
    random = np.random.default_rng(20261121)
    trials = 4000
    hits = 0
    for _ in range(trials):
        interval = quantile_interval(np.sort(draw(random, count)))
        assert interval
        hits += interval.low <= truth <= interval.high
    # Discrete ranks make it conservative: up to 97 % at 30 samples.
    assert 0.94 <= hits / trials <= 0.975


def _slow_drift(random: np.random.Generator, count: int, memory: float) -> np.ndarray:
    from scipy.signal import lfilter

    return np.asarray(lfilter([1.0], [1.0, -memory], random.standard_normal(count + 200))[200:])


@pytest.mark.parametrize("memory", [0.5, 0.9])
def test_alike_neighbours_do_not_narrow_the_interval(memory: float) -> None:
    random = np.random.default_rng(7)
    hits, careless, trials = 0, 0, 1000
    for _ in range(trials):
        values = _slow_drift(random, 400, memory)
        interval = quantile_interval(np.sort(values), effective=effective_count(values))
        naive = quantile_interval(np.sort(values))
        assert interval and naive
        hits += interval.low <= 0 <= interval.high
        careless += naive.low <= 0 <= naive.high
    assert 0.93 <= hits / trials <= 0.98
    assert careless / trials < 0.88


@given(times)
def test_effective_count_is_between_one_and_all(values: np.ndarray) -> None:
    assert 0.99 <= effective_count(values) <= len(values)


def test_effective_count_of_independent_samples_is_nearly_all_of_them() -> None:
    random = np.random.default_rng(3)
    assert np.median([effective_count(random.random(500)) for _ in range(50)]) > 400


def test_coefficient_of_variation() -> None:
    from scipy.stats import variation

    values = np.array([1.0, 2.0, 4.0])
    assert coefficient_of_variation(values) == pytest.approx(variation(values, ddof=1))
    assert coefficient_of_variation(values[:1]) is None
    assert coefficient_of_variation(np.array([-1.0, 1.0])) is None


def test_ratio_interval_covers_the_true_ratio() -> None:
    random = np.random.default_rng(11)
    hits, trials = 0, 2000
    for _ in range(trials):
        above = np.sort(random.lognormal(0.5, 0.5, 60))
        below = np.sort(random.lognormal(0.0, 0.2, 60))
        of_above, of_below = quantile_interval(above), quantile_interval(below)
        assert of_above and of_below
        interval = ratio_interval(np.median(above), of_above, np.median(below), of_below)
        assert interval
        hits += interval.low <= math.exp(0.5) <= interval.high
    assert 0.94 <= hits / trials <= 0.985


def test_ratio_of_two_equal_scatters_reaches_the_root_of_two_as_far_either_way() -> None:
    scatter, far = Interval(1 / 1.1, 1.1), 1.1 ** math.sqrt(2)
    assert ratio_interval(1.0, scatter, 1.0, scatter) == pytest.approx((1 / far, far))


def test_ratio_with_zero_has_no_interval() -> None:
    assert ratio_interval(1.0, Interval(0.0, 2.0), 1.0, Interval(0.9, 1.1)) is None
