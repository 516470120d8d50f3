"""Quantiles far from the median, whose sampling unit is the launch: p90 and p99."""

import math
from collections.abc import Sequence

import numpy as np

from leadline.analysis.stats.launches import FEWEST_SAMPLES, estimate
from leadline.analysis.stats.statistics import (
    Array,
    Interval,
    effective_count,
    product_interval,
    quantile_interval,
)

# So many independent samples of each launch lie beyond a quantile that is asked of it.
_BEYOND = 2.0

# From so many on it knows its own.
_KNOWN_BEYOND = 10.0

# So many samples beyond a quantile show for how long they stay there.
_FEWEST_BEYOND = 50

# Chance exceeds so many standard deviations in one of a thousand cases.
_SELDOM = 3.09


def quantile_over_launches(launches: Sequence[Array], quantile: float) -> Interval | None:
    """Return the interval of what a launch has for `quantile`, or None for too few samples.

    `launches` holds the seconds of each in the order of measurement (none is empty).

    - One: order statistics of its samples.
    - Several: the median over launches, as `estimate` has it, of each one's quantile. These are
      taken so that their median is right (number 8 of Hyndman & Fan, "Sample Quantiles in
      Statistical Packages", 1996).
    - 6 and more that are worth fewer than ten samples beyond the quantile each, and scatter alike
      around their own medians: each knows its quantile badly, with an error that is as skewed as
      the tail, and the median of so many shows it. So the quantile of all samples over their
      launch's median, from order statistics, times the median over launches, both intervals
      combined (`product_interval`).

    Several have none unless each launch is worth two samples beyond the quantile.
    """
    part = min(quantile, 1 - quantile) / len(launches)
    if sum(map(len, launches)) * part < _BEYOND:
        return None
    worth = [_worth_beyond(values, quantile) for values in launches]
    if len(launches) == 1:
        return quantile_interval(np.sort(launches[0]), quantile, effective=worth[0])
    beyond = sum(worth) * part
    if beyond < _BEYOND:
        return None
    medians = [float(np.median(values)) for values in launches]
    if len(launches) >= FEWEST_SAMPLES and beyond < _KNOWN_BEYOND and min(medians) > 0:
        relative = [values / median for values, median in zip(launches, medians, strict=True)]
        if _scatter_alike(relative, quantile, worth):
            return _of_pooled(launches, np.sort(np.concatenate(relative)), quantile, sum(worth))
    of_launch = [np.quantile(values, quantile, method="median_unbiased") for values in launches]
    return estimate([np.array([value]) for value in of_launch]).interval


def _of_pooled(
    launches: Sequence[Array], relative: Array, quantile: float, worth: float
) -> Interval | None:
    """Return the interval of a quantile of `relative`, ascending, times the launches' median."""
    level = estimate(launches)
    ends = quantile_interval(relative, quantile, effective=worth)
    if level.interval is None or ends is None:
        return None
    middle = float(np.quantile(relative, quantile, method="median_unbiased"))
    return product_interval(level.median, level.interval, middle, ends)


def _worth_beyond(values: Array, quantile: float) -> float:
    """Return how many independent samples the `values` of a launch are worth to a quantile.

    How long samples stay beyond it shows where enough of them are: else those beyond the next
    quantile of which there are stand for them.
    """
    outside = min(0.5, _FEWEST_BEYOND / len(values))
    return effective_count(values, min(max(quantile, outside), 1 - outside))


def _scatter_alike(relative: Sequence[Array], quantile: float, worth: Sequence[float]) -> bool:
    """Tell whether as many samples of each launch lie beyond the common quantile, but for chance.

    By Pearson's chi-squared of the counts, which are worth `worth` samples each; its distribution
    by Wilson & Hilferty ("The Distribution of Chi-square", Proceedings of the National Academy of
    Sciences 17, 1931).
    """
    common = float(np.quantile(np.concatenate(relative), quantile))
    shares = np.array([float(np.mean(values > common)) for values in relative])
    counts = np.asarray(worth)
    share = float(counts @ shares) / float(counts.sum())
    if not 0 < share < 1:
        return True
    squares = float(counts @ np.square(shares - share)) / (share * (1 - share))
    freedom = len(relative) - 1
    third = 2 / (9 * freedom)
    return bool((squares / freedom) ** (1 / 3) < 1 - third + _SELDOM * math.sqrt(third))
