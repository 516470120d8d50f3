"""Plots of figures without a range of sizes: intervals, launches, one run against another."""

from typing import Any

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData


def launch_rows(panel: Panel, data: ReportData) -> list[Row]:
    """Return one row a figure: `launch` and `median_us` are lists, `figure_us` is of them all."""
    return [
        {
            **place_row(curve, point),
            "figure_us": point.median_s * 1e6,
            "launch": list(range(1, len(point.launch_medians_s) + 1)),
            "median_us": [median_s * 1e6 for median_s in point.launch_medians_s],
        }
        for index, curve in panel.curve_of.items()
        for point in (data.analysis.points[index],)
    ]


def _launches_data(panel: Panel, data: ReportData) -> list[Row] | None:
    rows = launch_rows(panel, data)
    return rows if any(len(row["launch"]) > 1 for row in rows) else None


def _draw_launches(panel: Panel, rows: list[Row]) -> vl.Specification:
    over = {"zero": False, "nice": False, "padding": 10}
    x = vl.axis("launch", "launch, in order", kind="ordinal", labelAngle=0, grid=False)
    encoding = {
        "x": x,
        # By default the order is an expression that holds the curves' names.
        "xOffset": {"field": "curve", "type": "nominal", "sort": "ascending"},
        "y": vl.axis("relative", "launch's median over the figure", over, format="~g"),
        "color": vl.colour(panel.curves),
        "shape": vl.shape(panel.curves),
        "tooltip": vl.tooltip(
            curve="curve", size="size", launch="launch", median_us="median of the launch (µs)",
            relative="over the figure",
        ),
    }  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "figure_us", "launch", "median_us"),
        height=220,
        transform=[
            {"flatten": ["launch", "median_us"]},
            {"filter": "datum.figure_us > 0"},
            {"calculate": "datum.median_us / datum.figure_us", "as": "relative"},
        ],
        layer=[vl.level(1), vl.layer("point", encoding, size=40, opacity=0.8)],
    )


LAUNCHES = Plot(
    name="launches",
    title="Launches side by side",
    steadiness=True,
    shows=(
        "Median of each launch over the median of all launches, one symbol a figure. A launch "
        "that stands apart met another machine: other cores, other memory or other load."
    ),
    data=_launches_data,
    draw=_draw_launches,
)


def _interval_data(panel: Panel, data: ReportData) -> dict[str, Any] | None:
    if not panel.points or len(panel.sizes) > 1:
        return None
    return {"launches": launch_rows(panel, data)}


def _draw_interval(panel: Panel, data: dict[str, list[Row]]) -> vl.Specification:
    time = vl.axis("median_us", "time (µs)", {"zero": False, "nice": True, "padding": 12})
    encoding = {
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
    interval = vl.layer("rule", {**encoding, **ends}, strokeWidth=4, opacity=0.45)
    launches = {
        **vl.layer(
            "tick",
            {**encoding, "tooltip": of_launch},
            rows=data["launches"],
            thickness=1.5,
            size=18,
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
            vl.symbols(encoding, 90, shape=shapes, tooltip=words),
        ],
    )


INTERVAL = Plot(
    name="interval",
    title="Median and its interval",
    shows=(
        "Median time of one operation in microseconds (symbol), its 95 % interval (bar) and the "
        "median of each launch (ticks). The axis need not begin at zero."
    ),
    data=_interval_data,
    draw=_draw_interval,
)


_SHORT_RANGE = 8


def _draw_ratio(panel: Panel, rows: list[Row]) -> vl.Specification:
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    sizes = sorted({row["bytes"] for row in rows if row["bytes"] is not None})
    by_size = len(sizes) > 1
    along, across, end = ("y", "x", "y2") if by_size else ("x", "y", "x2")
    ratio = _ratio_axis(rows)
    encoding = {
        across: vl.size_axis(sizes) if by_size else vl.name_axis(curves),
        along: ratio,
        "color": vl.colour(curves) if by_size else {**vl.colour(curves), "legend": None},
    }
    same = [{"from": row["same_from"], "to": row["same_to"]} for row in rows[:1]]
    band = {along: {**ratio, "field": "from"}, end: {"field": "to"}}
    ends = {**encoding, along: {**ratio, "field": "low"}, end: {"field": "high"}}
    interval = vl.layer("rule", ends, "datum.low > 0", strokeWidth=3, opacity=0.45)
    words = vl.tooltip(
        curve="curve", size="size", ratio="ratio", low="95 % from", high="95 % to",
        base_us="first (µs)", other_us="second (µs)", verdict="verdict",
    )  # fmt: skip
    shapes = {**vl.shape(curves), "legend": encoding["color"]["legend"]}
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "ratio", "low", "high", "verdict", "base_us", "other_us"),
        height=280 if by_size else max(80, 44 * len(curves)),
        layer=[
            vl.layer("rect", band, rows=same, opacity=0.14, style="reference"),
            *([interval] if any(row["low"] for row in rows) else []),
            *([vl.layer("line", encoding, opacity=0.6)] if by_size else []),
            vl.symbols(encoding, 60, shape=shapes, tooltip=words),
        ],
    )


def _ratio_axis(rows: list[Row]) -> vl.Specification:
    """Return the axis of ratios: a logarithmic one has too few labels over a short range."""
    ends = [row[end] for row in rows for end in ("ratio", "low", "high") if row[end]]
    axis = vl.log_axis("ratio", "time over that of the first run")
    if max(ends) / min(ends) < _SHORT_RANGE:
        axis["scale"] = {"zero": False, "nice": False, "padding": 10}
    return axis


RATIO = Plot(
    name="ratio",
    title="One against the other",
    shows=(
        "Time of the second run over time of the first, with the 95 % interval of the ratio. Below "
        "one the second run is faster. What lies in the band counts as the same."
    ),
    draw=_draw_ratio,
)
