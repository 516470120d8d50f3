"""Few launches, many figures: does the test keep its promise, and what does it find?"""

import math

import numpy as np
import pytest

from leadline.analysis.stats.rotation import differences, shifts


def launches(random, figures, count, shared, own):
    """Return logarithms of launches that have `shared` luck and each figure's `own`."""
    return shared * random.normal(size=(1, count)) + own * random.normal(size=(figures, count))


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize(("shared", "own"), [(0.0, 0.03), (0.05, 0.03), (0.1, 0.001)])
def test_any_false_alarm_is_as_rare_as_promised(count, shared, own):
    random = np.random.default_rng(count)
    alarms, trials = 0, 150
    for _ in range(trials):
        base, other = (launches(random, 12, count, shared, own) for _ in range(2))
        alarms += any(each.p_value <= 0.05 for each in differences(base, other))
    # Three standard errors above 5 %: one of nine such tests may well be two above.
    assert alarms / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize(("count", "factor", "wanted"), [(3, 1.5, 0.9), (5, 1.2, 0.8)])
def test_a_change_of_one_figure_among_many_is_found(count, factor, wanted):
    random = np.random.default_rng(7)
    found, trials = 0, 100
    for _ in range(trials):
        base, other = (launches(random, 20, count, 0.03, 0.03) for _ in range(2))
        other[4] += math.log(factor)
        found += differences(base, other)[4].p_value <= 0.05
    assert found / trials >= wanted


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize(("shared", "own"), [(0.0, 0.03), (0.05, 0.03), (0.1, 0.001)])
def test_the_interval_of_each_figure_covers(count, shared, own):
    random = np.random.default_rng(count + 10)
    hits, figures = 0, 0
    for _ in range(120):
        base, other = (launches(random, 12, count, shared, own) for _ in range(2))
        for each in differences(base, other + 0.3):
            hits += each.interval.low <= 0.3 <= each.interval.high
            figures += 1
    # Figures of one trial go together: these are no 1440 independent ones.
    assert hits / figures >= (0.9 if count == 2 else 0.92)


def test_what_has_no_scatter_at_all_differs_or_does_not():
    same, other = differences(np.zeros((2, 3)), np.array([[0.0] * 3, [0.1] * 3]))
    assert same.value == 0 and same.p_value == 1
    assert other.value == pytest.approx(0.1) and other.p_value <= 0.001


def test_one_figure_alone_is_students_test():
    from scipy.stats import ttest_ind

    base, other = np.array([[0.0, 0.02, 0.01]]), np.array([[0.05, 0.03, 0.06]])
    (found,) = differences(base, other)
    assert found.p_value == pytest.approx(ttest_ind(base[0], other[0]).pvalue, abs=0.01)
    low, high = ttest_ind(other[0], base[0]).confidence_interval()
    assert found.interval == pytest.approx((low, high), rel=1e-6)


@pytest.mark.parametrize("count", [3, 5])
def test_figures_that_differ_make_no_false_alarms_of_others(count):
    random = np.random.default_rng(count + 20)
    alarms, trials = 0, 150
    for _ in range(trials):
        ratios = launches(random, 20, count, 0.0, 0.04)
        ratios[:10] += math.log(1.5)
        alarms += any(each.p_value <= 0.05 for each in shifts(ratios)[10:])
    assert alarms / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


def test_one_ratio_alone_is_students_test():
    from scipy.stats import ttest_1samp

    values = np.array([[0.05, 0.03, 0.06]])
    (found,) = shifts(values, singly=True)
    peer = ttest_1samp(values[0], 0)
    assert found.single == pytest.approx(peer.pvalue, abs=0.01)
    assert found.p_value == pytest.approx(peer.pvalue, abs=0.01)
    assert found.interval == pytest.approx(tuple(peer.confidence_interval()), rel=1e-6)
