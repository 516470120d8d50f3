"""Rates of computations: ways to do the same beside each other, and the measured roofs above them.

S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for
multicore architectures", CACM 52(4), 2009; the roofs here are measured, not taken from data sheets.
A measured limit that any verified result clearly exceeds is discarded.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from leadline.model.description import AXES, COMPILER, NO_FLAGS, READY, Benchmark, Roof
from leadline.model.plan import Value
from leadline.model.run import Run
from leadline.model.summary import LowerBound, PointSummary

# Ways that differ by less are told apart by chance.
_AS_GOOD = 0.02


class Race(NamedTuple):
    """Figures of one series under the same conditions, by way and size.

    `ways` maps the name of a way to its figures (indices) by the value of `size_axis`. `bytes_each`
    is what one unit of the size takes in memory, 0 where that is not known.
    """

    benchmark: Benchmark
    series: str
    mpi: str
    place: str
    size_axis: str
    bytes_each: float
    ways: Mapping[str, Mapping[float, int]]

    @property
    def sizes(self) -> list[float]:
        """All sizes measured, ascending."""
        return sorted({size for figures in self.ways.values() for size in figures})

    def right(self, points: Sequence[PointSummary]) -> list[str]:
        """Return the ways whose every figure is verified."""
        return [
            name
            for name, figures in self.ways.items()
            if all(points[index].verified for index in figures.values())
        ]

    def fastest(self, points: Sequence[PointSummary]) -> dict[float, str]:
        """Return the right way that is the fastest at each size that has a right one."""
        right = self.right(points)
        found = {}
        for size in self.sizes:
            there = {name: self.ways[name][size] for name in right if size in self.ways[name]}
            if there:
                found[size] = min(there, key=lambda name: points[there[name]].median_s)
        return found

    def leaders(self, points: Sequence[PointSummary]) -> dict[float, str]:
        """Return as few right ways as are the fastest, or as good as that, at all sizes."""
        fastest = self.fastest(points)
        found: dict[float, str] = {}

        def wins(name: str) -> list[float]:
            figures = self.ways[name]
            return [
                size
                for size, best in fastest.items()
                if size not in found
                and size in figures
                and points[figures[size]].median_s
                <= (1 + _AS_GOOD) * points[self.ways[best][size]].median_s
            ]

        while len(found) < len(fastest):
            name = max(self.right(points), key=lambda name: len(wins(name)))
            found |= dict.fromkeys(wins(name), name)
        return dict(sorted(found.items()))


def races(run: Run, points: Sequence[PointSummary]) -> list[Race]:
    """Return the races of a run in the order of its figures; points without a rate are in none."""
    known = {each.name: each for each in run.benchmarks if each.roofs}
    groups: dict[tuple[str, ...], list[int]] = {}
    for index, point in enumerate(points):
        if point.benchmark in known and point.flops_per_s:
            place = f"{point.nodes}x{point.processes_per_node}"
            conditions = " ".join(f"{name}={value}" for name, value in point.conditions.items())
            task = " ".join(known[point.benchmark].task(point.axes))
            key = (point.benchmark, point.series, point.mpi, place, conditions, task)
            groups.setdefault(key, []).append(index)
    found = []
    for (name, series, mpi, place, *_), indices in groups.items():
        axis, each = _size_of(known[name])
        ways: dict[str, dict[float, int]] = {}
        names = _names([points[index] for index in indices], axis)
        for index, way in zip(indices, names, strict=True):
            ways.setdefault(way, {})[float(points[index].axes.get(axis, 0))] = index
        found.append(Race(known[name], series, mpi, place, axis, each, ways))
    return found


def is_ready(point: PointSummary) -> bool:
    """Tell whether a figure is of a library that was there already."""
    return str(point.axes.get(COMPILER, "")) == READY


def _size_of(benchmark: Benchmark) -> tuple[str, float]:
    """Return the axis by whose value the roofs are chosen, and the bytes of one unit of it."""
    return next(
        ((roof.of_axis, roof.times) for roof in benchmark.roofs if roof.of_axis), ("bytes", 1.0)
    )


def _names(points: Sequence[PointSummary], size_axis: str) -> list[str]:
    axes = list(dict.fromkeys(name for point in points for name in point.axes))
    others = [name for name in axes if name != size_axis and name not in AXES]
    varying = [name for name in others if len({point.axes.get(name) for point in points}) > 1]
    return [
        " ".join(
            [
                *(_format_value(str(point.axes[name])) for name in AXES if name in point.axes),
                *(f"{name}={point.axes[name]}" for name in varying if name in point.axes),
            ]
        ).strip()
        for point in points
    ]


def _format_value(value: str) -> str:
    """Return a value of a kernel's axis as people write it; what goes without saying is empty.

    >>> _format_value("-O3+-march=native"), _format_value("none")
    ('-O3 -march=native', '')
    """
    return "" if value in (NO_FLAGS,) else value.replace("+-", " -")


# A roof was measured at the size next to the one asked for that its benchmark allows.
_SAME_SIZE = 0.02
# What is faster by less may be so by chance, or by what a call takes.
_AS_FAST = 0.02

# The figures of each benchmark that is a roof, by where and under what they were measured.
_Key = tuple[str, str, int, int, frozenset[tuple[str, Value]]]
_Roofs = Mapping[_Key, Mapping[int, PointSummary]]


def with_bounds(
    points: Sequence[PointSummary], benchmarks: Sequence[Benchmark]
) -> tuple[PointSummary, ...]:
    """Return `points` with the lower bound of each that has a roof among them."""
    known = {benchmark.name: benchmark for benchmark in benchmarks}
    roofs = _roofs(points, benchmarks)
    if not roofs:
        return tuple(points)
    beaten = beaten_roofs(points, benchmarks)
    return tuple(
        msgspec.structs.replace(
            point,
            bound=max(
                _bounds(point, known, roofs, beaten), key=lambda bound: bound.seconds, default=None
            ),
        )
        for point in points
    )


def beaten_roofs(
    points: Sequence[PointSummary], benchmarks: Sequence[Benchmark]
) -> dict[int, tuple[int, float]]:
    """Return for each roof's figure that bounds nothing what beats it most, and how many times.

    That is a right answer of what it should bound, with as many bytes or more: nothing moves them
    faster than the fewer. Keys and figures are indices of `points`.
    """
    known = {benchmark.name: benchmark for benchmark in benchmarks}
    roofs = _roofs(points, benchmarks)
    found: dict[int, tuple[int, float]] = {}
    if not roofs:
        return found
    for number, point in enumerate(points):
        if not point.verified or point.benchmark not in known:
            continue
        slowest = point.interval[1] if point.interval else point.median_s
        for roof in known[point.benchmark].roofs:
            least = surely = float("inf")
            for index, above, size, wanted in _figures(roof, point, known, roofs):
                # A roof is as fast at least as it is with more.
                fastest = above.interval[0] if above.interval else above.median_s
                seconds = _seconds(point, above)
                least = min(least, seconds)
                surely = min(surely, seconds * fastest / above.median_s)
                if size > (1 + _SAME_SIZE) * wanted or slowest * (1 + _AS_FAST) >= surely:
                    continue
                times = least / point.median_s
                if index not in found or found[index][1] < times:
                    found[index] = number, times
    return found


def fraction_of_bound(point: PointSummary) -> float | None:
    """Return the least possible time over the measured one, 1 for what reaches its bound.

    There is none for a wrong answer that takes less: it leaves out what the bound counts.
    """
    if not point.bound or point.median_s <= 0:
        return None
    fraction = point.bound.seconds / point.median_s
    if fraction <= 1:
        return fraction
    return 1.0 if point.verified else None


def _roofs(points: Sequence[PointSummary], benchmarks: Sequence[Benchmark]) -> _Roofs:
    named = {roof.benchmark for benchmark in benchmarks for roof in benchmark.roofs}
    named &= {benchmark.name for benchmark in benchmarks}
    found: dict[_Key, dict[int, PointSummary]] = defaultdict(dict)
    for index, point in enumerate(points):
        if point.benchmark in named and point.verified and point.median_s > 0:
            found[_key(point.benchmark, point)][index] = point
    return found


def _key(benchmark: str, point: PointSummary) -> _Key:
    where = point.mpi, point.nodes, point.processes_per_node
    return benchmark, *where, frozenset(point.conditions.items())


def _bounds(
    point: PointSummary, known: Mapping[str, Benchmark], roofs: _Roofs, beaten: Collection[int]
) -> Iterator[LowerBound]:
    """Yield the bound by each roof: of several figures of one roof, the fastest."""
    benchmark = known.get(point.benchmark)
    for roof in benchmark.roofs if benchmark else ():
        candidates = []
        measured = False
        for index, above, size, wanted in _figures(roof, point, known, roofs):
            if index in beaten or size < (1 - _SAME_SIZE) * wanted:
                continue
            measured = measured or size <= (1 + _SAME_SIZE) * wanted
            candidates.append(LowerBound(seconds=_seconds(point, above), figure=index))
        if measured:
            yield min(candidates, key=lambda bound: bound.seconds)


def _figures(
    roof: Roof, point: PointSummary, known: Mapping[str, Benchmark], roofs: _Roofs
) -> list[tuple[int, PointSummary, float, float]]:
    """Return the figures of a roof under the point's conditions, the largest sizes first."""
    if roof.benchmark not in known:
        return []
    sized = any(axis.name == roof.size_axis for axis in known[roof.benchmark].axes)
    wanted = float(point.axes.get(roof.of_axis, 0)) * roof.times if sized else 0.0
    found = [
        (index, above, float(above.axes[roof.size_axis]) if sized else 0.0, wanted)
        for index, above in roofs.get(_key(roof.benchmark, point), {}).items()
        if _has_values(roof, above)
        and _rates(point, above)
        and (not sized or roof.size_axis in above.axes)
    ]
    return sorted(found, key=lambda each: -each[2])


def _seconds(point: PointSummary, above: PointSummary) -> float:
    """Return how long `point`'s bytes, or operations, take at the rate of `above`."""
    mine, rate = _rates(point, above) or (0.0, 1.0)
    return mine / rate * point.median_s


def _rates(point: PointSummary, above: PointSummary) -> tuple[float, float] | None:
    for mine, rate in (
        (point.bandwidth_MBps, above.bandwidth_MBps),
        (point.flops_per_s, above.flops_per_s),
    ):
        if mine and rate:
            return mine, rate
    return None


def _has_values(roof: Roof, above: PointSummary) -> bool:
    return all(
        str(above.axes[name]) == value for name, value in roof.values.items() if name in above.axes
    )
