"""The median and other quantiles of a figure whose sampling unit is the launch.

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
    UNKNOWN,
    Array,
    Interval,
    effective_count,
    median_of,
    neighbours_are_alike,
    product_interval,
    quantile_interval,
)
from leadline.analysis.stats.student import t_quantile

# Few launches are not taken to agree more closely than their samples do with this confidence: with
# 95 % the interval would hold the truth in 98 % where launches have a heavy tail.
_POOLED_CONFIDENCE = 0.80

# Fewer independent samples have no order statistics that enclose a median with 95 %.
FEWEST_SAMPLES = 6

# Samples that resemble their neighbours show for how long from so many independent ones on.
_WORTH_OF_ALIKE = 50

# Launches of which one knows its median so much worse than another (as variances) are weighted.
# From 40 samples of each chance makes a factor of four in one of twenty cases, and weights that
# chance has made cost more than they gain.
_UNEQUAL = 10.0

# The standard error of a median of so many independent values is this over their root, times their
# standard deviation, where they are about normal.
_OF_MEDIAN = math.sqrt(math.pi / 2)

# The half-width of a 95 % interval in standard errors.
_HALF_WIDTH = 1.96

# An interval that is halved so often is known to all digits.
_HALVINGS = 60

# Logarithms and their inverses round equal times to this part of them at most; no clock is as fine.
_ROUNDING = 1e-12


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

    - From 6 launches: interpolated order statistics of the launches' medians: nothing is assumed
      of how launches scatter. Where that is skewed, the errors of few samples move the median of
      medians to the long side; they are added once more to see how far, and the interval reaches
      as far back (the extrapolation of Cook & Stefanski, "Simulation-Extrapolation Estimation in
      Parametric Measurement Error Models", Journal of the American Statistical Association 89,
      1994).
    - 2 to 5: Student's t on the logarithms of the launches' medians. It assumes that launches
      scatter by a factor, about normally on a logarithmic scale: so few cannot show their own
      shape. Launches may agree by luck, or by a clock's step: it is never narrower than the 80 %
      interval that pools the samples of all launches. There is none where it would reach a factor
      of 1000 either way.
    - Launches that know their own medians unequally well: each weighs as much as it knows, in the
      median and in Student's t of the random-effects model (Hartung & Knapp, "A refined method for
      the meta-analysis of controlled clinical trials with binary outcome", Statistics in Medicine
      20, 2001; the scatter between launches is what that of their medians exceeds theirs within).
    - One: order statistics within it, which say nothing of other launches. There is none for fewer
      than 6 independent samples; nor for samples that resemble their neighbours, before they are
      worth 50 independent ones: fewer do not show for how long they do (Foreman-Mackey et al.,
      "emcee: The MCMC Hammer", Publications of the Astronomical Society of the Pacific 125, 2013,
      asks for 50 autocorrelation times, too).
    - None: a median of 0, which nothing is compared with, and no interval.

    The interval of equal times is their value: what rounding makes of it is none.
    """
    found = _estimate(launches, worth)
    ends = found.interval
    if ends and ends.high - ends.low <= _ROUNDING * abs(found.median):
        return found._replace(interval=Interval(found.median, found.median))
    return found


def _estimate(launches: Sequence[Array], worth: Sequence[float] | None) -> Estimate:
    if not launches:
        return Estimate(0.0, None, "none: no launch was measured")
    medians = np.array([median_of(values) for values in launches])
    if len(launches) == 1:
        return _of_one(launches[0], None if worth is None else worth[0])
    if worth is None:
        worth = [effective_count(values) for values in launches]
    errors = _squared_errors(launches, medians, worth)
    weights = None if errors is None else _weights(medians, errors)
    median = _weighted_median(medians, weights)
    if weights is None and (across := quantile_interval(np.sort(medians))):
        if errors is not None:
            moved = math.exp(-_moved_by_errors(np.log(medians), np.sqrt(errors)))
            across = across.hull(Interval(across.low * moved, across.high * moved))
        return Estimate(median, across, f"order statistics over {len(launches)} launches")
    weighted = "" if weights is None else ", weighted by what each knows"
    method = f"t of the logarithms of {len(launches)} launches' medians{weighted}"
    interval = _student(medians, weights)
    if interval is None:
        return Estimate(
            median, None, f"none: {len(launches)} launches differ too much, 6 or more give one"
        )
    interval = interval.hull(Interval(median, median))
    every = np.sort(np.concatenate(launches))
    pooled = quantile_interval(every, effective=sum(worth), confidence=_POOLED_CONFIDENCE)
    return Estimate(median, interval.hull(pooled) if pooled else interval, method)


def _of_one(values: Array, worth: float | None) -> Estimate:
    median = median_of(values)
    worth = effective_count(values) if worth is None else worth
    interval = within_launch_interval(values, worth)
    if interval and (worth >= _WORTH_OF_ALIKE or not neighbours_are_alike(values)):
        return Estimate(median, interval, "order statistics within one launch")
    few = f"{len(values)} sample{'s' if len(values) > 1 else ''}"
    needed = FEWEST_SAMPLES
    if len(values) >= FEWEST_SAMPLES:
        few += " that are alike as neighbours are"
        needed = _WORTH_OF_ALIKE
    return Estimate(
        median,
        None,
        f"none: one launch with {few}, where {needed} independent ones or a second launch give one",
    )


def _moved_by_errors(logarithms: Array, errors: Array) -> float:
    """Return by how much normal errors of this size, shape (n,), move the median of `logarithms`.

    The median of the mixture of all of them, by halving an interval.
    """
    middle = median_of(logarithms)
    spread = errors * math.sqrt(2)
    if not np.all(spread > 0):
        return 0.0
    low, high = float(logarithms.min()), float(logarithms.max())
    for _ in range(_HALVINGS):
        tried = (low + high) / 2
        below = sum(map(math.erf, ((tried - logarithms) / spread).tolist()))
        low, high = (tried, high) if below < 0 else (low, tried)
    return (low + high) / 2 - middle


def _weights(medians: Array, within: Array) -> Array | None:
    """Return one over the variance of each launch's median (of logarithms), or None.

    `within` has the variance of each launch's median by its own samples. None where all weigh about
    the same.
    """
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
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _squared_errors(
    launches: Sequence[Array], medians: Array, worth: Sequence[float]
) -> Array | None:
    """Return the squared standard error of the logarithm of each launch's median, or None.

    A launch with too few samples is taken to scatter as the others do. None where no launch has
    enough, or a median is not above zero.
    """
    if not np.all(medians > 0) or all(len(values) < 2 for values in launches):
        return None
    errors = np.full(len(launches), np.nan)
    for index, (values, count) in enumerate(zip(launches, worth, strict=True)):
        interval = within_launch_interval(values, count)
        if interval and interval.low > 0:
            errors[index] = math.log(interval.high / interval.low) / (2 * _HALF_WIDTH)
    known = np.isfinite(errors)
    if not known.any():
        return None
    counts = np.asarray(worth, dtype=float)
    scatter = median_of(errors[known] * np.sqrt(counts[known])) / _OF_MEDIAN
    errors[~known] = scatter * _OF_MEDIAN / np.sqrt(counts[~known])
    squared: Array = errors * errors
    return squared


def _weighted_median(medians: Array, weights: Array | None) -> float:
    """Return the value below and above which half of the weight lies, or the plain median."""
    if weights is None:
        return median_of(medians)
    order = np.argsort(medians)
    below = np.cumsum(weights[order])
    middle = int(np.searchsorted(below, below[-1] / 2))
    return float(medians[order][middle])


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
    if half > UNKNOWN:
        return None
    return Interval(math.exp(centre - half), math.exp(centre + half))


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
    if not launches:
        return None
    part = min(quantile, 1 - quantile) / len(launches)
    if sum(map(len, launches)) * part < _BEYOND:
        return None
    worth = [_worth_beyond(values, quantile) for values in launches]
    if len(launches) == 1:
        return quantile_interval(np.sort(launches[0]), quantile, effective=worth[0])
    beyond = sum(worth) * part
    if beyond < _BEYOND:
        return None
    medians = [median_of(values) for values in launches]
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
