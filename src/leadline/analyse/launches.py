"""The interval of a figure whose sampling unit is the launch.

Inside one start of a program the times are alike; between starts pages, cores and connections
change, and with them the figure. Many samples of one launch say little of the next one (Hunold &
Carpen-Amarie, "Reproducible MPI Benchmarking Is Still Not As Easy As You Think", TPDS 2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from leadline.analyse.statistics import Interval, effective_count, quantile_interval

if TYPE_CHECKING:
    from leadline.analyse.statistics import Array

# The 97.5 % points of Student's t for 1 to 4 degrees of freedom, as any table has them.
_STUDENT = (12.706204736, 4.302652730, 3.182446305, 2.776445105)

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
    import numpy as np

    ordered = np.sort(values)
    worth = effective_count(values) if worth is None else worth
    interval = quantile_interval(ordered, effective=worth)
    return interval or Interval(float(ordered[0]), float(ordered[-1]))


def estimate(launches: Sequence[Array], worth: float | None = None) -> Estimate:
    """Return the median of the launches' medians with its 95 % interval.

    `launches` holds, for each launch, seconds in the order of measurement (none is empty); `worth`
    is their effective number together, where it is known already.

    - From 6 launches: order statistics of the launches' medians, which assume nothing.
    - 2 to 5: Student's t on the logarithms of the launches' medians. It assumes that launches
      scatter by a factor, about normally on a logarithmic scale: so few cannot show their own
      shape. It ends at a factor of 1000 either way, and is never narrower than the interval that
      pools the samples of all launches.
    - One: order statistics within it, which say nothing of other launches.
    """
    import numpy as np

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


def _student(medians: Array) -> Interval:
    import numpy as np

    # A time of zero or below is a fault that a rule reports; it has no logarithm.
    logarithmic = bool(np.all(medians > 0))
    scale = np.log(medians) if logarithmic else medians
    count = len(medians)
    centre = float(scale.mean())
    half = _STUDENT[count - 2] * float(scale.std(ddof=1)) / math.sqrt(count)
    if not logarithmic:
        return Interval(centre - half, centre + half)
    # Two launches that differ tenfold already give a factor of a million: nothing is known.
    half = min(half, math.log(_UNKNOWN_FACTOR))
    return Interval(math.exp(centre - half), math.exp(centre + half))
