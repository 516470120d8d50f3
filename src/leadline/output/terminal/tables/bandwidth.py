"""Bandwidths by size and choice: of all processes, of each, and with what caches move unasked."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.core.errors import UserError
from leadline.model.plan import Value
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable

# Bytes of one operation, over all processes, that a cache fetches only because they are stored.
_ALLOCATED = "write_allocate_bytes"
_COLUMNS = (
    Column("benchmark"),
    Column("library"),
    Column("place"),
    Column("choices"),
    Column("bytes"),
    Column("microseconds", ".3f"),
    Column("GB_per_second", ".2f"),
    Column("of_each_process", ".2f"),
    Column("with_write_allocate", ".2f"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return the bandwidth of each figure that has one, in 10^9 bytes/s."""
    points = [point for point in analysis.points if point.bandwidth_MBps]
    if not points:
        raise UserError(
            f"the table bandwidth takes a run whose operations move bytes: {run.run} has none"
        )
    alike = _shared_choices(points)
    over = "" if run.imported else f" over {run.plan.launches} launches"
    shared = ", ".join(f"{name}={value}" for name, value in alike.items())
    ordered = sorted(
        points,
        key=lambda p: (p.benchmark, p.mpi, p.processes, _name_choices(p, alike), p.bytes or 0),
    )
    return table_of(
        notes=(
            f"{run.run}: {statistics_text(points)}{over}, 1 GB/s is 10^9 bytes/s. All "
            f"with {shared}.",
            "with write allocate: the lines that a cache fetches only because they are stored are "
            "counted too.",
        ),
        columns=_COLUMNS,
        rows=tuple(_row(point, alike) for point in ordered),
    )


def _choices(point: PointSummary) -> dict[str, Value]:
    chosen = {**point.axes, **point.conditions, "series": point.series}
    chosen.pop("bytes", None)
    return chosen


def _shared_choices(points: Sequence[PointSummary]) -> dict[str, Value]:
    """Return the choices that all figures share."""
    first, *others = (_choices(point) for point in points)
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _name_choices(point: PointSummary, alike: dict[str, Value]) -> str:
    chosen = {name: value for name, value in _choices(point).items() if name not in alike}
    return " ".join(f"{name}={value}" for name, value in sorted(chosen.items()))


def _row(point: PointSummary, alike: dict[str, Value]) -> tuple[Cell, ...]:
    rate = (point.bandwidth_MBps or 0.0) / 1e3
    allocated = point.metrics.get(_ALLOCATED)
    return (
        point.benchmark,
        point.mpi,
        f"{point.nodes}x{point.processes_per_node}",
        _name_choices(point, alike) + ("" if point.verified else " NOT VERIFIED"),
        point.bytes,
        point.median_s * 1e6,
        rate,
        rate / point.processes,
        None if allocated is None else rate + allocated / point.median_s / 1e9,
    )


TABLE = RunTable(
    name="bandwidth",
    summary="bandwidths in GB/s: of all processes, of each, and with write-allocate",
    make=make,
)
