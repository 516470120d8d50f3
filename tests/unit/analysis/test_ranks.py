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
    assert shift(np.arange(4.0), np.arange(4.0) + 7)[1] == (4.0, 10.0)


@pytest.mark.parametrize("sizes", [(4, 4), (6, 9), (20, 30), (50, 40)])
def test_shift_holds_what_the_test_does_not_reject(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(sizes[0])
    base, other = random.lognormal(0, 1, sizes[0]), random.lognormal(0, 1, sizes[1]) + 0.3
    middle, interval = shift(base, other)
    assert interval
    assert interval.low <= middle <= interval.high
    tiny = 1e-9
    for end, outwards in ((interval.low, -tiny), (interval.high, tiny)):
        # Beyond 60 values the ranks of the interval are those of a normal approximation.
        assert rank_test(base, other - end - outwards) <= 0.05 + 0.002
        assert rank_test(base, other - end + outwards) >= 0.05 - 0.002
