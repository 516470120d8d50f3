"""The one pass over the samples of a run: each point is read once, for all who look at it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec.structs import replace

from leadline.analysis.compare.impact import Tail, has_neighbours, tail_of
from leadline.analysis.jitter import causes
from leadline.analysis.jitter.jitter import (
    Attributed,
    attributed,
    batched_points,
    jitter_of_point,
    only_works,
)
from leadline.analysis.jitter.noise import Heard, listen, noise_of_point
from leadline.analysis.results.pairs import missing_figure, pairs_of_point
from leadline.analysis.results.rates import with_bounds
from leadline.analysis.results.summary import (
    LaunchFacts,
    Repetitions,
    repetitions,
    summarise_point,
)
from leadline.analysis.stats.calls import Calls, arrange
from leadline.model.noise import Noise
from leadline.model.plan import Point
from leadline.model.run import Run
from leadline.model.samples import SampleSource, excluding_bits
from leadline.model.summary import Jitter, MissingFigure, PairShares, PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns


class PointSamples:
    """The samples of one point, and what several readers make of them, each made once.

    `noise` is what delays ranks that only compute, with the same MPI and placement, where that was
    measured. Who keeps this object keeps all samples of the point in memory.
    """

    def __init__(self, run: Run, point: Point, columns: Columns) -> None:
        self.run = run
        self.point = point
        self.columns = columns
        self.noise: causes.Noise | None = None

    @cached_property
    def repetitions(self) -> dict[int, Repetitions]:
        """The repetitions of each series, by its index."""
        return repetitions(self.columns, excluding_bits(self.run.flags))

    @cached_property
    def calls(self) -> list[Calls]:
        """The calls of each launch in which several ranks timed single calls."""
        return list(arrange(self.columns, excluding_bits(self.run.flags)))

    @cached_property
    def attributed(self) -> dict[int, list[Attributed]]:
        """The launches of each series, by its index, with the causes of their outliers."""
        return attributed(self.run, self.point, self.calls, self.noise)

    @cached_property
    def heard(self) -> dict[int, Heard]:
        """The calls of each series, by its index, where enough came in a row, and their detours."""
        return listen(self.run, self.point, self.columns)


class Collector(Protocol):
    """Takes from the samples of each point what it needs, and keeps no more than that."""

    def see(self, samples: PointSamples) -> None:
        """Look at a point: each is shown once, in no order that means anything."""


class Results(NamedTuple):
    """What statistics make of all samples of a run; indices are those of `points`."""

    points: tuple[PointSummary, ...]
    jitter: tuple[Jitter, ...] = ()
    noise: tuple[Noise, ...] = ()
    tails: dict[int, Tail] = {}  # noqa: RUF012 - nobody writes into it
    missing: tuple[MissingFigure, ...] = ()
    pairs: tuple[PairShares, ...] = ()


def read_points(run: Run, source: SampleSource) -> Iterator[PointSamples]:
    """Yield the samples of every point of the run, each read once.

    Ranks that only compute come first: they show what delays the others. Memory holds the samples
    of one point, or those of all points that only compute with one MPI and placement.
    """
    work: dict[object, list[Point]] = defaultdict(list)
    others: list[Point] = []
    for point in run.points:
        (work[_place(point)] if only_works(run, point) else others).append(point)
    noise: dict[object, causes.Noise | None] = {}
    for place, points in work.items():
        every = [PointSamples(run, each, source.columns(each.index)) for each in points]
        noise[place] = causes.noise_of([one for each in every for one in each.calls], run.flags)
        while every:
            samples = every.pop(0)
            samples.noise = noise[place]
            yield samples
    for point in others:
        samples = PointSamples(run, point, source.columns(point.index))
        samples.noise = noise.get(_place(point))
        yield samples


def _place(point: Point) -> object:
    return point.mpi, point.placement


def show_samples(run: Run, source: SampleSource, collectors: Sequence[Collector]) -> None:
    """Show every point to the collectors."""
    for samples in read_points(run, source):
        for collector in collectors:
            collector.see(samples)


def analyse_samples(
    run: Run, source: SampleSource, collectors: Sequence[Collector] = ()
) -> Results:
    """Return the figures of a run, their jitter, noise and tails; show each point to `collectors`.

    Figures of an import are as imported. Points without a usable sample are among `missing`.
    Raises `UserError` where a point's benchmark is not among `run.benchmarks`.
    """
    if run.imported:
        return Results(run.imported.figures)
    analyst = _Analyst(run)
    show_samples(run, source, [analyst, *collectors])
    return analyst.results()


class _Analyst:
    """Makes the results of each point."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._facts = LaunchFacts(run)
        self._batched = batched_points(run)
        self._found: dict[int, Results] = {}

    def see(self, samples: PointSamples) -> None:
        run, point = self._run, samples.point
        figures = tuple(summarise_point(run, point, samples.repetitions, self._facts))
        timed = figures and point.index not in self._batched
        self._found[point.index] = Results(
            figures,
            tuple(jitter_of_point(run, point, figures, samples.attributed)) if timed else (),
            tuple(noise_of_point(run, point, figures, samples.heard)) if figures else (),
            {
                index: tail_of(samples.repetitions[figure.series_index])
                for index, figure in enumerate(figures)
                if has_neighbours(figure.conditions)
            },
            () if figures else (missing_figure(run, point, samples.repetitions),),
            tuple(pairs_of_point(figures, samples.columns, excluding_bits(run.flags))),
        )

    def results(self) -> Results:
        """Return the results of all points in the order of the run."""
        ordered = [self._found[point.index] for point in self._run.points]
        before = [0, *itertools.accumulate(len(each.points) for each in ordered)]
        every = list(zip(before, ordered, strict=False))
        return Results(
            with_bounds(tuple(p for each in ordered for p in each.points), self._run.benchmarks),
            tuple(replace(one, point=one.point + n) for n, each in every for one in each.jitter),
            tuple(replace(one, point=one.point + n) for n, each in every for one in each.noise),
            {index + n: tail for n, each in every for index, tail in each.tails.items()},
            tuple(one for each in ordered for one in each.missing),
            tuple(replace(one, point=one.point + n) for n, each in every for one in each.pairs),
        )
