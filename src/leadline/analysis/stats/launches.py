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

# An interval that reaches this factor both ways says that nothing is known; wider ones say no more.
_UNKNOWN_FACTOR = 1000.0


class Estimate(NamedTuple):
    """A median in seconds over launches, its 95 % interval, and in words where that is from."""

    median: float
    interval: Interval
    method: str


def within_launch_interval(values: Array, worth: float | None = None) -> Interval:
    """Return the interval of the median of one launch, from its order statistics.

    `values` holds seconds in the order of measurement, shape (n,), n >= 1; what neighbours have
    in common widens it, by their effective number `worth`. With too few samples for 95 % it is
    their whole range.
    """
    ordered = np.sort(values)
    worth = effective_count(values) if worth is None else worth
    interval = quantile_interval(ordered, effective=worth)
    return interval or Interval(float(ordered[0]), float(ordered[-1]))


def estimate(launches: Sequence[Array], worth: float | None = None) -> Estimate:
    """Return the median of the launches' medians with its 95 % interval.

    `launches` holds, for each launch, seconds in the order of measurement (none is empty); `worth`
    is their effective number together, where it is known already.

    - From 6 launches: interpolated order statistics of the launches' medians: nothing is assumed.
    - 2 to 5: Student's t on the logarithms of the launches' medians. It assumes that launches
      scatter by a factor, about normally on a logarithmic scale: so few cannot show their own
      shape. It ends at a factor of 1000 either way, and is never narrower than the interval that
      pools the samples of all launches.
    - One: order statistics within it, which say nothing of other launches.
    """
    medians = np.array([np.median(values) for values in launches])
    median = float(np.median(medians))
    if len(launches) == 1:
        few = quantile_interval(np.sort(launches[0])) is None
        method = "range of too few samples" if few else "order statistics"
        return Estimate(
            median, within_launch_interval(launches[0], worth), f"{method} within one launch"
        )
    across = quantile_interval(np.sort(medians))
    if across:
        return Estimate(median, across, f"order statistics over {len(launches)} launches")
    interval = _student(medians).hull(Interval(median, median))
    if worth is None:
        worth = sum(effective_count(values) for values in launches)
    pooled = quantile_interval(np.sort(np.concatenate(launches)), effective=worth)
    return Estimate(
        median,
        interval.hull(pooled) if pooled else interval,
        f"t of the logarithms of {len(launches)} launches' medians",
    )


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


def _student(medians: Array) -> Interval:
    # A time of zero or below is a fault that a rule reports; it has no logarithm.
    logarithmic = bool(np.all(medians > 0))
    scale = np.log(medians) if logarithmic else medians
    count = len(medians)
    centre = float(scale.mean())
    half = t_quantile(CONFIDENCE, count - 1) * float(scale.std(ddof=1)) / math.sqrt(count)
    if not logarithmic:
        return Interval(centre - half, centre + half)
    # Two launches that differ tenfold already give a factor of a million: nothing is known.
    half = min(half, math.log(_UNKNOWN_FACTOR))
    return Interval(math.exp(centre - half), math.exp(centre + half))
