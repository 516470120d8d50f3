"""Plots against the number of nodes and of processes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from leadline.analysis.jitter.jitter import NodeCurve, node_curves
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import time_ratio
from leadline.core.units import format_bytes
from leadline.model.run import variant
from leadline.model.summary import PointSummary
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    panel_of,
    place_row,
)
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData, spread_out

_NODE_COLUMNS = ("curve", "which", "nodes", "tasks", "time_us", "GBps")


def node_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each size of which calls were timed on several numbers of nodes."""
    found: dict[tuple[str, str, int | None], list[NodeCurve]] = defaultdict(list)
    for curve in node_curves(data.analysis.points, data.analysis.jitter):
        first = curve.figures[0]
        found[first.benchmark, first.series, first.bytes].append(curve)
    for number, ((_, series, size), curves) in enumerate(found.items()):
        names = _by_nodes_names(curves)
        kept = spread_out(len(curves), MAXIMUM_CURVES)
        rows = [row for at in kept for row in _by_nodes_rows(names[at], curves[at])]
        at_size = "" if size is None else f" at {format_bytes(size)}"
        yield panel_of(
            data.run,
            f"nodes-{number}",
            f"{series.replace('_', ' ')}{at_size} by number of nodes",
            [point for curve in curves for point in curve.figures],
            curves=tuple(names[at] for at in kept),
            data={"by_nodes": rows},
        )


def _by_nodes_names(curves: list[NodeCurve]) -> list[str]:
    firsts = [curve.figures[0] for curve in curves]
    names = curve_names(firsts)
    if len({first.processes_per_node for first in firsts}) == 1:
        return names
    return [
        f"{name}, {first.processes_per_node} a node"
        for name, first in zip(names, firsts, strict=True)
    ]


def _by_nodes_rows(name: str, curve: NodeCurve) -> Iterator[Row]:
    for point, one in zip(curve.figures, curve.jitter, strict=True):
        for which, seconds, rate in (
            ("MAX", one.maximum_s, one.maximum_GBps),
            ("AVG", one.average_s, one.average_GBps),
        ):
            yield {
                "curve": name,
                "which": which,
                "nodes": point.nodes,
                "tasks": point.processes,
                "time_us": seconds * 1e6,
                "GBps": rate,
            }


def _draw_by_nodes(panel: Panel, rows: list[Row]) -> vl.Specification:
    counts = sorted({row["nodes"] for row in rows})
    scale = {"type": "log", "base": 2, "nice": False, "padding": 14}
    encoding = {
        "x": vl.axis("nodes", "nodes", scale, values=counts, format="d"),
        "y": vl.log_axis("time_us", "time (µs)"),
        "color": vl.colour(panel.curves),
        "tooltip": vl.tooltip(
            curve="curve", which="of the tasks", nodes="nodes", tasks="tasks", time_us="time (µs)",
            GBps="GB/s a node",
        ),
    }  # fmt: skip
    return vl.chart(
        rows,
        *_NODE_COLUMNS,
        layer=[
            vl.layer("line", encoding, "datum.which == 'MAX'", point={"filled": True, "size": 60}),
            vl.layer(
                "line", encoding, "datum.which == 'AVG'", strokeDash=[5, 4],
                point={"filled": False, "size": 60},
            ),
        ],
    )  # fmt: skip


BY_NODES = Plot(
    name="by_nodes",
    title="Slowest and average task against the number of nodes",
    shows=(
        "Mean over calls of the slowest task's time (MAX, drawn through) and of the average over "
        "tasks (AVG, dashed), both axes logarithmic, a colour for each way to run, such as the "
        "eager limit."
    ),
    panels=node_panels,
    draw=_draw_by_nodes,
)


_Curve = list[PointSummary]


def scaling_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each series of which the same was measured on more processes too."""
    found: dict[tuple[str, str], list[_Curve]] = defaultdict(list)
    for curve in _curves(data.analysis.points):
        found[curve[0].benchmark, curve[0].series].append(curve)
    for number, ((_, series), curves) in enumerate(found.items()):
        names = _scaling_names(curves)
        kept = spread_out(len(curves), MAXIMUM_CURVES)
        rows = [
            _speed_up_row(names[at], curves[at][0], point) for at in kept for point in curves[at]
        ]
        yield panel_of(
            data.run,
            f"scaling-{number}",
            f"{series.replace('_', ' ')} by number of processes",
            [point for curve in curves for point in curve],
            curves=tuple(names[at] for at in kept),
            data={"speed_up": rows},
        )


def _curves(points: Sequence[PointSummary]) -> list[_Curve]:
    """Return figures that differ in nothing but their processes, ascending, fewest first.

    Where one number of processes was placed in several ways, each way to place them on a node is a
    curve of its own.
    """
    alike: dict[object, _Curve] = defaultdict(list)
    for point in points:
        if point.median_s > 0:
            choices = variant(point.axes, point.conditions)
            alike[point.benchmark, point.series, choices, point.bytes, point.mpi].append(point)
    curves = []
    for group in alike.values():
        group.sort(key=lambda point: (point.processes_per_node, point.processes))
        if len({point.processes for point in group}) == len(group):
            parts = [sorted(group, key=lambda point: point.processes)]
        else:
            parts = [list(part) for _, part in groupby(group, lambda p: p.processes_per_node)]
        curves += [part for part in parts if len({point.processes for point in part}) > 1]
    return curves


def _scaling_names(curves: Sequence[_Curve]) -> list[str]:
    """Return what tells the curves apart: choices, size, and how many processes share a node."""
    firsts = [curve[0] for curve in curves]
    texts = [[name] for name in curve_names(firsts)]
    if len({first.bytes for first in firsts}) > 1:
        for text, first in zip(texts, firsts, strict=True):
            text.append(str(place_row("", first)["size"]))
    steady = [len({point.processes_per_node for point in curve}) == 1 for curve in curves]
    if len({first.processes_per_node for first in firsts}) > 1 and all(steady):
        for text, first in zip(texts, firsts, strict=True):
            text.append(f"{first.processes_per_node} a node")
    return [", ".join(filter(None, text)) for text in texts]


def _speed_up_row(curve: str, fewest: PointSummary, point: PointSummary) -> Row:
    ratio = time_ratio(fewest, point)
    factor = ratio.median if ratio else fewest.median_s / point.median_s
    low, high = ratio.interval if ratio and ratio.interval else (None, None)
    return {
        **place_row(curve, point),
        "processes": point.processes,
        "nodes": point.nodes,
        "fewest": fewest.processes,
        "time_us": point.median_s * 1e6,
        "speedup": factor if point is not fewest else 1.0,
        "low": low if point is not fewest else None,
        "high": high if point is not fewest else None,
        "efficiency": _efficiency(factor, fewest, point),
    }


def _efficiency(factor: float, fewest: PointSummary, point: PointSummary) -> float | None:
    """Return the efficiency of a speed-up where the processes share the work, of a scale-up where
    it grows with them; None where it is not known which.
    """
    one, other = fewest.metrics.get(WORK), point.metrics.get(WORK)
    if not one or not other:
        return None
    return factor * (other / point.processes) / (one / fewest.processes)


def _draw_speed_up(panel: Panel, rows: list[Row]) -> vl.Specification:
    counts = sorted({row["processes"] for row in rows})
    fewest = min(row["fewest"] for row in rows)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 14}
    x = vl.axis("processes", "processes", scale, values=counts, format="d")
    y = vl.log_axis("speedup", "times as fast as on the fewest")
    encoding = {"x": x, "y": y, "color": vl.colour(panel.curves)}
    ideals = [
        {"ideal": ideal, "processes": count, "speedup": count / fewest if ideal == "more" else 1.0}
        for ideal in ("more", "level")
        for count in (fewest, counts[-1])
    ]
    ideal = {"x": x, "y": y, "detail": {"field": "ideal"}}
    interval = vl.spread(
        "rule", encoding, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.4
    )
    words = vl.tooltip(
        curve="curve", processes="processes", nodes="nodes", time_us="time (µs)",
        speedup="times as fast", low="95 % from", high="95 % to",
        **({"efficiency": "efficiency"} if any(row["efficiency"] for row in rows) else {}),
    )  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "processes", "nodes", "time_us"),
        *("speedup", "low", "high", "efficiency"),
        layer=[
            vl.layer("line", ideal, rows=ideals, style="reference"),
            *([interval] if any(row["low"] for row in rows) else []),
            vl.layer("line", encoding),
            vl.symbols(encoding, 60, shape=vl.shape(panel.curves), tooltip=words),
        ],
    )


SPEED_UP = Plot(
    name="speed_up",
    title="Speed-up and scale-up",
    shows=(
        "Time on the fewest processes over time on more, both axes logarithmic, with its 95 % "
        "interval where there is one. The rising dashed line is ideal for work that the processes "
        "share (speed-up), the level one for work that grows with them (scale-up)."
    ),
    panels=scaling_panels,
    draw=_draw_speed_up,
)
