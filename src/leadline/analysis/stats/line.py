"""Lines fitted to times: of messages by their size, and of work, carried on to more of it.

The logarithm of the time of a program is taken for a smooth trend over that of the work: a line
whose slope drifts, as a random walk (the local linear trend of Harvey, "Forecasting, Structural
Time Series Models and the Kalman Filter", Cambridge 1989, section 2.3, without noise of the level).
So the last slope goes on, whatever the order of the program, and how much slopes have changed from
work to work, as where data outgrow a cache, says how far the prediction may be off: by Student's t
with as many degrees of freedom as there were changes.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import CONFIDENCE, Array
from leadline.analysis.stats.student import t_quantile

# The fit tries every pair of sizes: so many are enough to find a line.
_MOST_FITTED = 64


class Line(NamedTuple):
    """Time in seconds of a message of n bytes: `latency_s` + n * `seconds_per_byte`."""

    latency_s: float
    seconds_per_byte: float


def fit_line(moved: Array, seconds: Array) -> Line:
    """Return the line with the least sum of absolute relative deviations.

    Shapes (n,), bytes (ascending) and seconds, above zero, n >= 2. Relative, because times span
    decades; absolute, because one disturbed size must not bend the line. Such a line passes
    through two of the points (Bloomfield & Steiger, "Least Absolute Deviations", 1983), so all
    pairs are tried. Only lines with a latency of zero or more and a rising time count.
    """
    if len(moved) > _MOST_FITTED:
        kept = np.linspace(0, len(moved) - 1, _MOST_FITTED).round().astype(int)
        moved, seconds = moved[kept], seconds[kept]
    first, second = np.triu_indices(len(moved), 1)
    slope = (seconds[second] - seconds[first]) / (moved[second] - moved[first])
    latency = seconds[first] - slope * moved[first]
    possible = (slope > 0) & (latency >= 0)
    # Where time grows faster than size, the best line is one through the origin.
    slope = np.concatenate((slope[possible], seconds / moved))
    latency = np.concatenate((latency[possible], np.zeros(len(moved))))
    deviation = np.abs((latency[:, None] + slope[:, None] * moved) / seconds - 1).sum(axis=1)
    best = int(deviation.argmin())
    return Line(float(latency[best]), float(slope[best]))


# Two times have one slope, which cannot be seen to change.
FEWEST = 3
# Of more works the largest count: small ones fit into caches and take latencies.
_LAST = 5


class Predicted(NamedTuple):
    """A time in seconds with the ends of its 95 % prediction interval."""

    seconds: float
    low: float
    high: float


def predict_growth(
    work: Sequence[float], seconds: Sequence[float], further: Sequence[float]
) -> list[Predicted]:
    """Return the times of `further` work, which ascends from above the last of `work`.

    `work` ascends, in any unit. Returns nothing from fewer than three works or without times.

    >>> predict_growth([1, 4, 16], [0.1, 0.4, 1.6], [64])
    [Predicted(seconds=6.4, low=6.4, high=6.4)]
    """
    if len(work) < FEWEST or min(*seconds, *work) <= 0:
        return []
    x, y = np.log(work[-_LAST:]), np.log(seconds[-_LAST:])
    steps = np.diff(x)
    slopes = np.diff(y) / steps
    # Slopes stand in the middle of their steps; a walk's variance grows with the way.
    ways = (steps[:-1] + steps[1:]) / 2
    changes = np.diff(slopes)
    variance = float((changes**2 / ways).mean())
    quantile = t_quantile(CONFIDENCE, len(changes))
    found = []
    ahead = np.diff([x[-1], *np.log(further)])
    between = (np.array([steps[-1], *ahead[:-1]]) + ahead) / 2
    for count in range(1, len(ahead) + 1):
        # Each change of the slope is carried over all steps from its own on.
        carried = np.cumsum(ahead[:count][::-1])[::-1]
        deviation = math.sqrt(variance * float((between[:count] * carried**2).sum()))
        middle = float(y[-1] + slopes[-1] * ahead[:count].sum())
        ends = (middle, middle - quantile * deviation, middle + quantile * deviation)
        found.append(Predicted(*(float(f"{math.exp(min(each, 700.0)):.12g}") for each in ends)))
    return found
