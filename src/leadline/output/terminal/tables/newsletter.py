"""One-sided transfers as ARSC's T3E Users' Newsletter 117 (8 April 1997) lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

_WORD_BYTES = 8
# What a published table says of its figures: an axis, and two numbers beside the times.
_MACHINE, _RUN, _TICKS = "machine", "run", "clock_ticks"
# In the order of the newsletter. Only the receiver knows how long the data took.
_ROLES = ("receiver", "sender")
_COLUMNS = (
    Column("machine"),
    Column("run"),
    Column("role"),
    Column("words"),
    Column("clock_ticks"),
    Column("microseconds", ".3f"),
    Column("megabytes_per_second", ".3f"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return the times of both sides for each number of words.

    What the newsletter calls a run is here a library, a placement and a choice of axes. Figures of
    the newsletter itself keep their machine, run and clock ticks as it printed them.
    """
    curves = _curves(analysis.points)
    if not curves:
        raise UserError(
            "the table newsletter takes a run in which a sender and a receiver are both timed, by "
            f"bytes in whole words of {_WORD_BYTES}: {run.run} has no such figures"
        )
    rows = [
        row
        for number, points in enumerate(curves.values(), start=1)
        for role in _ROLES
        for row in _rows(run, number, role, points)
    ]
    notes = (*_clock_notes(run, curves), *_definitions(run, curves), *_curve_notes(curves))
    return table_of(notes=notes, columns=_COLUMNS, rows=tuple(rows))


Curves = dict[str, list[PointSummary]]


def _curves(points: Sequence[PointSummary]) -> Curves:
    """Return the figures in words of both sides, by what they have in common."""
    found: Curves = {}
    for point in points:
        if point.series in _ROLES and point.bytes and point.bytes % _WORD_BYTES == 0:
            where = f"{point.nodes}x{point.processes_per_node}"
            chosen = variant(point.axes, point.conditions).replace(",", ", ")
            name = ", ".join(filter(None, (point.benchmark, point.mpi, where, chosen)))
            found.setdefault(name, []).append(point)
    return {
        name: curve
        for name, curve in found.items()
        if {point.series for point in curve} == set(_ROLES)
    }


def _rows(
    run: Run, number: int, role: str, points: Sequence[PointSummary]
) -> Iterator[tuple[Cell, ...]]:
    frequency = run.machine.get("nominal_frequency_hz")
    of_role = (point for point in points if point.series == role)
    for point in sorted(of_role, key=lambda point: point.bytes or 0):
        yield (
            _machine(run, point),
            _number(point, number),
            role,
            (point.bytes or 0) // _WORD_BYTES,
            _ticks(point, frequency),
            point.median_s * 1e6,
            point.bandwidth_MBps if role == "receiver" else None,
        )


def _machine(run: Run, point: PointSummary) -> str:
    return str(point.axes.get(_MACHINE) or run.machine.get("host") or "")


def _number(point: PointSummary, number: int) -> int:
    """Return the run's number as it was published, or else this one."""
    return round(point.metrics.get(_RUN, number))


def _ticks(point: PointSummary, frequency: float | None) -> int | None:
    ticks = point.metrics.get(_TICKS, point.median_s * frequency if frequency else None)
    return None if ticks is None else round(ticks)


def _clock_notes(run: Run, curves: Curves) -> Iterator[str]:
    points = [point for curve in curves.values() for point in curve]
    what = f"{statistics_text(points).capitalize()}; 1 MB/s is 10^6 bytes/s."
    if run.imported:
        yield f"{run.run}, from {run.imported.source or run.imported.program}. {what}"
        if any(_TICKS in point.metrics for point in points):
            yield "Clock ticks are those that were published."
        return
    processor = run.machine.get("cpu_model") or "a processor without a name"
    yield f"{run.run}, on {processor}. {what}"
    read = dict.fromkeys(launch.clock.source for launch in run.launches if launch.clock)
    clock = f" The clock that was read is {', '.join(read)}." if read else ""
    frequency = run.machine.get("nominal_frequency_hz")
    if frequency:
        source = run.machine.get("nominal_frequency_source")
        yield (
            f"A clock tick is one of the processor's nominal {frequency / 1e6:.6g} MHz "
            f"({source}): the time in its ticks.{clock}"
        )
    else:
        yield f"No clock ticks: the machine does not tell its nominal frequency.{clock}"


def _definitions(run: Run, curves: Curves) -> Iterator[str]:
    named = {point.benchmark for points in curves.values() for point in points}
    for benchmark in run.benchmarks:
        if benchmark.name in named:
            for series in benchmark.series:
                if series.name in _ROLES:
                    yield f"{series.name}: {series.definition}"


def _curve_notes(curves: Curves) -> Iterator[str]:
    for place, (name, points) in enumerate(curves.items(), start=1):
        number = _number(points[0], place)
        wrong = {(p.bytes or 0) // _WORD_BYTES for p in points if not p.verified}
        doubt = f"; NOT VERIFIED at {', '.join(map(str, sorted(wrong)))} words" if wrong else ""
        shared = "; more processes than cores" if any(p.oversubscribed for p in points) else ""
        yield f"run {number}: {name}{doubt}{shared}"


TABLE = RunTable(
    name="newsletter",
    summary="sender's and receiver's time by words: clock ticks, microseconds, MB/s",
    make=make,
)
