"""The effect of one set of launches against another: right as often as it says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.comparison import Series
from leadline.analysis.stats.effects import effect
from leadline.analysis.stats.launches import estimate
from leadline.analysis.stats.student import t_quantile, two_sided

launches = st.lists(st.floats(1e-6, 1e-3), min_size=2, max_size=12)


def figure(*medians: float) -> Series:
    found = estimate([np.array([one]) for one in medians])
    return Series(found.median, found.interval, medians)


@pytest.mark.parametrize("freedom", [1.0, 1.37, 2.0, 4.5, 9.0, 58.2, 700.0])
def test_student_is_scipys(freedom: float) -> None:
    from scipy.stats import t

    for confidence in (0.5, 0.9, 0.95, 0.999, 1 - 1e-6):
        expected = t.ppf((1 + confidence) / 2, freedom)
        assert t_quantile(confidence, freedom) == pytest.approx(expected, rel=1e-6)
    for value in (0.0, 0.3, 2.0, 12.0):
        assert two_sided(value, freedom) == pytest.approx(2 * t.sf(value, freedom), rel=1e-6)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 5), (5, 30)])
def test_few_launches_are_welchs_test_of_logarithms(sizes: tuple[int, int]) -> None:
    from scipy.stats import ttest_ind

    random = np.random.default_rng(sizes[1])
    base, other = (random.lognormal(0, 0.1, size) for size in sizes)
    found = effect(figure(*base), figure(*other))
    expected = ttest_ind(np.log(other), np.log(base), equal_var=False)
    ends = expected.confidence_interval(0.95)
    assert found
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.ratio.interval == pytest.approx((math.exp(ends.low), math.exp(ends.high)))


@given(launches, launches)
def test_effect_turns_around_with_its_figures(base: list[float], other: list[float]) -> None:
    one, two = figure(*base), figure(*other)
    there, back = effect(one, two), effect(two, one)
    assert there
    assert back
    assert there.ratio.interval
    assert back.ratio.interval
    assert there.ratio.median == pytest.approx(1 / back.ratio.median)
    assert there.ratio.interval.low == pytest.approx(1 / back.ratio.interval.high, rel=1e-6)
    assert there.shift_s == pytest.approx(-back.shift_s)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.ratio.interval.low <= there.ratio.median <= there.ratio.interval.high
    assert there.shift_interval
    assert there.shift_interval.low <= there.shift_s <= there.shift_interval.high


@given(launches.filter(lambda values: len(values) not in (6, 7)), st.floats(0.1, 10))
def test_more_confidence_is_a_wider_interval(base: list[float], factor: float) -> None:
    one, two = figure(*base), figure(*(value * factor for value in base))
    wide, usual = effect(one, two, confidence=0.99), effect(one, two)
    assert wide
    assert usual
    assert wide.ratio.interval
    assert usual.ratio.interval
    assert wide.ratio.interval.low <= usual.ratio.interval.low * (1 + 1e-9)
    assert wide.ratio.interval.high >= usual.ratio.interval.high * (1 - 1e-9)


def test_one_launch_of_each_has_no_p_value() -> None:
    one = Series(1e-6, (0.9e-6, 1.1e-6), (1e-6,))
    found = effect(one, Series(2e-6, (1.8e-6, 2.2e-6), (2e-6,)))
    assert found
    assert found.p_value is None
    assert found.ratio.interval
    assert 1.7 < found.ratio.interval.low < 2 < found.ratio.interval.high < 2.4
    assert found.shift_interval == pytest.approx(
        (1e-6 - math.hypot(2e-7, 1e-7), 1e-6 + math.hypot(2e-7, 1e-7))
    )


def test_means_without_intervals_have_a_ratio_alone() -> None:
    found = effect(Series(1e-6, None, (1e-6,)), Series(2e-6, None, (2e-6,)))
    assert found
    assert (found.ratio.median, found.ratio.interval, found.shift_interval) == (2.0, None, None)


def test_times_of_zero_have_no_effect() -> None:
    assert effect(figure(1e-6, 2e-6), Series(0.0, None, (0.0, 1e-6))) is None


def test_launches_all_alike_are_the_same() -> None:
    found = effect(figure(1e-6, 1e-6), figure(1e-6, 1e-6))
    assert found
    assert (found.ratio.median, found.p_value, found.superiority) == (1.0, 1.0, 0.5)
