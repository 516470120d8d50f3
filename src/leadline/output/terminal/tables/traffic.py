"""Tables of rates: bandwidths, halos by number of nodes, pairs of ranks that talk at once."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from leadline.analysis.jitter.jitter import NodeCurve, node_curves
from leadline.core.errors import UserError
from leadline.model.plan import Value
from leadline.model.run import Run
from leadline.model.summary import Analysis, Jitter, PairShare, PairShares, PointSummary
from leadline.output.table import Cell, Column, Table, columns, table_of
from leadline.output.terminal.tables.fields import mark, order, place, to_fields, values, varying
from leadline.output.words import statistics_text

# Bytes of one operation, over all processes, that a cache fetches only because they are stored.
_ALLOCATED = "write_allocate_bytes"
_COLUMNS = columns(
    "benchmark, library, place, choices, bytes, microseconds .3f, GB_per_second .2f, "
    "of_each_process .2f, with_write_allocate .2f"
)


def bandwidth(run: Run, analysis: Analysis) -> Table:
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
        rows=tuple(_bandwidth_row(point, alike) for point in ordered),
    )


def _choices(point: PointSummary) -> dict[str, Value]:
    chosen = {**point.axes, **point.conditions, "series": point.series}
    chosen.pop("bytes", None)
    return chosen


def _shared_choices(points: Sequence[PointSummary]) -> dict[str, Value]:
    first, *others = (_choices(point) for point in points)
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }


def _name_choices(point: PointSummary, alike: dict[str, Value]) -> str:
    chosen = {name: value for name, value in _choices(point).items() if name not in alike}
    return " ".join(f"{name}={value}" for name, value in sorted(chosen.items()))


def _bandwidth_row(point: PointSummary, alike: dict[str, Value]) -> tuple[Cell, ...]:
    rate = (point.bandwidth_MBps or 0.0) / 1e3
    allocated = point.metrics.get(_ALLOCATED)
    return (
        point.benchmark,
        point.mpi,
        place(point),
        _name_choices(point, alike) + ("" if point.verified else " NOT VERIFIED"),
        point.bytes,
        point.median_s * 1e6,
        rate,
        rate / point.processes,
        None if allocated is None else rate + allocated / point.median_s / 1e9,
    )


_BY_NODES_FIGURES = (
    *columns(
        "bytes, nodes, tasks, AVG_us .2f, MAX_us .2f, MAX/AVG .2f, 95_%_interval, "
        "GB/s_a_node_AVG .3g, GB/s_a_node_MAX .3g"
    ),
    Column(""),
)


def by_nodes(run: Run, analysis: Analysis) -> Table:
    """Return a row for each number of nodes, those of one way to run below each other.

    Raises `UserError` for a run whose calls were not timed on several numbers of nodes.
    """
    curves = node_curves(analysis.points, analysis.jitter)
    if not curves:
        raise UserError(
            "the table by-nodes takes calls of tasks that wait for their neighbours, such as a "
            "halo exchange, on several numbers of nodes with as many tasks each: "
            f"{run.run} has {_by_nodes_lack(analysis)}"
        )
    names = varying([_by_nodes_fields(curve.figures[0]) for curve in curves])
    ordered = sorted(curves, key=lambda curve: _by_nodes_order(curve, names))
    return table_of(
        notes=(
            f"{run.run}: of each call the time of the slowest task (MAX) and of all tasks on "
            "average (AVG), both averaged over the calls. A program in step runs at MAX.",
            "GB/s a node: what the tasks of a node send in a call over AVG, and over MAX; 1 GB/s "
            "is 10^9 bytes/s.",
        ),
        columns=(*map(Column, names), *_BY_NODES_FIGURES),
        rows=tuple(
            (*values(_by_nodes_fields(point), names), *_by_nodes_row(point, one))
            for curve in ordered
            for point, one in zip(curve.figures, curve.jitter, strict=True)
        ),
    )


def _by_nodes_lack(analysis: Analysis) -> str:
    if not analysis.jitter:
        return "no call that was timed on each task"
    if not any(one.predictions for one in analysis.jitter):
        return "calls of which each task waits for all others"
    return "each of them on one number of nodes alone"


def _by_nodes_fields(point: PointSummary) -> dict[str, Value]:
    """Return all that tells a curve from others but its size, which has a column of its own."""
    own: dict[str, Value] = {"series": point.series, "tasks_a_node": point.processes_per_node}
    return {**to_fields(point, "bytes"), **own}


def _by_nodes_order(curve: NodeCurve, names: Sequence[str]) -> tuple[object, ...]:
    """By benchmark, then by size, so that the ways to run at one size stand below each other."""
    first = curve.figures[0]
    return (first.benchmark, first.bytes or 0, order(_by_nodes_fields(first), names))


def _by_nodes_row(point: PointSummary, one: Jitter) -> tuple[Cell, ...]:
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
        mark([point]),
    )


_PAIRS_FIGURES = (
    *columns(
        "bytes, place, pairs, total_MB/s .4g, each_MB/s .4g, fair_% .1f, least_% .1f, "
        "95_%_interval, of, most_% .1f, 95_%_interval, of"
    ),
    Column(""),
)


# A pair alone has all.
_NO_OTHER = (None, None, None)


def pairs(run: Run, analysis: Analysis) -> Table:
    """Return a row for each placement and number of pairs, those of one size below each other.

    Raises `UserError` for a run in which no pairs were timed one by one.
    """
    if not analysis.pairs:
        raise UserError(
            "the table pairs takes a run in which each of several pairs of ranks stops a clock, "
            f"such as `leadline run crossbar` measures: {run.run} has none"
        )
    names = varying([_pairs_fields(analysis, one) for one in analysis.pairs])
    ordered = sorted(analysis.pairs, key=lambda one: _pairs_order(analysis, one, names))
    return table_of(
        notes=(
            f"{run.run}: the rate of each pair in the median over pairs, what the least and the "
            "most favoured pair get of all that the pairs move, and the fair share of each, with "
            "intervals over launches. 1 MB/s is 10^6 bytes/s.",
        ),
        columns=(*map(Column, names), *_PAIRS_FIGURES),
        rows=tuple(
            (*values(_pairs_fields(analysis, one), names), *_pairs_row(analysis, one))
            for one in ordered
        ),
    )


def _pairs_fields(analysis: Analysis, one: PairShares) -> dict[str, Value]:
    return to_fields(analysis.points[one.point], "bytes", "pairs")


def _pairs_order(analysis: Analysis, one: PairShares, names: Sequence[str]) -> tuple[object, ...]:
    point = analysis.points[one.point]
    chosen = order(_pairs_fields(analysis, one), names)
    return (chosen, point.bytes or 0, point.processes, point.nodes, len(one.pairs))


def _pairs_row(analysis: Analysis, one: PairShares) -> tuple[Cell, ...]:
    point = analysis.points[one.point]
    rates = [each.MBps for each in one.pairs if each.MBps]
    least = min(one.pairs, key=lambda pair: pair.share)
    most = max(one.pairs, key=lambda pair: pair.share)
    return (
        point.bytes,
        place(point),
        round(1 / one.fair_share),
        one.total_MBps,
        statistics.median(rates) if rates else None,
        100 * one.fair_share,
        *(_of_pair(least) if len(one.pairs) > 1 else _NO_OTHER),
        *(_of_pair(most) if len(one.pairs) > 1 else _NO_OTHER),
        mark([point]),
    )


def _of_pair(pair: PairShare) -> tuple[Cell, ...]:
    interval = "-"
    if pair.share_low is not None and pair.share_high is not None:
        interval = f"{100 * pair.share_low:.1f} - {100 * pair.share_high:.1f}"
    return 100 * pair.share, interval, f"{pair.rank}-{pair.peer}"
