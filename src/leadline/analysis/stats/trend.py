"""Trend tests: drift within launches, and the length of the warm-up."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from leadline.analysis.stats.changes import independence
from leadline.analysis.stats.ranks import rank_test
from leadline.analysis.stats.statistics import Array

Table = np.ndarray[Any, np.dtype[np.float64]]

_BATCH = 5
_MOST_BATCHES = 400
_ABOUT = 1.05


class Trend(NamedTuple):
    """How many times the first value the last is, on a straight line, and the p-value of none."""

    factor: float
    p_value: float


class WarmUp(NamedTuple):
    """How many values come first, how many times the others they are, and the p-value of none."""

    length: int
    factor: float
    p_value: float


def trend(series: Table) -> Trend:
    """Return the trend that all series, in the order of time, have in common.

    Shape (series, n), n >= 3, above zero. Kendall's test for a trend in each (Mann, "Nonparametric
    Tests Against Trend", Econometrica 13, 1945), summed as Hirsch, Slack & Smith do over seasons
    ("Techniques of Trend Analysis for Monthly Water Quality Data", Water Resources Research 18,
    1982). The slope is the median over the series of Theil and Sen's (Sen, "Estimates of the
    Regression Coefficient Based on Kendall's Tau", JASA 63, 1968). Neighbours that are alike count
    as fewer values.
    """
    count = series.shape[1]
    first, second = np.triu_indices(count, 1)
    rises = series[:, second] - series[:, first]
    slopes = np.median(rises / (second - first), axis=1)
    lines = slopes[:, None] * (np.arange(count) - (count - 1) / 2)
    middles = np.median(series, axis=1)
    part = float(np.mean([independence(one, stretches=2) for one in series - lines]))
    score = float(np.sign(rises).sum())
    variance = len(series) * count * (count - 1) * (2 * count + 5) / 18
    normal = max(abs(score) - 1, 0.0) / math.sqrt(variance / part)
    change = float(np.median(slopes * (count - 1) / middles))
    # The line goes through the middle: half of the change lies on each side.
    change = max(-1.9, min(1.9, change))
    return Trend((1 + change / 2) / (1 - change / 2), 2 * (1 - NormalDist().cdf(normal)))


def warm_up(launches: Sequence[Array]) -> WarmUp | None:
    """Return how many of the first values of every launch are unlike the others, None for none.

    `launches` holds the values of each in the order of time, above zero. Where to cut is MSER-5's
    answer (White, Cobb & Spratt, "A Comparison of Five Steady-State Truncation Heuristics for
    Simulation", WSC 2000) on batches of 5: the cut that leaves the mean of the rest known best, if
    it is in the first half. A batch's value is the median, over launches, of its median, so that
    neither one long time nor one launch decides. Whether it is chance, Mann & Whitney's test says.
    """
    length = min(len(values) for values in launches) // _BATCH
    if length < 10:
        return None
    batches = min(length, _MOST_BATCHES)
    # Long launches are seen in batches of more values, not cut.
    size = length // batches * _BATCH
    table = np.stack([values[: batches * size].reshape(batches, size) for values in launches])
    medians = np.median(table, axis=2)
    levels = np.median(medians, axis=1, keepdims=True)
    if not np.all(levels > 0):
        return None
    series = np.median(medians / levels, axis=0)
    cut = _truncation(series)
    if not cut:
        return None
    early, rest = series[:cut], series[cut:]
    # The p-value of as many independent batches as these are worth.
    away = NormalDist().inv_cdf(max(rank_test(early, rest) / 2, 1e-300))
    p_value = 2 * NormalDist().cdf(away * math.sqrt(independence(rest)))
    return WarmUp(cut * size, float(np.median(early) / np.median(rest)), p_value)


def _truncation(series: Array) -> int:
    """Return how many values to leave out so that the error of the rest is about the smallest."""
    left = np.arange(len(series), 0, -1)
    sums = np.cumsum(series[::-1])[::-1]
    squares = np.cumsum(series[::-1] ** 2)[::-1]
    error = (squares - sums**2 / left) / left**2
    possible = error[: max(len(series) - 5, 1)]
    # Luck alone makes some longer cut a little better still.
    cut = int((possible <= possible.min() * _ABOUT).argmax())
    return cut if cut <= len(series) // 2 else 0
