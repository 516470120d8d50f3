"""Every way to compute the same: rate, fraction of the bound, and whether its answer is right."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.results.rates import Race, fraction_of_bound, races
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Column, Table, table_of

# More sizes than these make no line that people read.
_SIZES = 6


def kernels(run: Run, analysis: Analysis) -> Table:
    """Return each way's rate in Mflop/s by size and its percentage of the bound, the best first.

    Raises `UserError` for a run without rates of operations that something bounds.
    """
    found = races(run, analysis.points)
    if not found:
        raise UserError(
            "the table kernels takes a run of benchmarks that count floating-point operations and "
            f"have a roof: {run.run} has no such figures"
        )
    return sheet(run, found, analysis.points)


def sheet(
    run: Run, found: Sequence[Race], points: Sequence[PointSummary], most_sizes: int = _SIZES
) -> Table:
    """Return the races as a table with at most so many of their sizes."""
    sizes = _spread(sorted({size for race in found for size in race.sizes}), most_sizes)
    return table_of(
        notes=tuple(_notes(run, found, points)),
        columns=(
            *([Column("benchmark"), Column("library"), Column("place")] if len(found) > 1 else []),
            Column("way"),
            *(
                column
                for size in sizes
                for column in (Column(f"{size:g}", ".0f"), Column("%", ".0f"))
            ),
            Column("fastest at"),
            Column("answer"),
        ),
        rows=tuple(
            (
                *((race.benchmark.name, race.mpi, race.place) if len(found) > 1 else ()),
                *row,
            )
            for race in found
            for row in _rows(race, sizes, points)
        ),
    )


def _rows(
    race: Race, sizes: Sequence[float], points: Sequence[PointSummary]
) -> Iterator[tuple[Cell, ...]]:
    """Yield the right ways, then the wrong ones, each by their mean rate, the fastest first."""
    fastest = race.fastest(points)
    right = set(race.right(points))

    def order(way: str) -> tuple[bool, float]:
        rates = [points[index].flops_per_s or 0.0 for index in race.ways[way].values()]
        return (way not in right, -statistics.geometric_mean(rates))

    for way in sorted(race.ways, key=order):
        figures = race.ways[way]
        yield (
            way,
            *(cell for size in sizes for cell in _cells(figures, size, points)),
            _where([size for size in race.sizes if fastest.get(size) == way], race.sizes),
            answer([points[index] for index in figures.values()]),
        )


def _cells(
    figures: Mapping[float, int], size: float, points: Sequence[PointSummary]
) -> tuple[Cell, Cell]:
    if size not in figures:
        return None, None
    point = points[figures[size]]
    fraction = fraction_of_bound(point)
    return (point.flops_per_s or 0.0) / 1e6, None if fraction is None else 100 * fraction


def answer(points: Sequence[PointSummary]) -> str:
    """Return `right`, or what is wrong with a way's figures."""
    if all(point.verified for point in points):
        return "right"
    trials = dict.fromkeys(trial for point in points for trial in point.failed_trials)
    return f"WRONG: {', '.join(trials) or 'data'}"


def _where(chosen: Sequence[float], every: Sequence[float]) -> str:
    """Return sizes, with neighbours among `every` joined, such as `100-2000, 1e+06`."""
    stretches: list[list[float]] = []
    for before, size in zip([None, *every], every, strict=False):
        if size in chosen and before in chosen:
            stretches[-1].append(size)
        elif size in chosen:
            stretches.append([size])
    return ", ".join(
        f"{stretch[0]:g}" + (f"-{stretch[-1]:g}" if len(stretch) > 1 else "")
        for stretch in stretches
    )


def _spread(sizes: Sequence[float], most: int) -> list[float]:
    if len(sizes) <= most:
        return list(sizes)
    last = len(sizes) - 1
    return [sizes[round(number * last / (most - 1))] for number in range(most)]


def _notes(run: Run, found: Sequence[Race], points: Sequence[PointSummary]) -> Iterator[str]:
    axes = dict.fromkeys(race.size_axis for race in found)
    one = next(iter(found))
    where = f" of {one.benchmark.name} with {one.mpi} on {one.place}" if len(found) == 1 else ""
    yield (
        f"{run.run}: Mflop/s{where} by {' or '.join(axes)}, medians over {run.plan.launches} "
        "launches, and the percentage of the measured bound. Right answers first, the fastest of "
        "them first."
    )
    trials = {trial.name: trial for race in found for trial in race.benchmark.trials}
    failed = {
        name
        for race in found
        for way in race.ways.values()
        for index in way.values()
        for name in points[index].failed_trials
    }
    for name, trial in trials.items():
        if name in failed:
            yield f"{name}: {trial.definition}"
