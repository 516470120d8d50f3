"""What each rank lost to the machine, and in how long pieces."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.core.errors import UserError
from leadline.core.units import format_seconds
from leadline.model.noise import Noise
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

_COLUMNS = (
    Column("benchmark"),
    Column("library"),
    Column("place"),
    Column("choices"),
    Column("rank"),
    Column("quantum_us", ".2f"),
    Column("lost_percent", ".2f"),
    Column("in_detours_percent", ".2f"),
    Column("detours_per_s", ".0f"),
    Column("median_us", ".1f"),
    Column("p99_us", ".1f"),
    Column("longest_us", ".0f"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each rank of each figure whose calls came in a row."""
    if not analysis.noise:
        raise UserError(
            "the table noise takes a run of calls that were timed one by one in a row, as those of "
            f"work alone are: {run.run} has none"
        )
    rows = [
        (*figure(analysis.points[noise.point]), *cells)
        for noise in analysis.noise
        for cells in _ranks(noise)
    ]
    return table_of(
        notes=(
            "Lost is what calls took beyond one that nothing disturbed, over the time spent in "
            "calls; detours are stretches of calls that took longer than those around them.",
            *_periods(analysis),
        ),
        columns=_COLUMNS,
        rows=tuple(rows),
    )


def figure(point: PointSummary) -> tuple[str, str, str, str]:
    """Return what tells a figure from others: benchmark, library, placement and its choices."""
    place = f"{point.nodes}x{point.processes_per_node}"
    return point.benchmark, point.mpi, place, variant(point.axes, {}).replace(",", " ")


def _ranks(noise: Noise) -> Iterator[tuple[Cell, ...]]:
    for rank in sorted(noise.ranks, key=lambda one: one.rank):
        durations = (rank.detour_median_s, rank.detour_p99_s, rank.detour_max_s)
        yield (
            rank.rank,
            rank.quantum_s * 1e6,
            rank.lost_fraction * 100,
            rank.detours_fraction * 100,
            rank.detours_per_s,
            *(None if each is None else each * 1e6 for each in durations),
        )


def _periods(analysis: Analysis) -> Iterator[str]:
    for noise in analysis.noise:
        told = "; ".join(
            f"{format_seconds(period.period_s)} ({period.source or 'unknown'}, "
            f"{format_seconds(period.duration_s)} each, {period.lost_fraction * 100:.2g} %)"
            for period in noise.periods
        )
        words = " ".join(figure(analysis.points[noise.point]))
        yield f"Periods in {words}: {told or 'none'}"


TABLE = RunTable(
    name="noise",
    summary="what each rank lost to the machine: share, detours and their durations",
    make=make,
)
