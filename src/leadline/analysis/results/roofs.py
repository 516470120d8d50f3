"""The bounds of results: the roofs of a benchmark that were measured in the same run.

S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for
multicore architectures", CACM 52(4), 2009; the roofs here are measured, not taken from data sheets.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from leadline.model.description import Benchmark, Roof
from leadline.model.summary import LowerBound, PointSummary

# A roof was measured at the size next to the one asked for that its benchmark allows.
_SAME_SIZE = 0.02


def with_bounds(
    points: Sequence[PointSummary], benchmarks: Sequence[Benchmark]
) -> tuple[PointSummary, ...]:
    """Return `points` with the lower bound of each that has a roof among them."""
    known = {benchmark.name: benchmark for benchmark in benchmarks}
    named = {roof.benchmark for benchmark in benchmarks for roof in benchmark.roofs}
    roofs = {index: point for index, point in enumerate(points) if point.benchmark in named}
    if not roofs:
        return tuple(points)
    return tuple(
        msgspec.structs.replace(
            point,
            bound=max(_bounds(point, known, roofs), key=lambda bound: bound.seconds, default=None),
        )
        for point in points
    )


def fraction_of_bound(point: PointSummary) -> float | None:
    """Return the least possible time over the measured one, 1 for what reaches its bound."""
    return point.bound.seconds / point.median_s if point.bound and point.median_s > 0 else None


def _bounds(
    point: PointSummary, known: Mapping[str, Benchmark], roofs: Mapping[int, PointSummary]
) -> Iterator[LowerBound]:
    """Yield the bound by each roof: of several figures of one roof, the fastest."""
    benchmark = known.get(point.benchmark)
    for roof in benchmark.roofs if benchmark else ():
        candidates = [
            LowerBound(seconds=seconds, figure=index)
            for index, above in roofs.items()
            if _is_above(roof, above, point, known.get(above.benchmark))
            and (seconds := _seconds(point, above)) is not None
        ]
        if candidates:
            yield min(candidates, key=lambda bound: bound.seconds)


def _seconds(point: PointSummary, above: PointSummary) -> float | None:
    """Return how long `point`'s bytes, or operations, take at the rate of `above`."""
    for mine, rate in (
        (point.bandwidth_MBps, above.bandwidth_MBps),
        (point.flops_per_s, above.flops_per_s),
    ):
        if mine and rate:
            return mine / rate * point.median_s
    return None


def _is_above(
    roof: Roof, above: PointSummary, point: PointSummary, benchmark: Benchmark | None
) -> bool:
    if benchmark is None or above.benchmark != roof.benchmark or not above.verified:
        return False
    if (above.mpi, above.nodes, above.processes_per_node, above.conditions) != (
        point.mpi,
        point.nodes,
        point.processes_per_node,
        point.conditions,
    ):
        return False
    for axis in benchmark.axes:
        value = above.axes.get(axis.name)
        if axis.name == roof.size_axis:
            wanted = float(point.axes.get(roof.of_axis, 0)) * roof.times
            if value is None or abs(float(value) - wanted) > _SAME_SIZE * wanted:
                return False
        elif axis.name in roof.values and str(value) != roof.values[axis.name]:
            return False
    return True
