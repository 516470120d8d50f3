"""MAX, AVG and what a node sends by number of nodes, as J. Hague, "Switch Jitter", draws them."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.analysis.jitter.jitter import NodeCurve, node_curves
from leadline.core.errors import UserError
from leadline.model.plan import Value
from leadline.model.run import Run
from leadline.model.summary import Analysis, Jitter, PointSummary
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.fields import to_fields, varying
from leadline.output.terminal.table import RunTable

_FIGURES = (
    Column("bytes"),
    Column("nodes"),
    Column("tasks"),
    Column("AVG_us", ".2f"),
    Column("MAX_us", ".2f"),
    Column("MAX/AVG", ".2f"),
    Column("95_%_interval"),
    Column("GB/s_a_node_AVG", ".3g"),
    Column("GB/s_a_node_MAX", ".3g"),
    Column(""),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each number of nodes, those of one way to run below each other.

    Raises `UserError` for a run whose calls were not timed on several numbers of nodes.
    """
    curves = node_curves(analysis.points, analysis.jitter)
    if not curves:
        raise UserError(
            "the table by-nodes takes a run of calls of tasks that wait for their neighbours, such "
            f"as a halo exchange, on several numbers of nodes with as many tasks each: {run.run} "
            "has none"
        )
    names = varying([_fields(curve.figures[0]) for curve in curves])
    ordered = sorted(curves, key=lambda curve: _order(curve, names))
    return table_of(
        notes=(
            f"{run.run}: of each call the time of the slowest task (MAX) and of all tasks on "
            "average (AVG), both averaged over the calls. A program in step runs at MAX.",
            "GB/s a node: what the tasks of a node send in a call over AVG, and over MAX; 1 GB/s "
            "is 10^9 bytes/s.",
        ),
        columns=(*map(Column, names), *_FIGURES),
        rows=tuple(
            (*(_fields(point).get(name) for name in names), *_row(point, one))
            for curve in ordered
            for point, one in zip(curve.figures, curve.jitter, strict=True)
        ),
    )


def _fields(point: PointSummary) -> dict[str, Value]:
    """Return all that tells a curve from others but its size, which has a column of its own."""
    own: dict[str, Value] = {"series": point.series, "tasks_a_node": point.processes_per_node}
    return {name: value for name, value in {**to_fields(point), **own}.items() if name != "bytes"}


def _order(curve: NodeCurve, names: Sequence[str]) -> tuple[object, ...]:
    """By benchmark, then by size, so that the ways to run at one size stand below each other."""
    first = curve.figures[0]
    fields = _fields(first)
    return (first.benchmark, first.bytes or 0, tuple(str(fields.get(name, "")) for name in names))


def _row(point: PointSummary, one: Jitter) -> tuple[Cell, ...]:
    return (
        point.bytes,
        point.nodes,
        point.processes,
        one.average_s * 1e6,
        one.maximum_s * 1e6,
        one.maximum_over_average,
        f"{one.ci95_low:.2f} - {one.ci95_high:.2f}",
        one.average_GBps,
        one.maximum_GBps,
        _mark(point),
    )


def _mark(point: PointSummary) -> str:
    wrong = "" if point.verified else "NOT VERIFIED"
    return wrong or ("more processes than cores" if point.oversubscribed else "")


TABLE = RunTable(
    name="by-nodes",
    summary="MAX and AVG of calls and GB/s a node by number of nodes, for each eager limit",
    make=make,
)
