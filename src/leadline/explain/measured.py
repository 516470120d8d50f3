"""Finds what runs have measured of a recording's MPI on its hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.explain.bounds import Bounds, Curve, Shape, shape_of, stands_for, usual_axes
from leadline.explain.recording import Recording, Row
from leadline.model.description import Axis, Benchmark
from leadline.model.run import Launch, Run
from leadline.model.summary import PointSummary
from leadline.store.folder import RunFolder, run_paths

# More runs than these are not looked through, the newest first.
_MOST_RUNS = 300
# What is written into a command to measure: sizes, and seconds for all of them.
_SIZES, _SECONDS = 6, 10.0


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


def missing(recording: Recording, bounds: Bounds) -> list[tuple[Shape, float, list[int]]]:
    """Return the shapes without a bound, with their seconds and sizes, the longest first."""
    rows: dict[Shape, list[Row]] = {}
    for row in recording.rows:
        shape = shape_of(row)
        if shape and row.own_s > 0 and bounds.seconds_of(row) is None:
            rows.setdefault(shape, []).append(row)
    found = [
        (shape, sum(row.own_s for row in each), sorted({round(row.mean_bytes) for row in each}))
        for shape, each in rows.items()
    ]
    return sorted(found, key=lambda one: -one[1])


def command_for(
    shape: Shape, sizes: Sequence[int], benchmarks: Sequence[Benchmark], mpi: str
) -> str:
    """Return the command that measures a missing curve in 10 s at most, empty without a benchmark.

    >>> command_for(Shape("MPI_Allreduce", 4, 1), [8], [], "m-1")
    ''
    """
    chosen = benchmark_for(shape.function, benchmarks)
    if chosen is None or shape.ranks % shape.nodes:
        return ""
    words = ["leadline run", chosen.benchmark.name]
    words += ["--mpi", mpi] if mpi else []
    words += ["--place", f"{shape.nodes}x{shape.ranks // shape.nodes}"]
    points = 1
    if chosen.sized:
        few = _few(sizes, chosen.sized.multiple_of, int(chosen.sized.minimum or 0))
        points = len(few)
        words += [f"--{chosen.sized.name}", ",".join(map(str, few))]
    words += [f"--{name} {value}" for name, value in chosen.axes.items() if value != ""]
    words += ["--launches", "1", "--seconds", f"{min(1.0, _SECONDS / points):.2g}"]
    return " ".join(words)


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
    from leadline.analysis.results.summary import misplaced_launches, repetitions, summarise_point
    from leadline.model.samples import excluding_bits
    from leadline.store.samples import StoredSamples

    mpis = {each.mpi for each in launches}
    benchmarks = {each.name: each for each in run.benchmarks}
    samples = StoredSamples(folder)
    elsewhere = misplaced_launches(run)
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
        every = repetitions(samples.columns(point.index), excluding_bits(run.flags))
        for figure in summarise_point(run, point, every, elsewhere):
            if figure.series in names and figure.verified and not figure.oversubscribed:
                yield names[figure.series], figure


def _same_library(launch: Launch, library: str) -> bool:
    """Tell whether a launch had the library of a recording, which keeps its first line."""
    said = " ".join(launch.library.replace("\0", " ").split())
    recorded = " ".join(library.split())
    return bool(recorded and said) and (said.startswith(recorded) or recorded.startswith(said))


def _few(sizes: Sequence[int], multiple: int, least: int) -> list[int]:
    """Return a few of the sizes that a benchmark takes, from the smallest to the largest.

    >>> _few([3, 8, 16, 24, 32, 64, 1000, 4000], 8, 8)
    [8, 16, 24, 64, 1000, 4000]
    """
    allowed = sorted({max(-(-size // multiple) * multiple, least) for size in sizes})
    last = len(allowed) - 1
    if last < _SIZES:
        return allowed
    return [allowed[round(place * last / (_SIZES - 1))] for place in range(_SIZES)]
