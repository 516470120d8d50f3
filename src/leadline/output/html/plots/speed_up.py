"""How many times as fast the same goes on more processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from leadline.analysis.stats.comparison import time_ratio
from leadline.model.run import variant
from leadline.model.summary import PointSummary
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    definition,
    place_row,
    placement,
)
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import spread_out

_Curve = list[PointSummary]


def scaling_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each series of which the same was measured on more processes too."""
    found: dict[tuple[str, str], list[_Curve]] = defaultdict(list)
    for curve in _curves(data.analysis.points):
        found[curve[0].benchmark, curve[0].series].append(curve)
    for number, ((benchmark, series), curves) in enumerate(found.items()):
        names = _names(curves)
        kept = spread_out(len(curves), MAXIMUM_CURVES)
        places = dict.fromkeys(placement(point) for curve in curves for point in curve)
        rows = [_row(names[at], curves[at][0], point) for at in kept for point in curves[at]]
        yield Panel(
            identifier=f"scaling-{number}",
            benchmark=benchmark,
            series=series,
            placement=", ".join(places),
            title=f"{series.replace('_', ' ')} by number of processes",
            definition=definition(data.run, benchmark, series),
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


def _names(curves: Sequence[_Curve]) -> list[str]:
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


def _row(curve: str, fewest: PointSummary, point: PointSummary) -> Row:
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
        "efficiency": factor * fewest.processes / point.processes,
    }


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    counts = sorted({row["processes"] for row in rows})
    fewest = min(row["fewest"] for row in rows)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 14}
    x = vl.axis("processes", "processes", scale, values=counts, format="d")
    y = vl.log_axis("speedup", "times as fast as on the fewest")
    own = {"x": x, "y": y, "color": vl.colour(panel.curves)}
    ideals = [
        {"ideal": ideal, "processes": count, "speedup": count / fewest if ideal == "more" else 1.0}
        for ideal in ("more", "level")
        for count in (fewest, counts[-1])
    ]
    ideal = {"x": x, "y": y, "detail": {"field": "ideal"}}
    interval = vl.spread("rule", own, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.4)
    words = vl.tooltip(
        curve="curve", processes="processes", nodes="nodes", time_us="time (µs)",
        speedup="times as fast", low="95 % from", high="95 % to", efficiency="efficiency",
    )  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "processes", "nodes", "time_us"),
        *("speedup", "low", "high", "efficiency"),
        layer=[
            vl.layer("line", ideal, rows=ideals, style="reference"),
            *([interval] if any(row["low"] for row in rows) else []),
            vl.layer("line", own),
            vl.symbols(own, 60, shape=vl.shape(panel.curves), tooltip=words),
        ],
    )


PLOT = Plot(
    name="speed_up",
    order=70,
    title="Speed-up and scale-up",
    shows=(
        "Time on the fewest processes over time on more, both axes logarithmic, with its 95 % "
        "interval where there is one. The rising dashed line is ideal for work that the processes "
        "share (speed-up), the level one for work that grows with them (scale-up)."
    ),
    panels=scaling_panels,
    draw=_draw,
)
