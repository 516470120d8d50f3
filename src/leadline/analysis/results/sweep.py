"""Curves over message sizes: their parameters, and the sizes at which a library switches.

A curve is straight pieces, each a latency and a rate: the model of Hockney and of LogGP
(Alexandrov, Ionescu, Schauser & Scheiman, "LogGP: Incorporating Long Messages into the LogP Model",
SPAA 1995): a message of n bytes takes L + 2 o + (n - 1) G. One protocol is one line, so a library
is several of them.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats import launches
from leadline.analysis.stats.line import Line, fit_line
from leadline.analysis.stats.statistics import Array, Interval, Matrix
from leadline.model.description import Benchmark
from leadline.model.run import variant
from leadline.model.summary import PointSummary, Regime, Sweep

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


def line_intervals(sizes: Array, table: Matrix) -> tuple[Interval, Interval] | None:
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


MINIMUM_SIZES = 4

# A step below a fifth is not told from the wobble of a smooth curve measured within 2 %.
SMALLEST_STEP = math.log(1.2)

# A straight line is believed where it meets so many of the sizes within the tolerance.
_TOLERANCE, _MET = 0.10, 0.75

# What a figure without an interval is taken to err by, on a logarithmic scale.
_UNKNOWN_ERROR = 0.05

# Beyond what libraries do at a step of two, and means of an undisturbed machine by chance.
_ERRATIC = math.log(1.2)


# A step between two sizes counts only where the larger is at most so many times the smaller.
NEAR_SIZES = 4


class Step(NamedTuple):
    """A jump between two neighbouring sizes: `factor` is beyond smooth growth, below 1 if down."""

    position: int
    factor: float


def sweeps(
    points: Sequence[PointSummary], benchmarks: Sequence[Benchmark] = ()
) -> tuple[Sweep, ...]:
    """Return a sweep for each set of points equal in all but size, of at least 4 sizes.

    Those of `benchmarks` whose sizes are neither of messages nor a program's to choose have none.
    """
    others = {each.name for each in benchmarks if not (each.messages or each.sizes)}
    curves: dict[object, dict[int, int]] = defaultdict(dict)
    for index, point in enumerate(points):
        if point.bytes is not None and point.benchmark not in others:
            curves[_curve(point)].setdefault(point.bytes, index)
    return tuple(
        _sweep(points, [by_size[size] for size in sorted(by_size)])
        for by_size in curves.values()
        if len(by_size) >= MINIMUM_SIZES
    )


def _curve(point: PointSummary) -> object:
    axes = variant(point.axes, point.conditions)
    shape = (point.processes, point.nodes, point.processes_per_node)
    return (point.benchmark, point.series, axes, point.mpi, *shape)


def _sweep(points: Sequence[PointSummary], indices: Sequence[int]) -> Sweep:
    curve = [points[index] for index in indices]
    fastest = max(curve, key=lambda point: point.bandwidth_MBps or 0.0)
    asymptotic, half_size = hockney(curve)
    switches = tuple(curve[step.position].bytes or 0 for step in steps(curve))
    return Sweep(
        points=tuple(indices),
        benchmark=curve[0].benchmark,
        series=curve[0].series,
        variant=variant(curve[0].axes, curve[0].conditions),
        mpi=curve[0].mpi,
        processes=curve[0].processes,
        nodes=curve[0].nodes,
        latency_s=curve[0].median_s,
        asymptotic_MBps=asymptotic,
        half_size_bytes=half_size,
        best_size_bytes=fastest.bytes if fastest.bandwidth_MBps else None,
        best_MBps=fastest.bandwidth_MBps,
        switches_bytes=switches,
        regimes=regimes(curve, switches),
    )


def erratic_sizes(curve: Sequence[PointSummary]) -> int:
    """Return at how many sizes a time is well above its neighbours, as no smooth curve is.

    `curve` ascends in size. On any latency-bandwidth curve a time is below the straight line, on
    logarithmic scales, between its two neighbours. One that is above it is a step, or disturbed.
    """
    used = [point for point in curve if point.bytes and point.median_s > 0]
    found = 0
    for before, here, after in zip(used, used[1:], used[2:], strict=False):
        x = [math.log(point.bytes or 1) for point in (before, here, after)]
        y = [math.log(point.median_s) for point in (before, here, after)]
        line = y[0] + (x[1] - x[0]) / (x[2] - x[0]) * (y[2] - y[0])
        found += y[1] - line > _ERRATIC
    return found


def hockney(curve: Sequence[PointSummary]) -> tuple[float | None, float | None]:
    """Return the asymptotic bandwidth in 10^6 bytes/s and the half-performance size in bytes.

    `curve` ascends in size. r_inf is the slope of the line through the largest sizes: as many of
    them, at least 4, as one line explains. n_1/2 is the size at which the measured bandwidth
    first reaches half of r_inf, which for a straight line is Hockney's latency * r_inf (Hockney,
    "The communication challenge for MPP", Parallel Computing 20, 1994). Both are None where no
    line fits, or where no measured size reaches half of r_inf or even the smallest one does:
    the figure would be an extrapolation.
    """
    timed = [point for point in curve if point.bytes and point.bandwidth_MBps]
    if len(timed) < MINIMUM_SIZES:
        return None, None
    # Bytes that the benchmark moves, not the message's: an exchange moves both directions.
    moved = np.array([(point.bandwidth_MBps or 0.0) * 1e6 * point.median_s for point in timed])
    seconds = np.array([point.median_s for point in timed])
    if min(np.diff(moved)) <= 0 or (line := _asymptote(moved, seconds)) is None:
        return None, None
    rate = 1 / line.seconds_per_byte
    half_time = 2 * moved / rate
    reached = np.flatnonzero(seconds <= half_time)
    if not len(reached) or reached[0] == 0:
        return None, None
    after = int(reached[0])
    short, spare = seconds[after - 1] - half_time[after - 1], half_time[after] - seconds[after]
    sizes = [float(point.bytes or 0) for point in timed[after - 1 : after + 1]]
    share = float(short / (short + spare))
    return rate / 1e6, sizes[0] + share * (sizes[1] - sizes[0])


def _asymptote(moved: Array, seconds: Array) -> Line | None:
    for first in range(len(moved) - MINIMUM_SIZES + 1):
        line = fit_line(moved[first:], seconds[first:])
        away = np.abs((line.latency_s + line.seconds_per_byte * moved) / seconds - 1)[first:]
        if np.mean(away <= _TOLERANCE) >= _MET and away[-1] <= _TOLERANCE:
            return line
    return None


def steps(curve: Sequence[PointSummary]) -> list[Step]:
    """Return the steps of a curve that neither smooth growth nor the intervals explain.

    `curve` ascends in size. Between neighbouring sizes time grows as some power of the size; on
    any latency-bandwidth curve that power only rises, so a power above both its neighbours, or
    below both, is a step. It counts when its excess is beyond a fifth and beyond three standard
    errors of the four medians that it is made of. One size alone that juts out is a disturbed
    figure, not a protocol: a step needs two sizes on each side and is not undone at the next,
    and neighbouring steps are one. Sizes more than 4 times apart do not tell where it is.
    `position` is the first size after the step.
    """
    offset = next((i for i, point in enumerate(curve) if point.bytes), len(curve))
    used = curve[offset:]
    if len(used) < MINIMUM_SIZES or min(point.median_s for point in used) <= 0:
        return []
    width = np.diff(np.log([float(point.bytes or 0) for point in used]))
    growth = np.diff(np.log([point.median_s for point in used])) / width
    error = np.array([_relative_error(point) for point in used])
    found = []
    for gap in range(1, len(growth) - 1):
        if (used[gap + 1].bytes or 0) > NEAR_SIZES * (used[gap].bytes or 0):
            continue
        left, here, right = (float(value) for value in growth[gap - 1 : gap + 2])
        excess = (here - max(left, right)) * width[gap]
        shortage = (here - min(left, right)) * width[gap]
        step = float(excess if excess > 0 else min(shortage, 0.0))
        near = error[gap - 1 : gap + 3]
        noise = math.sqrt(float(near @ near) + 3 * max(float(near[1] ** 2), float(near[2] ** 2)))
        if abs(step) > max(SMALLEST_STEP, 3 * noise):
            found.append(Step(offset + gap + 1, math.exp(step)))
    return _merge_steps(found)


def _merge_steps(found: Sequence[Step]) -> list[Step]:
    settled = []
    # Positions that follow each other share their distance from their place in the list.
    for _, stretch in itertools.groupby(enumerate(found), lambda item: item[1].position - item[0]):
        together = [step for _, step in stretch]
        largest = max(together, key=lambda step: abs(math.log(step.factor)))
        net = math.log(math.prod(step.factor for step in together))
        if abs(net) > abs(math.log(largest.factor)) / 2:
            settled.append(largest)
    return settled


def _relative_error(point: PointSummary) -> float:
    """Return the standard error of the median's logarithm that its 95 % interval stands for."""
    if point.interval is None:
        return _UNKNOWN_ERROR
    low, high = point.interval
    return math.log(high / low) / (2 * 1.96) if low > 0 else math.inf
