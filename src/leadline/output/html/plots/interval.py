"""Median and interval where there is no range of sizes to draw a curve over."""

from typing import Any

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.launches import launch_rows
from leadline.output.html.report_data import ReportData


def _data(panel: Panel, data: ReportData) -> dict[str, Any] | None:
    if not panel.points or len(panel.sizes) > 1:
        return None
    return {"launches": launch_rows(panel, data)}


def _draw(panel: Panel, data: dict[str, list[Row]]) -> vl.Specification:
    time = vl.axis("median_us", "time (µs)", {"zero": False, "nice": True, "padding": 12})
    own = {
        "x": time,
        "y": vl.name_axis(panel.curves),
        "color": {**vl.colour(panel.curves), "legend": None},
    }
    ends = {"x": {**time, "field": "ci95_low_us"}, "x2": {"field": "ci95_high_us"}}
    of_launch = vl.tooltip(curve="curve", launch="launch", median_us="median of the launch (µs)")
    words = vl.tooltip(
        curve="curve", size="size", median_us="median (µs)", ci95_low_us="95 % from (µs)",
        ci95_high_us="95 % to (µs)", samples="samples", mark="in doubt",
    )  # fmt: skip
    interval = vl.layer("rule", {**own, **ends}, strokeWidth=4, opacity=0.45)
    launches = {
        **vl.layer(
            "tick", {**own, "tooltip": of_launch}, rows=data["launches"], thickness=1.5, size=18
        ),
        "transform": [{"flatten": ["launch", "median_us"]}],
    }
    shapes = {**vl.shape(panel.curves), "legend": None}
    return vl.chart(
        panel.points,
        *("curve", "size", "median_us", "ci95_low_us", "ci95_high_us", "samples", "mark"),
        height=44 * len(panel.curves),
        layer=[
            *([interval] if any(row["ci95_low_us"] for row in panel.points) else []),
            *([launches] if data["launches"] else []),
            vl.symbols(own, 90, shape=shapes, tooltip=words),
        ],
    )


PLOT = Plot(
    name="interval",
    order=30,
    title="Median and its interval",
    shows=(
        "Median time of one operation in microseconds (symbol), its 95 % interval (bar) and the "
        "median of each launch (ticks). The axis need not begin at zero."
    ),
    data=_data,
    draw=_draw,
)
