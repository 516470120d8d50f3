"""The global sum as M. Pester, "CHiC als CLiC-Nachfolger" (Chemnitz, 2007), lists it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

_AXIS = "algorithm"
_DOUBLE_BYTES = 8
_MIB = 2**20
_COLUMNS = (
    Column("processes"),
    Column("nodes"),
    Column("vector_length"),
    Column("packet_MiB", ".6g"),
    Column("data_flow_GiB", ".6g"),
    Column("library"),
    Column("algorithm"),
    Column("megabit_per_second_per_process", ".0f"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return the rate of each process for each algorithm.

    With p = 2^n processes and vectors of N doubles, a packet is L = 8 N / 2^20 MiB, n p L flow in
    all, and the rate is 8 * 2 n L / t for the time t.
    """
    points = [point for point in analysis.points if _fits(point)]
    if not points:
        raise UserError(
            f"the table global-sum takes a run with the axis {_AXIS} over vectors of doubles, on "
            f"2, 4, 8, ... processes: {run.run} has no such figures"
        )
    ordered = sorted(points, key=lambda p: (p.processes, p.nodes, p.bytes or 0, p.mpi))
    return table_of(
        notes=tuple(_notes(run, points)),
        columns=_COLUMNS,
        rows=tuple(_row(point, points) for point in ordered),
    )


def _fits(point: PointSummary) -> bool:
    whole = bool(point.bytes) and (point.bytes or 0) % _DOUBLE_BYTES == 0
    power_of_two = point.processes > 1 and point.processes.bit_count() == 1
    return _AXIS in point.axes and whole and power_of_two


def _row(point: PointSummary, points: Sequence[PointSummary]) -> tuple[Cell, ...]:
    size = point.bytes or 0
    packet_mib = size / _MIB
    dimensions = point.processes.bit_length() - 1
    return (
        point.processes,
        point.nodes,
        size // _DOUBLE_BYTES,
        packet_mib,
        dimensions * point.processes * packet_mib / 1024,
        point.mpi,
        _name_algorithm(point, points),
        8 * 2 * dimensions * packet_mib / point.median_s,
    )


def _name_algorithm(point: PointSummary, points: Sequence[PointSummary]) -> str:
    """Return the algorithm, with all else in which the figures of the run differ."""
    words = [str(point.axes[_AXIS])]
    if len({each.benchmark for each in points}) > 1:
        words.insert(0, point.benchmark)
    if len({each.series for each in points}) > 1:
        words.append(point.series)
    if len({_others(each) for each in points}) > 1:
        words.append(_others(point))
    return " ".join(filter(None, words)) + ("" if point.verified else " NOT VERIFIED")


def _others(point: PointSummary) -> str:
    axes = {name: value for name, value in point.axes.items() if name != _AXIS}
    return variant(axes, point.conditions)


def _notes(run: Run, points: Sequence[PointSummary]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(point.benchmark for point in points))
    yield f"{run.run}: {benchmarks}, {statistics_text(points)}."
    yield (
        "p = 2^n processes, vectors of N doubles: packet L = 8 N / 2^20 MiB, data flow n p L, rate "
        "of a process 8 * 2 n L / t. One Mbit is 2^20 bits here, as in the source."
    )
    if any(point.oversubscribed for point in points):
        yield "Some figures are of more processes than cores."


TABLE = RunTable(
    name="global-sum",
    summary="rate of each process in a global sum, by algorithm",
    make=make,
)
