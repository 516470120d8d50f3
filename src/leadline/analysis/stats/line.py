"""A straight line fitted to times that span decades."""

from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Array

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
