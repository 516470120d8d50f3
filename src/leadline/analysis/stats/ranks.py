"""Rank tests: of two groups of few values, and of launches with and without interference.

Of launches that are otherwise alike it would be chance which of them had interference, if it cost
nothing. So the ranks of those that had it are held against all other ways to choose as many
launches, within each group of launches that share library and placement: the stratified rank test
(van Elteren, "On the Combination of Independent Two-Sample Tests of Wilcoxon", Bulletin of the
International Statistical Institute 37, 1960) with its permutation distribution. It assumes nothing
of how times scatter, and is one-sided: interference makes nothing faster.
"""

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import (
    CONFIDENCE,
    Array,
    Interval,
    Mask,
    Matrix,
    value_at_rank,
)

# Up to so many values in both groups together every division of them is counted.
_COUNTED = 60


def rank_test(base: Array, other: Array) -> float:
    """Return the two-sided p-value of Mann & Whitney's test, ties included.

    Shapes (m,) and (n,). Exact over all divisions of the values up to 60 of them: the permutation
    test of the sum of mid-ranks (Mann & Whitney, "On a Test of Whether One of Two Random Variables
    is Stochastically Larger than the Other", Annals of Mathematical Statistics 18, 1947). Beyond,
    the normal approximation with the correction for ties (Lehmann, "Nonparametrics", 1975, 1.4).
    """
    values = np.concatenate((base, other))
    _, of_value, count = np.unique(values, return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(count) - count + 1)[of_value]
    size, total = len(base), len(values)
    rank_sum = int(doubled[:size].sum())
    away = abs(rank_sum - size * (total + 1))
    if away == 0:
        return 1.0
    if total > _COUNTED:
        tied = float((count.astype(float) ** 3 - count).sum())
        variance = size * (total - size) / 12 * (total + 1 - tied / (total * (total - 1)))
        return 2 * (1 - NormalDist().cdf((away - 1) / 2 / math.sqrt(variance)))
    ways = _rank_sums(tuple(sorted(doubled.tolist())), size)
    sums = np.arange(len(ways))
    return float(ways[np.abs(sums - size * (total + 1)) >= away].sum() / ways.sum())


def shift(base: Array, other: Array) -> tuple[float, Interval | None]:
    """Return by how much `other` lies above `base`, and its interval; None for too few values.

    Shapes (m,) and (n,). The median of all differences (Hodges & Lehmann, "Estimates of Location
    Based on Rank Tests", Annals of Mathematical Statistics 34, 1963); the interval holds the shifts
    that Mann & Whitney's test does not reject (Moses; Lehmann, "Nonparametrics", 1975, 2.4), so it
    assumes that both groups differ in nothing else. Its ends lie between two differences, where
    their probabilities enclose what is asked: whole ranks of few values would hold 97 %. 95 % needs
    4 values of each. Without any on a side the shift is 0.
    """
    if not len(base) or not len(other):
        return 0.0, None
    differences = np.sort((other[:, None] - base[None, :]).ravel())
    rank = _moses_rank(len(base), len(other))
    if rank is None:
        return float(np.median(differences)), None
    low, high = value_at_rank(differences, rank), -value_at_rank(-differences[::-1], rank)
    return float(np.median(differences)), Interval(low, high)


@lru_cache(maxsize=256)
def _moses_rank(size: int, others: int) -> float | None:
    """Return the rank (from 1, fractions too) of the difference that an interval begins with."""
    tail = (1 - CONFIDENCE) / 2
    if size + others > _COUNTED:
        deviation = math.sqrt(size * others * (size + others + 1) / 12)
        return size * others / 2 - NormalDist().inv_cdf(1 - tail) * deviation + 0.5
    ways = _rank_sums(tuple(range(1, size + others + 1)), size)[size * (size + 1) // 2 :]
    # Entry r is the probability that at most r of the differences lie below the true shift.
    below = np.cumsum(ways) / ways.sum()
    rank = int(np.searchsorted(below, tail, side="right"))
    if rank < 1:
        return None
    return rank + float((tail - below[rank - 1]) / (below[rank] - below[rank - 1]))


@lru_cache(maxsize=64)
def _rank_sums(ranks: tuple[int, ...], size: int) -> Array:
    """Return in how many ways `size` of the ranks have each sum, shape (sum of all + 1,)."""
    ways = np.zeros((size + 1, sum(ranks) + 1))
    ways[0, 0] = 1
    for rank in ranks:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank].copy()
    found: Array = ways[size]
    return found


_WAYS = 20_000


class Stratum(NamedTuple):
    """Launches that are alike but for the interference.

    `logarithms` of the figures' medians in seconds, shape (figures, launches); `present` tells in
    which launches it was there, shape (launches,).
    """

    logarithms: Matrix
    present: Mask

    @property
    def scores(self) -> Matrix:
        """How much longer than usual the figures took in each launch, shape (launches,).

        The mean over the figures of the logarithm against its median over the launches.
        """
        usual = np.median(self.logarithms, axis=1, keepdims=True)
        scores: Matrix = (self.logarithms - usual).mean(axis=0)
        return scores

    @property
    def ways(self) -> int:
        """In how many ways as many launches can be chosen."""
        return math.comb(len(self.present), int(self.present.sum()))


class Association(NamedTuple):
    """`p_value` of interference that costs nothing, and the least that so few launches can give."""

    p_value: float
    least_p_value: float


def association(strata: Sequence[Stratum]) -> Association | None:
    """Return how probable launches as slow as those with interference are, if it costs nothing.

    None where no stratum has launches both with and without it.
    """
    useful = [
        each
        for each in strata
        if len(each.logarithms) and 0 < each.present.sum() < len(each.present)
    ]
    if not useful:
        return None
    ways = math.prod(each.ways for each in useful)
    random = np.random.default_rng(1)
    found, sums = 0.0, np.zeros(1)
    for stratum in useful:
        weights = _weights(stratum.scores)
        found += float(weights[stratum.present].sum())
        if ways <= _WAYS:
            chosen = itertools.combinations(weights, int(stratum.present.sum()))
            sums = np.add.outer(sums, [sum(each) for each in chosen]).ravel()
        else:
            drawn = random.permuted(np.tile(stratum.present, (_WAYS, 1)), axis=1)
            sums = sums + drawn @ weights
    as_slow = int((sums >= found - 1e-9).sum())
    if ways <= _WAYS:
        return Association(as_slow / ways, 1 / ways)
    # The real way is one of those that were drawn (Phipson & Smyth, "Permutation P-values Should
    # Never Be Zero", Statistical Applications in Genetics and Molecular Biology 9, 2010).
    return Association((as_slow + 1) / (_WAYS + 1), 1 / (_WAYS + 1))


def _weights(scores: Matrix) -> Matrix:
    _, of_value, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[of_value]
    weights: Matrix = (ranks - ranks.mean()) / (len(scores) + 1)
    return weights


def launches_to_tell(with_company: int, launches: int, p_value: float) -> int:
    """Return how many launches, a like part of them with interference, could reach `p_value`.

    >>> launches_to_tell(2, 6, 0.05)
    7
    """
    for total in range(launches, 100):
        chosen = min(max(round(total * with_company / max(1, launches)), 1), total - 1)
        if total > 1 and 1 / math.comb(total, chosen) <= p_value:
            return total
    return 100
