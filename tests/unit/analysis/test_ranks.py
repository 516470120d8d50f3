"""Two groups by their ranks: against scipy, and against every division of small groups."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.ranks import rank_test, shift
from leadline.analysis.stats.student import false_discoveries, holm, simultaneous_confidence

group = st.lists(st.integers(0, 9).map(float), min_size=2, max_size=6).map(np.array)


@pytest.mark.parametrize("sizes", [(3, 3), (4, 7), (10, 10), (30, 30)])
def test_p_value_is_scipys_exact_one(sizes: tuple[int, int]) -> None:
    from scipy.stats import mannwhitneyu

    random = np.random.default_rng(sum(sizes))
    for step in (0.0, 0.5, 1.5):
        base, other = random.normal(0, 1, sizes[0]), random.normal(step, 1, sizes[1])
        assert rank_test(base, other) == pytest.approx(
            mannwhitneyu(base, other, method="exact").pvalue
        )


def test_p_value_of_many_is_scipys_approximation_with_ties() -> None:
    from scipy.stats import mannwhitneyu

    random = np.random.default_rng(7)
    base, other = random.integers(0, 12, 50).astype(float), random.integers(1, 14, 70).astype(float)
    expected = mannwhitneyu(base, other, method="asymptotic").pvalue
    assert rank_test(base, other) == pytest.approx(expected)


@given(group, group)
def test_p_value_with_ties_counts_every_division(base: np.ndarray, other: np.ndarray) -> None:
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate((base, other)))
    expected = len(base) * (len(ranks) + 1) / 2
    away = abs(ranks[: len(base)].sum() - expected)
    sums = [sum(some) for some in itertools.combinations(ranks, len(base))]
    part = np.mean([abs(one - expected) >= away - 1e-9 for one in sums])
    assert rank_test(base, other) == pytest.approx(part)


def test_shift_has_no_interval_of_95_percent_for_three_values() -> None:
    assert shift(np.arange(3.0), np.arange(3.0)) == (0.0, None)
    # Of the 70 orders of 4 and 4 values one leaves all differences below, one all but one: the
    # ends lie three quarters of the way from the outermost difference to the next.
    assert shift(np.arange(4.0), np.arange(4.0) + 7)[1] == pytest.approx((4.75, 9.25))


@pytest.mark.parametrize("sizes", [(4, 4), (6, 9), (20, 30), (50, 40)])
def test_shift_lies_where_the_test_begins_to_reject(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(sizes[0])
    base, other = random.lognormal(0, 1, sizes[0]), random.lognormal(0, 1, sizes[1]) + 0.3
    middle, interval = shift(base, other)
    assert interval
    assert interval.low <= middle <= interval.high
    every = np.sort((other[:, None] - base[None, :]).ravel())
    for end, outwards in ((interval.low, -1), (interval.high, 1)):
        next_out = every[np.searchsorted(every, end) - (outwards < 0)]
        next_in = every[np.searchsorted(every, end) - (outwards > 0)]
        tiny = 1e-9 * outwards
        # Beyond 60 values the ranks of the interval are those of a normal approximation.
        assert rank_test(base, other - next_out - tiny) <= 0.05 + 0.002
        assert rank_test(base, other - next_in + tiny) >= 0.05 - 0.002


@pytest.mark.parametrize("sizes", [(4, 4), (5, 7)])
def test_shift_of_few_values_holds_the_truth_in_95_percent(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(8)
    trials, held = 4000, 0
    for _ in range(trials):
        base, other = random.pareto(2.5, sizes[0]), 3.0 + random.pareto(2.5, sizes[1])
        interval = shift(base, other)[1]
        assert interval
        held += interval.low <= 3.0 <= interval.high
    assert 0.94 <= held / trials <= 0.965


p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(p_values)
def test_holm_is_its_definition(values: list[float]) -> None:
    """The j-th smallest of m survives a level where each of the first j does at level / (m - i)."""
    ordered, found = sorted(values), holm(values)
    for value, adjusted in zip(values, found, strict=True):
        before = [p for p in ordered if p <= value]
        steps = [min(1.0, p * (len(values) - i)) for i, p in enumerate(before)]
        assert adjusted == pytest.approx(max(steps))


def test_in_benjamini_and_hochbergs_own_example_the_first_are_found() -> None:
    """The fifteen p-values of their section 4, of which Holm finds three, and they find four."""
    values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    values += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert [p <= 0.05 for p in holm(values)] == [True] * 3 + [False] * 12
    assert [p <= 0.05 for p in false_discoveries(values)] == [True] * 4 + [False] * 11


@given(p_values)
def test_false_discoveries_are_as_scipy_counts_them(values: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = false_discoveries(values)
    assert found == pytest.approx(stats.false_discovery_control(values).tolist())


@given(p_values)
def test_no_correction_makes_anything_more_significant(values: list[float]) -> None:
    for value, familywise in zip(values, holm(values), strict=True):
        assert value - 1e-12 <= familywise <= 1 + 1e-12


def test_holm_keeps_false_alarms_over_all_comparisons_at_five_percent() -> None:
    random = np.random.default_rng(1)
    alarms = [min(holm(random.random(20))) <= 0.05 for _ in range(4000)]
    assert 0.04 <= np.mean(alarms) <= 0.06


def test_confidence_of_each_of_many_intervals() -> None:
    assert simultaneous_confidence(1) == pytest.approx(0.95)
    assert simultaneous_confidence(10) == pytest.approx(0.995)


def test_few_of_what_is_found_is_false() -> None:
    """Ten real differences among forty figures, two hundred times."""
    chance = np.random.default_rng(7)
    found = wrong = 0
    for _ in range(200):
        p_values = np.concatenate([chance.uniform(0, 0.002, 10), chance.uniform(0, 1, 30)])
        below = np.array(false_discoveries(p_values.tolist())) <= 0.05
        found += int(below.sum())
        wrong += int(below[10:].sum())
    assert found > 2000 and 0.01 < wrong / found <= 0.05
