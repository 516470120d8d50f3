"""Variants of a computation by their rate: for benchmarks that count operations and have a roof."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leadline.model.description import Benchmark
from leadline.model.kernel import AXES, COMPILER, NO_FLAGS, READY
from leadline.model.run import Run
from leadline.model.summary import PointSummary

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
    """Return what each figure is, by all that differs between them but the size."""
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
