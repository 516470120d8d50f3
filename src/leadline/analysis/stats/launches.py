"""The interval of a figure whose sampling unit is the launch.

Inside one start of a program the times are alike; between starts pages, cores and connections
change, and with them the figure. Many samples of one launch say little of the next one (Hunold &
Carpen-Amarie, "Reproducible MPI Benchmarking Is Still Not As Easy As You Think", TPDS 2016).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import (
    CONFIDENCE,
    Array,
    Interval,
    effective_count,
    quantile_interval,
)
from leadline.analysis.stats.student import t_quantile

# So many independent samples of each launch lie beyond a quantile that is asked of it.
_BEYOND = 2.0

# An interval that reaches this factor both ways says that nothing is known.
_UNKNOWN_FACTOR = 1000.0

# Fewer independent samples have no order statistics that enclose a median with 95 %.
FEWEST_SAMPLES = 6


# Launches of which one knows its median so much worse than another (as variances) are weighted.
_UNEQUAL = 2.0

# The standard error of a median of so many independent values is this over their root, times their
# standard deviation, where they are about normal.
_OF_MEDIAN = math.sqrt(math.pi / 2)

# The half-width of a 95 % interval in standard errors.
_HALF_WIDTH = 1.96


class Estimate(NamedTuple):
    """A median in seconds over launches, its 95 % interval, and in words where that is from.

    Without an interval the words say why, and what would give one.
    """

    median: float
    interval: Interval | None
    method: str


def within_launch_interval(values: Array, worth: float | None = None) -> Interval | None:
    """Return the interval of the median of one launch, from its order statistics.

    `values` holds seconds in the order of measurement, shape (n,), n >= 1; what neighbours have
    in common widens it, by their effective number `worth`. None where these are too few for 95 %.
    """
    worth = effective_count(values) if worth is None else worth
    return quantile_interval(np.sort(values), effective=worth)


def estimate(launches: Sequence[Array], worth: Sequence[float] | None = None) -> Estimate:
    """Return the median of the launches' medians with its 95 % interval.

    `launches` holds, for each launch, seconds in the order of measurement (none is empty); `worth`
    is the effective number of each, where it is known already.

    - From 6 launches: interpolated order statistics of the launches' medians: nothing is assumed.
    - 2 to 5: Student's t on the logarithms of the launches' medians. It assumes that launches
      scatter by a factor, about normally on a logarithmic scale: so few cannot show their own
      shape. It is never narrower than the interval that pools the samples of all launches. There is
      none where it would reach a factor of 1000 either way.
    - Launches that know their own medians unequally well: each weighs as much as it knows, in the
      median and in Student's t of the random-effects model (Hartung & Knapp, "A refined method for
      the meta-analysis of controlled clinical trials with binary outcome", Statistics in Medicine
      20, 2001; the scatter between launches is what that of their medians exceeds theirs within).
    - One: order statistics within it, which say nothing of other launches. There is none for fewer
      than 6 independent samples.
    """
    medians = np.array([np.median(values) for values in launches])
    if len(launches) == 1:
        return _of_one(launches[0], None if worth is None else worth[0])
    if worth is None:
        worth = [effective_count(values) for values in launches]
    weights = _weights(launches, medians, worth)
    median = _weighted_median(medians, weights)
    if weights is None and (across := quantile_interval(np.sort(medians))):
        return Estimate(median, across, f"order statistics over {len(launches)} launches")
    weighted = "" if weights is None else ", weighted by what each knows"
    method = f"t of the logarithms of {len(launches)} launches' medians{weighted}"
    interval = _student(medians, weights)
    if interval is None:
        return Estimate(
            median, None, f"none: {len(launches)} launches differ too much, 6 or more give one"
        )
    interval = interval.hull(Interval(median, median))
    pooled = quantile_interval(np.sort(np.concatenate(launches)), effective=sum(worth))
    return Estimate(median, interval.hull(pooled) if pooled else interval, method)


def _of_one(values: Array, worth: float | None) -> Estimate:
    median = float(np.median(values))
    interval = within_launch_interval(values, worth)
    if interval:
        return Estimate(median, interval, "order statistics within one launch")
    few = f"{len(values)} sample{'s' if len(values) > 1 else ''}"
    if len(values) >= FEWEST_SAMPLES:
        few += " that are alike as neighbours are"
    return Estimate(
        median,
        None,
        f"none: one launch with {few}, where {FEWEST_SAMPLES} independent ones or a second launch "
        "give one",
    )


def _weights(launches: Sequence[Array], medians: Array, worth: Sequence[float]) -> Array | None:
    """Return one over the variance of each launch's median (of logarithms), or None.

    None where all weigh about the same.
    """
    if not np.all(medians > 0) or all(len(values) < 2 for values in launches):
        return None
    within = _squared_errors(launches, worth)
    if within is None:
        return None
    variances = _between(np.log(medians), within) + within
    if variances.max() <= _UNEQUAL * variances.min():
        return None
    # One that seems to know all, by a clock with coarse steps, is not the only one that counts.
    weights: Array = 1 / np.maximum(variances, 1e-3 * variances.max())
    return weights


def _between(logarithms: Array, within: Array) -> float:
    """Return the variance between launches beyond that `within` each, all of logarithms.

    That for which the weighted squares sum up to what chance makes of them (Paule & Mandel,
    "Consensus Values and Weighting Factors", Journal of Research of the National Bureau of
    Standards 87, 1982), by halving an interval.
    """
    # A clock with coarse steps leaves launches that seem to know all.
    least = max(1e-9 * float(within.max()), 1e-18)

    def excess(between: float) -> float:
        weights = 1 / np.maximum(between + within, least)
        centre = float(weights @ logarithms) / float(weights.sum())
        return float(weights @ np.square(logarithms - centre)) - (len(within) - 1)

    low, high = 0.0, float(np.var(logarithms, ddof=1)) + float(within.max())
    if high <= 0 or excess(low) <= 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _squared_errors(launches: Sequence[Array], worth: Sequence[float]) -> Array | None:
    """Return the squared standard error of the logarithm of each launch's median, or None.

    A launch with too few samples is taken to scatter as the others do.
    """
    errors = np.full(len(launches), np.nan)
    for index, (values, count) in enumerate(zip(launches, worth, strict=True)):
        interval = within_launch_interval(values, count)
        if interval and interval.low > 0:
            errors[index] = math.log(interval.high / interval.low) / (2 * _HALF_WIDTH)
    known = np.isfinite(errors)
    if not known.any():
        return None
    counts = np.asarray(worth, dtype=float)
    scatter = float(np.median(errors[known] * np.sqrt(counts[known]))) / _OF_MEDIAN
    errors[~known] = scatter * _OF_MEDIAN / np.sqrt(counts[~known])
    squared: Array = errors * errors
    return squared


def _weighted_median(medians: Array, weights: Array | None) -> float:
    """Return the value below and above which half of the weight lies, or the plain median."""
    if weights is None:
        return float(np.median(medians))
    order = np.argsort(medians)
    below = np.cumsum(weights[order])
    middle = int(np.searchsorted(below, below[-1] / 2))
    return float(medians[order][middle])


def quantile_over_launches(
    launches: Sequence[Array], quantile: float, worth: float
) -> Interval | None:
    """Return the interval of what a launch has for `quantile`, or None for too few samples.

    `launches` holds the seconds of each, `worth` their effective number together. Of one launch it
    is that of its samples' order statistics; of several that of the median over launches, as
    `estimate` has it, of each one's quantile. These are taken so that their median is right (number
    8 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", 1996), which takes samples that
    are worth two beyond the quantile in each launch.
    """
    if len(launches) == 1:
        return quantile_interval(np.sort(launches[0]), quantile, effective=worth)
    if worth / len(launches) * min(quantile, 1 - quantile) < _BEYOND:
        return None
    of_launch = [np.quantile(values, quantile, method="median_unbiased") for values in launches]
    return estimate([np.array([value]) for value in of_launch]).interval


def _student(medians: Array, weights: Array | None) -> Interval | None:
    """Return Student's interval of the centre of the launches, None where nothing is known."""
    # A time of zero or below is a fault that a rule reports; it has no logarithm.
    logarithmic = bool(np.all(medians > 0))
    scale = np.log(medians) if logarithmic else medians
    count = len(medians)
    parts = np.full(count, 1 / count) if weights is None else weights / weights.sum()
    centre = float(parts @ scale)
    # So many launches of equal weight would tell as much.
    freedom = max(1.0, 1 / float(parts @ parts) - 1)
    variance = float(parts @ np.square(scale - centre)) / freedom
    if weights is not None:
        # Where one launch has nearly all the weight, the others' agreement shows nothing.
        variance = max(variance, 1 / float(weights.sum()))
    half = t_quantile(CONFIDENCE, freedom) * math.sqrt(variance)
    if not logarithmic:
        return Interval(centre - half, centre + half)
    # Two launches that differ tenfold already give a factor of a million.
    if half > math.log(_UNKNOWN_FACTOR):
        return None
    return Interval(math.exp(centre - half), math.exp(centre + half))
