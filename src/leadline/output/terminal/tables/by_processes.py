"""Times by number of processes, as ARSC's T3E Users' Newsletter 117 (8 April 1997) lists them.

A row for each number of processes, a column for each time that a program reports and each way of
running it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.results.program import WORK
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Column, Table, table_of
from leadline.output.terminal.fields import to_fields, varying
from leadline.output.terminal.table import RunTable

# The figures of a column by the number of processes and the placement.
_Times = Mapping[tuple[int, str], PointSummary]


def make(run: Run, analysis: Analysis) -> Table:
    """Return times in seconds.

    Raises `UserError` for a run in which no program ran on several numbers of processes.
    """
    points = [point for point in analysis.points if WORK in point.metrics]
    if len({point.processes for point in points}) < 2:
        raise UserError(
            f"the table by-processes takes a run of programs that tell their {WORK}, on several "
            f"numbers of processes: {run.run} has no such figures"
        )
    columns = _columns(points)
    places = sorted({place for times in columns.values() for place in times})
    several = len({processes for processes, _ in places}) < len(places)
    return table_of(
        notes=tuple(_notes(run, points)),
        columns=(
            Column("processes"),
            *([Column("placement")] if several else []),
            *(Column(f"{name}_s", ".4g") for name in columns),
        ),
        rows=tuple(
            (
                place[0],
                *([place[1]] if several else []),
                *(times[place].median_s if place in times else None for times in columns.values()),
            )
            for place in places
        ),
    )


def _columns(points: Sequence[PointSummary]) -> Mapping[str, _Times]:
    """Return the figures of each column by its name: series, and what tells it from others."""
    telling = varying([to_fields(point) for point in points])
    found: dict[str, dict[tuple[int, str], PointSummary]] = {}
    for series in dict.fromkeys(point.series for point in points):
        for point in points:
            if point.series == series:
                named = to_fields(point)
                words = [series, *(str(named[name]) for name in telling if name in named)]
                place = (point.processes, f"{point.nodes}x{point.processes_per_node}")
                mark = "" if point.verified else " NOT VERIFIED"
                found.setdefault(" ".join(words) + mark, {})[place] = point
    return found


def _notes(run: Run, points: Sequence[PointSummary]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(point.benchmark for point in points))
    yield f"{run.run}: {benchmarks}, {statistics_text(points)} in seconds."
    named = dict.fromkeys((point.benchmark, point.series) for point in points)
    for benchmark in run.benchmarks:
        for series in benchmark.series:
            if (benchmark.name, series.name) in named and series.definition:
                yield f"{series.name}: {series.definition}"
    if any(point.oversubscribed for point in points):
        yield "Some figures are of more processes than cores."


TABLE = RunTable(
    name="by-processes",
    summary="times of a program by number of processes, a column for each way of running it",
    make=make,
)
