"""Everything that plots are drawn from: a run, its analysis, and thinned samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from leadline.analysis.results.summary import Repetitions
from leadline.analysis.samples import PointSamples
from leadline.model.plan import Plan, Point
from leadline.model.run import Outcome, Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.html.panels import Panel, Row

if TYPE_CHECKING:
    from leadline.analysis.stats.statistics import Array

# What a plot keeps of a point's samples, for series by their index.
Keep = Callable[[PointSamples], Iterable[tuple[int, Any]]]
_Made = TypeVar("_Made")


class KeptSamples:
    """What plots keep of the samples of a run: a `leadline.analysis.samples.Collector`.

    By plot, point and index of the series. It is thin, however many samples there are.
    """

    def __init__(self, keep: Mapping[str, Keep] | None = None) -> None:
        self._keep = keep or {}
        self._kept: dict[tuple[str, int, int], Any] = {}

    def see(self, samples: PointSamples) -> None:
        """Let every plot take what it needs of a point."""
        for name, keep in self._keep.items():
            for series, kept in keep(samples):
                self._kept[name, samples.point.index, series] = kept

    def of(self, plot: str, figure: PointSummary) -> Any:
        """Return what a plot has kept of a figure's samples, None where that is nothing."""
        if figure.point is None:
            return None
        return self._kept.get((plot, figure.point, figure.series_index))


class ReportData:
    """A run, its analysis, and what plots have kept of its samples.

    `panels` are those of its figures.
    """

    def __init__(
        self, run: Run, analysis: Analysis, kept: KeptSamples, panels: tuple[Panel, ...] = ()
    ) -> None:
        self.run = run
        self.analysis = analysis
        self.kept = kept
        self.panels = panels
        self._made: dict[object, Any] = {}

    def once(self, make: Callable[[ReportData], _Made]) -> _Made:
        """Return what `make` makes of these data, made once for all panels."""
        if make not in self._made:
            self._made[make] = make(self)
        made: _Made = self._made[make]
        return made


def no_data() -> ReportData:
    """Return the data of no run: with these a plot draws the points of a panel alone."""
    run = Run(
        run="", leadline="", plan=Plan(entries=()), started="", outcome=Outcome(state="complete")
    )
    return ReportData(run, Analysis(points=(), sweeps=()), KeptSamples())


# Samples of so many sizes of a curve are drawn.
SIZES_A_CURVE = 6


def sampled_points(run: Run, sizes: int = SIZES_A_CURVE) -> dict[int, Point]:
    """Return the points of at most so many sizes of each curve, the first and last among them."""
    sized = {result.point: result.bytes for launch in run.launches for result in launch.points}

    def size(point: Point) -> float:
        chosen_size = point.axes.get("bytes")
        return sized[point.index] or (chosen_size if isinstance(chosen_size, int) else 0)

    curves: dict[object, list[Point]] = defaultdict(list)
    for point in run.points:
        if point.index in sized:
            choices = variant(point.axes, point.conditions)
            curves[point.benchmark, point.placement, point.mpi, choices].append(point)
    chosen: dict[int, Point] = {}
    for curve in curves.values():
        curve.sort(key=size)
        chosen |= {curve[at].index: curve[at] for at in spread_out(len(curve), sizes)}
    return chosen


def count_series(run: Run, points: Iterable[Point]) -> int:
    """Return how many series these points have together."""
    series = {benchmark.name: len(benchmark.series) for benchmark in run.benchmarks}
    return sum(series.get(point.benchmark, 0) for point in points)


def keep_repetitions(points: Container[int], thin: Callable[[Repetitions], Row]) -> Keep:
    """Return what keeps of each series of these points what `thin` makes of its repetitions."""

    def keep(samples: PointSamples) -> Iterator[tuple[int, Row]]:
        if samples.point.index in points:
            for index, own in usable_repetitions(samples.repetitions).items():
                yield index, thin(own)

    return keep


def usable_repetitions(every: Mapping[int, Repetitions]) -> dict[int, Repetitions]:
    """Return the repetitions of each series that are in its figure, where there are any."""
    return {
        index: Repetitions(*(column[found.usable] for column in found))
        for index, found in every.items()
        if found.usable.any()
    }


def spread_out(count: int, wanted: int) -> list[int]:
    """Return at most `wanted` of the indices below `count`, evenly, the first and last kept.

    >>> spread_out(10, 4)
    [0, 3, 6, 9]
    """
    if count <= wanted:
        return list(range(count))
    return [round(step * (count - 1) / (wanted - 1)) for step in range(wanted)]


def thinned_ranks(count: int, wanted: int) -> list[int]:
    """Return at most `wanted` ranks of `count` sorted samples, the smallest and largest kept.

    Half of them are spread evenly, the other half grow denser towards the slowest samples:
    a tail is made of few samples, and an even choice would not show it.
    """
    if count <= wanted:
        return list(range(count))
    even = np.linspace(0, count - 1, (wanted + 1) // 2)
    tail = count - np.geomspace(1, count, wanted // 2)
    return [int(rank) for rank in np.unique(np.rint(np.concatenate([even, tail])))]


def short(values: Sequence[float] | Array) -> list[float]:
    """Return values with three significant digits: more only weighs."""
    return [float(f"{value:.3g}") for value in values]
