"""Two groups by their ranks: against scipy, and against every division of small groups."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.analysis.stats.ranks import rank_test, shift

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
