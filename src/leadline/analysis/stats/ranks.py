"""Rank tests of two groups of few values: a p-value and a shift with its interval."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE, Array, Interval, value_at_rank

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
    own = int(doubled[:size].sum())
    away = abs(own - size * (total + 1))
    if away == 0:
        return 1.0
    if total > _COUNTED:
        tied = float((count.astype(float) ** 3 - count).sum())
        variance = size * (total - size) / 12 * (total + 1 - tied / (total * (total - 1)))
        return 2 * (1 - NormalDist().cdf((away - 1) / 2 / math.sqrt(variance)))
    ways = _rank_sums(tuple(sorted(doubled.tolist())), size)
    sums = np.arange(len(ways))
    return float(ways[np.abs(sums - size * (total + 1)) >= away].sum() / ways.sum())


def shift(
    base: Array, other: Array, confidence: float = CONFIDENCE
) -> tuple[float, Interval | None]:
    """Return by how much `other` lies above `base`, and its interval; None for too few values.

    Shapes (m,) and (n,). The median of all differences (Hodges & Lehmann, "Estimates of Location
    Based on Rank Tests", Annals of Mathematical Statistics 34, 1963); the interval holds the shifts
    that Mann & Whitney's test does not reject (Moses; Lehmann, "Nonparametrics", 1975, 2.4), so it
    assumes that both groups differ in nothing else. Its ends lie between two differences, where
    their probabilities enclose what is asked: whole ranks of few values would hold 97 %. 95 % needs
    4 values of each.
    """
    differences = np.sort((other[:, None] - base[None, :]).ravel())
    rank = _moses_rank(len(base), len(other), confidence)
    if rank is None:
        return float(np.median(differences)), None
    low, high = value_at_rank(differences, rank), -value_at_rank(-differences[::-1], rank)
    return float(np.median(differences)), Interval(low, high)


@lru_cache(maxsize=256)
def _moses_rank(size: int, others: int, confidence: float) -> float | None:
    """Return the rank (from 1, fractions too) of the difference that an interval begins with."""
    tail = (1 - confidence) / 2
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
