"""Pairs of results that differ in one choice only, such as the algorithm."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.model.plan import Value
from leadline.model.run import Run, variant
from leadline.model.summary import PointSummary


class Pair(NamedTuple):
    """Two figures, as indices, that differ in `choice` only.

    `ratio` is how many times as long the first takes, with its interval; None where a time is not
    above zero.
    """

    choice: str
    base: int
    other: int
    ratio: Ratio | None

    @property
    def improvement(self) -> tuple[float, float | None, float | None] | None:
        """By how many percent of the first's time the other is shorter, with its interval."""
        if self.ratio is None:
            return None
        low, high = self.ratio.interval or (None, None)
        return _percent(self.ratio.median), low and _percent(low), high and _percent(high)


def _percent(ratio: float) -> float:
    return 100 * (1 - 1 / ratio)


def pairs(run: Run, points: Sequence[PointSummary]) -> Iterator[Pair]:
    """Yield each figure beside the one with the choice's default, or the first that was measured.

    `points` are the figures of `run`. Pairs of one curve follow each other, sizes ascending.
    """
    for benchmark in run.benchmarks:
        own = [index for index, point in enumerate(points) if point.benchmark == benchmark.name]
        axes = {name: benchmark.ways(name) for name in {points[index].series for index in own}}
        for axis in benchmark.axes:
            told = [index for index in own if axis in axes[points[index].series]]
            yield from _of_choice(axis.name, axis.default, told, points)
        for knob in dict.fromkeys(name for index in own for name in points[index].knobs):
            yield from _of_choice(knob, "default", own, points)


def value_of(point: PointSummary, choice: str) -> Value | None:
    """Return what the figure has for `choice`."""
    return point.axes.get(choice, point.knobs.get(choice))


def others_of(point: PointSummary, choice: str) -> str:
    """Return all other choices of the figure but the size, as one text."""
    named = {**point.axes, **point.conditions}
    return variant({name: value for name, value in named.items() if name != choice}, {})


def _of_choice(
    choice: str, default: Value, indices: Sequence[int], points: Sequence[PointSummary]
) -> Iterator[Pair]:
    values = dict.fromkeys(value_of(points[index], choice) for index in indices)
    base = default if default in values else next(iter(values), None)
    # What the figures of a curve have in common, to value, to size, to index.
    curves: dict[object, dict[Value | None, dict[int, int]]] = {}
    for index in indices:
        point = points[index]
        shape = (point.mpi, point.nodes, point.processes_per_node, point.series)
        curve = curves.setdefault((*shape, others_of(point, choice)), defaultdict(dict))
        curve[value_of(point, choice)][point.bytes or 0] = index
    for by_value in curves.values():
        first = by_value.pop(base, {})
        for sizes in by_value.values():
            for size in sorted(sizes.keys() & first.keys()):
                one, other = first[size], sizes[size]
                yield Pair(choice, one, other, time_ratio(points[one], points[other]))
