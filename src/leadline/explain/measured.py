"""Finds what runs have measured of a recording's MPI on its hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.explain.bounds import Curve, Shape, shape_of, stands_for, usual_axes
from leadline.explain.recording import Recording
from leadline.model.description import Axis, Benchmark
from leadline.model.plan import Point
from leadline.model.run import Launch, Run
from leadline.model.summary import PointSummary
from leadline.store.folder import RunFolder, run_paths
from leadline.store.kept import describe_inputs, read_analysis

# More runs than these are not looked through, the newest first.
_MOST_RUNS = 300


def find_curves(recording: Recording, runs: Path) -> dict[Shape, Curve]:
    """Return a curve for each shape of the recording's calls that runs in `runs` have measured.

    With the same library, on one of the recording's hosts. Of a size that several runs have
    measured, the newest counts. Runs that cannot be read are passed over.
    """
    wanted = {shape for row in recording.rows if (shape := shape_of(row))}
    found: dict[Shape, dict[int, float]] = {}
    for path in reversed(run_paths(runs)[-_MOST_RUNS:] if wanted else []):
        folder = RunFolder(path)
        try:
            for shape, figure in _figures(folder.stored(), folder, recording, wanted):
                found.setdefault(shape, {}).setdefault(figure.bytes or 0, figure.median_s)
        except UserError:
            continue
    return {shape: Curve(seconds=seconds) for shape, seconds in found.items()}


class Chosen(msgspec.Struct, frozen=True):
    """The benchmark, series and values of its other axes that measure calls of a program."""

    benchmark: Benchmark
    series: str
    axes: Mapping[str, str]

    @property
    def sized(self) -> Axis | None:
        """The axis of its sizes, None where it moves no data."""
        return next((axis for axis in self.benchmark.axes if axis.kind == "bytes"), None)


def benchmark_for(function: str, benchmarks: Sequence[Benchmark]) -> Chosen | None:
    """Return what stands for a function or for a message, None where nothing does."""
    for benchmark in benchmarks:
        axes = usual_axes(benchmark)
        series = benchmark.delivery.series if benchmark.delivery else benchmark.series[0].name
        if stands_for(benchmark, series, axes) == function:
            return Chosen(benchmark, series, axes)
    return None


def _figures(
    run: Run, folder: RunFolder, recording: Recording, wanted: set[Shape]
) -> Iterator[tuple[Shape, PointSummary]]:
    """Yield the figures of a run that are wanted, each with its shape."""
    if run.imported or run.platform or run.explained or folder.find_damage(run):
        return
    launches = [each for each in run.launches if _same_library(each, recording.library)]
    hosts = {rank.host.partition(".")[0] for each in launches for rank in each.ranks}
    if not hosts & recording.hosts:
        return
    mpis = {each.mpi for each in launches}
    benchmarks = {each.name: each for each in run.benchmarks}
    figures_of = _figures_by_point(run, folder)
    for point in run.points:
        described = benchmarks.get(point.benchmark)
        if point.knobs or point.mpi not in mpis or described is None:
            continue
        place = point.placement
        names = {
            series.name: shape
            for series in described.series
            if (function := stands_for(described, series.name, point.axes))
            and (shape := Shape(function, place.processes, place.nodes)) in wanted
        }
        if not names:
            continue
        for figure in figures_of(point):
            if figure.series in names and figure.verified and not figure.oversubscribed:
                yield names[figure.series], figure


def _figures_by_point(run: Run, folder: RunFolder) -> Callable[[Point], Iterable[PointSummary]]:
    """Return what gives the figures of a point: as they are kept, or made then."""
    if kept := read_analysis(describe_inputs(folder, run)):
        by_point: dict[int | None, list[PointSummary]] = defaultdict(list)
        for figure in kept.points:
            by_point[figure.point].append(figure)
        return lambda point: by_point[point.index]
    from leadline.analysis.results.summary import LaunchFacts, repetitions, summarise_point
    from leadline.model.samples import excluding_bits
    from leadline.store.samples import StoredSamples

    samples, facts, excluding = StoredSamples(folder), LaunchFacts(run), excluding_bits(run.flags)
    return lambda point: summarise_point(
        run, point, repetitions(samples.columns(point.index), excluding), facts
    )


def _same_library(launch: Launch, library: str) -> bool:
    """Tell whether a launch had the library of a recording, which keeps its first line."""
    text = " ".join(launch.library.replace("\0", " ").split())
    recorded = " ".join(library.split())
    return bool(recorded and text) and (text.startswith(recorded) or recorded.startswith(text))
