"""A stratified rank test: whether launches with interference were slower.

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
from typing import Any, NamedTuple

import numpy as np

Matrix = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

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
    useful = [each for each in strata if 0 < each.present.sum() < len(each.present)]
    if not useful:
        return None
    ways = math.prod(each.ways for each in useful)
    random = np.random.default_rng(1)
    found, sums = 0.0, np.zeros(1)
    for stratum in useful:
        weights = _weights(stratum.scores)
        found += float(weights[stratum.present].sum())
        if ways <= _WAYS:
            sums = np.add.outer(sums, _every_sum(weights, int(stratum.present.sum()))).ravel()
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
    """Return the mid-ranks, about their mean, by the weight of the stratum."""
    _, of_value, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[of_value]
    weights: Matrix = (ranks - ranks.mean()) / (len(scores) + 1)
    return weights


def _every_sum(weights: Matrix, chosen: int) -> Matrix:
    sums: Matrix = np.array([sum(each) for each in itertools.combinations(weights, chosen)])
    return sums


def launches_to_tell(with_company: int, launches: int, p_value: float) -> int:
    """Return how many launches, a like part of them with interference, could reach `p_value`.

    >>> launches_to_tell(2, 6, 0.05)
    7
    """
    for total in range(launches, 100):
        chosen = min(max(round(total * with_company / launches), 1), total - 1)
        if total > 1 and 1 / math.comb(total, chosen) <= p_value:
            return total
    return 100
