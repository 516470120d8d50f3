"""MAX and AVG of calls against the number of nodes, a colour for each eager limit or other way."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.jitter.jitter import NodeCurve, node_curves
from leadline.core.units import format_bytes
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    definition,
    placement,
)
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import spread_out

_COLUMNS = ("curve", "which", "nodes", "tasks", "time_us", "GBps")


def node_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each size of which calls were timed on several numbers of nodes."""
    found: dict[tuple[str, str, int | None], list[NodeCurve]] = defaultdict(list)
    for curve in node_curves(data.analysis.points, data.analysis.jitter):
        first = curve.figures[0]
        found[first.benchmark, first.series, first.bytes].append(curve)
    for number, ((benchmark, series, size), curves) in enumerate(found.items()):
        names = _names(curves)
        kept = spread_out(len(curves), MAXIMUM_CURVES)
        rows = [row for at in kept for row in _rows(names[at], curves[at])]
        places = dict.fromkeys(placement(point) for curve in curves for point in curve.figures)
        at_size = "" if size is None else f" at {format_bytes(size)}"
        drawn = {"by_nodes": rows}
        if any(row["GBps"] for row in rows):
            drawn["by_nodes_rate"] = rows
        yield Panel(
            identifier=f"nodes-{number}",
            benchmark=benchmark,
            series=series,
            placement=", ".join(places),
            title=f"{series.replace('_', ' ')}{at_size} by number of nodes",
            definition=definition(data.run, benchmark, series),
            curves=tuple(names[at] for at in kept),
            data=drawn,
        )


def _names(curves: list[NodeCurve]) -> list[str]:
    firsts = [curve.figures[0] for curve in curves]
    names = curve_names(firsts)
    if len({first.processes_per_node for first in firsts}) == 1:
        return names
    return [
        f"{name}, {first.processes_per_node} a node"
        for name, first in zip(names, firsts, strict=True)
    ]


def _rows(name: str, curve: NodeCurve) -> Iterator[Row]:
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


def draw_by_nodes(panel: Panel, rows: list[Row], field: str, title: str) -> vl.Specification:
    """Return the chart of `field` over the nodes: MAX drawn through, AVG dashed and hollow."""
    counts = sorted({row["nodes"] for row in rows})
    scale = {"type": "log", "base": 2, "nice": False, "padding": 14}
    own = {
        "x": vl.axis("nodes", "nodes", scale, values=counts, format="d"),
        "y": vl.log_axis(field, title),
        "color": vl.colour(panel.curves),
        "tooltip": vl.tooltip(
            curve="curve", which="of the tasks", nodes="nodes", tasks="tasks", time_us="time (µs)",
            GBps="GB/s a node",
        ),
    }  # fmt: skip
    return vl.chart(
        rows,
        *_COLUMNS,
        layer=[
            vl.layer("line", own, "datum.which == 'MAX'", point={"filled": True, "size": 60}),
            vl.layer(
                "line", own, "datum.which == 'AVG'", strokeDash=[5, 4],
                point={"filled": False, "size": 60},
            ),
        ],
    )  # fmt: skip


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    return draw_by_nodes(panel, rows, "time_us", "time (µs)")


PLOT = Plot(
    name="by_nodes",
    order=69,
    title="Slowest and average task against the number of nodes",
    shows=(
        "Mean over calls of the slowest task's time (MAX, drawn through) and of the average over "
        "tasks (AVG, dashed), both axes logarithmic, a colour for each way to run, such as the "
        "eager limit."
    ),
    panels=node_panels,
    draw=_draw,
)
