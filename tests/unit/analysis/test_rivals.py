"""Many pairs of one run: few false alarms among all, and clear differences found."""

import math

import numpy as np
import pytest

from leadline.analysis.stats import rotation
from leadline.analysis.stats.rivals import ratios, share_of
from leadline.analysis.stats.rotation import differences, shifts

PAIRS, TRIALS = 12, 80


@pytest.fixture(autouse=True, scope="module")
def few_rotations():
    """As many as any number of figures gets: hundreds of trials need no finer probabilities."""
    rotation._directions.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rotation, "_WAYS", rotation._FEWEST_WAYS)
        yield
    rotation._directions.cache_clear()


def pairs(random, launches, factors=()):
    """Return launches of so many pairs, of which the first differ by the factors."""
    found = []
    for index in range(PAIRS):
        luck = 0.1 * random.normal(size=launches)
        above, below = (np.exp(luck + 0.03 * random.normal(size=launches)) for _ in range(2))
        factor = factors[index] if index < len(factors) else 1.0
        found.append((tuple(above * factor), tuple(below)))
    return found


def most(share=0.05, trials=TRIALS):
    """Return three standard errors above a share."""
    return share + 3 * math.sqrt(share * (1 - share) / trials)


@pytest.mark.parametrize("launches", [3, 5, 8, 10])
def test_false_alarms_are_as_rare_as_promised(launches):
    random = np.random.default_rng(launches)
    trials = [ratios(pairs(random, launches, (1.5, 1.5))) for _ in range(TRIALS)]
    assert np.mean([any(one.p_value <= 0.05 for one in all_[2:]) for all_ in trials]) <= most()


@pytest.mark.parametrize(("launches", "factor", "wanted"), [(3, 1.5, 0.9), (5, 1.2, 0.8)])
def test_clear_differences_are_found(launches, factor, wanted):
    random = np.random.default_rng(1)
    trials = [ratios(pairs(random, launches, (factor,))) for _ in range(TRIALS)]
    assert np.mean([all_[0].p_value <= 0.05 for all_ in trials]) >= wanted


def test_some_launches_that_another_program_slowed_hide_no_difference():
    above = [1.3, 1.3, 4.0, 1.31, 1.29, 1.3, 1.32, 1.3, 1.28, 1.3]
    (found,) = ratios([(above, [1.0] * 10)])
    assert found.p_value <= 0.05 and found.interval.low > 1


def test_pairs_of_fewer_launches_are_judged_by_themselves():
    random = np.random.default_rng(2)
    mixed = [*pairs(random, 3, (3.0,)), *pairs(random, 5, (3.0,))]
    found = ratios(mixed)
    assert [one.p_value <= 0.05 for one in found] == [i % PAIRS == 0 for i in range(len(mixed))]


def test_all_looks_together_spend_no_more_than_all():
    assert sum(share_of(look) for look in range(50)) == pytest.approx(1)


def test_a_difference_of_an_earlier_look_stays_one():
    random = np.random.default_rng(3)
    first = pairs(random, 3, (3.0,))
    rest = [(one * 2, other * 2) if i > 5 else (one, other) for i, (one, other) in enumerate(first)]
    found = ratios(rest, looks=(3, 6))
    assert found[0].p_value <= 0.05


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
