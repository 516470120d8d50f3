"""One thing on several numbers of processes: speed-up and scale-up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from leadline.analysis.stats.comparison import time_ratio
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.html.distributions import spread_out
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    definition,
    place_row,
)

_Curve = list[PointSummary]


def scaling_panels(run: Run, analysis: Analysis) -> tuple[Panel, ...]:
    """Return a panel for each series of which the same was measured on more processes too."""
    series: dict[tuple[str, str], list[_Curve]] = defaultdict(list)
    for curve in _curves(analysis.points):
        series[curve[0].benchmark, curve[0].series].append(curve)
    return tuple(
        _panel(run, f"scaling-{number}", key, curves)
        for number, (key, curves) in enumerate(series.items())
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


def _panel(run: Run, identifier: str, key: tuple[str, str], curves: Sequence[_Curve]) -> Panel:
    benchmark, series = key
    names = _names(curves)
    kept = spread_out(len(curves), MAXIMUM_CURVES)
    placements = [f"{p.nodes}x{p.processes_per_node}" for curve in curves for p in curve]
    return Panel(
        identifier=identifier,
        benchmark=benchmark,
        series=series,
        placement=", ".join(dict.fromkeys(placements)),
        title=f"{series.replace('_', ' ')} by number of processes",
        definition=definition(run, benchmark, series),
        curves=tuple(names[at] for at in kept),
        figures=(),
        points=(),
        launches=(),
        switches=(),
        scaling=tuple(_row(names[at], curves[at][0], point) for at in kept for point in curves[at]),
    )


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
