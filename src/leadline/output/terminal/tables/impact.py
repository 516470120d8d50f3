"""What neighbours cost a victim: the impact factor by neighbour and spacer."""

from __future__ import annotations

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis, Impact
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

_COLUMNS = (
    Column("victim"),
    Column("bytes"),
    Column("neighbour"),
    Column("spacer"),
    Column("its_MB/s", ".1f"),
    Column("alone_us", ".2f"),
    Column("disturbed_us", ".2f"),
    Column("median", ".2f"),
    Column("95_%_interval"),
    Column("p99", ".2f"),
    Column("95_%_interval"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each victim beside each neighbour and spacer."""
    if not analysis.impacts:
        raise UserError(
            "the table impact takes a run in which something ran beside what was measured, and "
            f"nothing did: {run.run} has no such figures (`leadline run BENCHMARK --place 4x1 "
            "--victims 2 --neighbour none,alltoall`)"
        )
    return table_of(
        notes=(
            "Impact of neighbours: how many times as long the victim takes as alone, in the median "
            "and in the 99th percentile, launch by launch, with intervals over launches. its MB/s: "
            "what the neighbour moved itself.",
        ),
        columns=_COLUMNS,
        rows=tuple(_row(analysis, impact) for impact in analysis.impacts),
    )


def _row(analysis: Analysis, impact: Impact) -> tuple[Cell, ...]:
    alone, disturbed = analysis.points[impact.alone], analysis.points[impact.disturbed]
    several = len({point.series for point in analysis.points}) > 1
    return (
        f"{alone.benchmark} {alone.series}" if several else alone.benchmark,
        alone.bytes,
        impact.neighbour,
        impact.spacer,
        impact.neighbour_MBps,
        alone.median_s * 1e6,
        disturbed.median_s * 1e6,
        impact.median_ratio,
        _interval(impact.median_low, impact.median_high),
        impact.p99_ratio,
        _interval(impact.p99_low, impact.p99_high),
    )


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.2f} - {high:.2f}"


TABLE = RunTable(
    name="impact",
    summary="what neighbours cost a victim: impact factors by neighbour and spacer",
    make=make,
)
