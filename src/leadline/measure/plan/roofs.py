"""The points that bound others: measured beside them, in the same launches."""

from collections.abc import Iterator, Sequence

import msgspec

from leadline.measure.plan.points import axis_values
from leadline.measure.plan.selection import ProbeSet
from leadline.model.description import Axis, Benchmark, Roof
from leadline.model.plan import Point, Value


def with_roofs(points: Sequence[Point], probe_sets: Sequence[ProbeSet]) -> list[Point]:
    """Return `points` and behind them, numbered on, the roofs of each that are not among them.

    A roof has the settings, knobs and placement of what it bounds. One that this probe does not
    have, or not at that size, is left out.
    """
    known = {probe_set.installation.name: probe_set.benchmarks for probe_set in probe_sets}
    there = {_identity(point): None for point in points}
    found = list(points)
    for point in points:
        benchmarks = known[point.mpi]
        for roof in benchmarks[point.benchmark].roofs:
            if roof.benchmark not in benchmarks:
                continue
            for above in _roof_points(point, roof, benchmarks[roof.benchmark]):
                if _identity(above) not in there:
                    there[_identity(above)] = None
                    found.append(msgspec.structs.replace(above, index=len(found)))
    return found


def _roof_points(point: Point, roof: Roof, benchmark: Benchmark) -> Iterator[Point]:
    """Yield the roof's point for `point`, with no number of its own; nothing if it has no such."""
    axes: dict[str, Value] = {}
    for axis in benchmark.axes:
        if axis.name == roof.size_axis:
            size = nearest_size(axis, float(point.axes[roof.of_axis]) * roof.times)
            if size is None:
                return
            axes[axis.name] = size
        else:
            axes[axis.name] = axis_values(axis, roof.values.get(axis.name, axis.default))[0]
    yield msgspec.structs.replace(point, benchmark=benchmark.name, axes=axes, api=benchmark.api)


def nearest_size(axis: Axis, size: float) -> int | None:
    """Return the size that the axis allows next to `size`, None for one out of its range.

    >>> nearest_size(Axis(name="bytes", kind="bytes", summary="", default="8", multiple_of=64), 100)
    128
    """
    nearest = max(1, round(size / axis.multiple_of)) * axis.multiple_of
    low, high = axis.minimum or 0, axis.maximum or float("inf")
    return nearest if low <= nearest <= high else None


def _identity(point: Point) -> tuple[object, ...]:
    return (
        point.benchmark,
        point.mpi,
        str(point.placement),
        *sorted(point.axes.items()),
        *sorted(point.settings.items()),
        *sorted(point.knobs.items()),
    )
