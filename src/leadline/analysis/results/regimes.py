"""A curve of time against message size as straight pieces, each a latency and a rate.

The model of Hockney and of LogGP (Alexandrov, Ionescu, Schauser & Scheiman, "LogGP: Incorporating
Long Messages into the LogP Model", SPAA 1995): a message of n bytes takes L + 2 o + (n - 1) G. One
protocol is one line, so a library is several of them.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from leadline.analysis.stats import launches
from leadline.analysis.stats.line import fit_line
from leadline.analysis.stats.statistics import Array, Interval
from leadline.analysis.stats.trend import Table
from leadline.model.summary import PointSummary, Regime

# Two sizes are always on a line, three often by chance.
_FEWEST_SIZES = 4

# A line that misses its sizes by less than this on average describes them.
_TOLERANCE = 0.05

# A cut must take away this part of what one line misses.
_GAIN = 0.5


def regimes(curve: Sequence[PointSummary], switches: Sequence[int]) -> tuple[Regime, ...]:
    """Return the straight pieces of a curve, ascending in size; none for fewer than 4 sizes.

    `switches` are sizes from which another protocol is known to be used. Between them a piece is
    cut in two, at the size that leaves the least, as long as its line misses the sizes by 5 % on
    average and two lines take away half of that (binary segmentation). The intervals are over
    launches: each has a curve and a line of its own.
    """
    used = [point for point in curve if point.bytes and point.median_s > 0]
    sizes = np.array([float(point.bytes or 0) for point in used])
    seconds = np.array([point.median_s for point in used])
    starts = [0, *np.searchsorted(sizes, sorted(switches)).tolist(), len(used)]
    found = []
    for low, high in itertools.pairwise(starts):
        for first, last in _pieces(sizes, seconds, low, high):
            found.append(_regime(used[first:last]))
    return tuple(found)


def _pieces(sizes: Array, seconds: Array, low: int, high: int) -> list[tuple[int, int]]:
    if high - low < _FEWEST_SIZES:
        return []
    missed = _residuals(sizes[low:high], seconds[low:high])
    cuts = range(low + _FEWEST_SIZES, high - _FEWEST_SIZES + 1)
    if missed.mean() <= _TOLERANCE or not cuts:
        return [(low, high)]
    left = {
        cut: float(
            _residuals(sizes[low:cut], seconds[low:cut]).sum()
            + _residuals(sizes[cut:high], seconds[cut:high]).sum()
        )
        for cut in cuts
    }
    best = min(left, key=left.__getitem__)
    if left[best] > (1 - _GAIN) * missed.sum():
        return [(low, high)]
    return [*_pieces(sizes, seconds, low, best), *_pieces(sizes, seconds, best, high)]


def _residuals(sizes: Array, seconds: Array) -> Array:
    """Return by which part of the time the line misses each size."""
    line = fit_line(sizes, seconds)
    found: Array = np.abs((line.latency_s + line.seconds_per_byte * sizes) / seconds - 1)
    return found


def _regime(piece: Sequence[PointSummary]) -> Regime:
    sizes = np.array([float(point.bytes or 0) for point in piece])
    seconds = np.array([point.median_s for point in piece])
    line, missed = fit_line(sizes, seconds), _residuals(sizes, seconds)
    counts = {len(point.launch_medians_s) for point in piece}
    table = [point.launch_medians_s for point in piece] if len(counts) == 1 else [()]
    ends = line_intervals(sizes, np.array(table))
    (low, high), (low_slope, high_slope) = (
        (end.hull(Interval(value, value)) for end, value in zip(ends, line, strict=True))
        if ends
        else ((None, None), (None, None))
    )
    return Regime(
        from_bytes=int(sizes[0]),
        to_bytes=int(sizes[-1]),
        latency_s=line.latency_s,
        latency_low_s=low,
        latency_high_s=high,
        seconds_per_byte=line.seconds_per_byte,
        seconds_per_byte_low=low_slope,
        seconds_per_byte_high=high_slope,
        mean_residual=float(missed.mean()),
        largest_residual=float(missed.max()),
    )


def line_intervals(sizes: Array, table: Table) -> tuple[Interval, Interval] | None:
    """Return the intervals of latency in seconds and of seconds per byte, or None.

    `sizes` in bytes have the shape (sizes,), `table` the launches' medians in seconds, shape
    (sizes, launches). Each launch has a line of its own, and launches are what is sampled. None for
    one launch, and where a time is not above zero.
    """
    if table.shape[1] < 2 or not np.all(table > 0):
        return None
    lines = [fit_line(sizes, column) for column in table.T]
    latency, per_byte = (
        launches.estimate([np.array([value]) for value in values]).interval
        for values in zip(*lines, strict=True)
    )
    return (latency, per_byte) if latency and per_byte else None
