"""Ratios of figures."""

import math

import msgspec
import numpy as np
import pytest
from figures import flat
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.comparison import Series, clearly_longer, time_ratio
from leadline.analysis.stats.launches import estimate
from leadline.analysis.stats.student import t_quantile, two_sided, widened
from leadline.model.summary import PointSummary


def figure(*launches: float) -> PointSummary:
    median = float(np.median(launches))
    return flat(
        median,
        launches=len(launches),
        launch_medians_s=launches,
        ci95_low_s=median * 0.9,
        ci95_high_s=median * 1.1,
    )


def test_common_luck_of_launches_cancels_out() -> None:
    ratio = time_ratio(figure(2.0, 4.0, 8.02), figure(1.0, 2.0, 4.0))
    assert ratio and ratio.median == pytest.approx(2.0)
    assert 1.99 < ratio.interval.low <= 2.0 <= ratio.interval.high < 2.02


def test_unequal_launches_combine_their_intervals() -> None:
    ratio = time_ratio(figure(2.0), figure(1.0, 1.0))
    assert ratio and ratio.median == 2.0
    # What samples of one launch tell holds for that launch: others may differ by a quarter.
    assert 1.6 / 1.25 < ratio.interval.low < 2 * 0.9 / 1.25
    assert clearly_longer(ratio)
    assert not clearly_longer(time_ratio(figure(1.35), figure(1.0)))


def test_a_simulated_difference_is_exact() -> None:
    one, other = (
        msgspec.structs.replace(figure(value), simulated=True, ci95_low_s=None, ci95_high_s=None)
        for value in (387e-6, 189e-6)
    )
    ratio = time_ratio(one, other)
    assert ratio and ratio.interval == pytest.approx((387 / 189, 387 / 189))
    assert clearly_longer(ratio)


def test_time_of_zero_has_no_ratio() -> None:
    zero = msgspec.structs.replace(figure(0.0, 0.0))
    assert time_ratio(figure(1.0, 1.0), zero) is None
    assert not clearly_longer(None)


def test_wrong_claims_are_rare() -> None:
    """Two equal choices, three launches each that share their luck: how often is one 'slower'?"""
    random = np.random.default_rng(9)
    claims, trials = 0, 2000
    for _ in range(trials):
        luck = random.lognormal(0, 0.3, 3)
        one, other = luck * random.lognormal(0, 0.03, (2, 3))
        claims += clearly_longer(time_ratio(figure(*one), figure(*other)))
    assert claims / trials < 0.03


launches = st.lists(st.floats(1e-6, 1e-3), min_size=2, max_size=12)


def of_medians(*medians: float) -> Series:
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


@pytest.mark.parametrize(
    ("base", "other", "alike"),
    [
        ([1.0, 1.1], [1.2, 1.5], True),
        ([1.0, 1.1, 1.3], [1.2, 1.5, 1.9], True),
        ([1.0, 1.01, 1.02], [1.2, 1.5, 1.9], False),
        ([1.0, 1.1, 1.3], [1.2, 1.5, 1.9, 1.6, 1.7], False),
    ],
)
def test_few_launches_are_students_test_of_logarithms(
    base: list[float], other: list[float], alike: bool
) -> None:
    from scipy.stats import ttest_ind

    found = time_ratio(of_medians(*other), of_medians(*base), "apart")
    expected = ttest_ind(np.log(other), np.log(base), equal_var=alike)
    ends = expected.confidence_interval(0.95)
    assert found
    assert found.interval == pytest.approx((math.exp(ends.low), math.exp(ends.high)))


@given(launches, launches)
def test_ratio_turns_around_with_its_figures(base: list[float], other: list[float]) -> None:
    one, two = of_medians(*base), of_medians(*other)
    there, back = time_ratio(two, one, "apart"), time_ratio(one, two, "apart")
    assert there
    assert back
    assert there.interval
    assert back.interval
    assert there.median == pytest.approx(1 / back.median)
    assert there.interval.low == pytest.approx(1 / back.interval.high, rel=1e-6)
    assert there.interval.low <= there.median <= there.interval.high


def test_one_launch_of_each_combines_their_intervals() -> None:
    one = Series(1e-6, (0.9e-6, 1.1e-6), (1e-6,))
    found = time_ratio(Series(2e-6, (1.8e-6, 2.2e-6), (2e-6,)), one, "apart")
    assert found
    assert found.interval
    assert 1.7 < found.interval.low < 2 < found.interval.high < 2.4


def test_means_without_intervals_have_a_ratio_alone() -> None:
    found = time_ratio(Series(2e-6, None, (2e-6,)), Series(1e-6, None, (1e-6,)), "apart")
    assert found
    assert (found.median, found.interval) == (2.0, None)


def test_times_of_zero_have_no_ratio() -> None:
    assert time_ratio(Series(0.0, None, (0.0, 1e-6)), of_medians(1e-6, 2e-6), "apart") is None


def test_launches_all_alike_are_the_same() -> None:
    found = time_ratio(of_medians(1e-6, 1e-6), of_medians(1e-6, 1e-6), "apart")
    assert found
    assert (found.median, found.interval) == (1.0, (1.0, 1.0))


def test_percentiles_are_widened_to_students() -> None:
    assert widened(0.95, 1) == 0.95
    assert widened(0.95, 5) == pytest.approx(0.99809, abs=1e-4)
    assert widened(0.95, 1000) == pytest.approx(0.95, abs=1e-3)
