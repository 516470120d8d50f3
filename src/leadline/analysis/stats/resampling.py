"""Hierarchical resampling: launches first, then the samples of each.

A launch is one sample of the machine, and its own samples say how well its figure is known. Drawing
from the pool of all samples would take launches for as many as they have samples (Davison &
Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE, Array, Interval, effective_count
from leadline.analysis.stats.student import t_quantile

Table = np.ndarray[Any, np.dtype[np.float64]]

REPLICATES = 2000


def resampled(
    launches: Sequence[Array], quantile: float = 0.5, replicates: int = REPLICATES, seed: int = 0
) -> Table:
    """Return the quantile of each drawn launch in each replicate, shape (replicates, launches).

    `launches` holds the samples of each launch in the order of measurement, none empty. The k-th
    smallest of n values that are drawn from n sorted ones is the one at the place n * B, with B
    from the beta distribution of k and n + 1 - k (Efron, "The Jackknife, the Bootstrap and Other
    Resampling Plans", 1982, section 10.2): one number a launch instead of n. Samples that are alike
    count as fewer, so n is the effective number. The same seed gives the same answer.
    """
    random = np.random.default_rng(seed)
    drawn = random.integers(len(launches), size=(replicates, len(launches)))
    found = np.empty(drawn.shape)
    for index, values in enumerate(launches):
        here = drawn == index
        worth = max(1.0, effective_count(values))
        rank = max(1.0, quantile * worth) if quantile != 0.5 else (worth + 1) / 2
        place = random.beta(rank, max(worth + 1 - rank, 1e-9), size=int(here.sum()))
        at = np.minimum((place * len(values)).astype(int), len(values) - 1)
        found[here] = np.sort(values)[at]
    return found


def hierarchical_interval(
    launches: Sequence[Array],
    quantile: float = 0.5,
    statistic: Callable[[Table], Array] | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> Interval:
    """Return the interval of `statistic` over launches of each one's quantile.

    `statistic` takes the shape (replicates, launches) to (replicates,); the median if None. For
    others, such as a mean, the percentiles are `widened`; resampled medians scatter more than
    medians do, and need it not. Fewer than 6 launches cannot show what lies beyond them: there it
    covers too little.
    """
    table = resampled(launches, quantile, seed=seed)
    values = np.median(table, axis=1) if statistic is None else statistic(table)
    if statistic is not None:
        confidence = widened(confidence, len(launches))
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def widened(confidence: float, count: int) -> float:
    """Return the confidence of percentiles that stand for Student's t over `count` units.

    Resampling so few units scatters less than the units do (Hesterberg, "What Teachers Should Know
    About the Bootstrap", The American Statistician 69, 2015, section 3.3).
    """
    if count < 2:
        return confidence
    reach = t_quantile(confidence, count - 1) * math.sqrt(count / (count - 1))
    return math.erf(reach / math.sqrt(2))
