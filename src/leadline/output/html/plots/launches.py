"""Launches side by side."""

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


def _data(panel: Panel, data: ReportData) -> list[Row] | None:
    rows = launch_rows(panel, data)
    return rows if any(len(row["launch"]) > 1 for row in rows) else None


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    over = {"zero": False, "nice": False, "padding": 10}
    x = vl.axis("launch", "launch, in order", kind="ordinal", labelAngle=0, grid=False)
    own = {
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
        layer=[vl.level(1), vl.layer("point", own, size=40, opacity=0.8)],
    )


PLOT = Plot(
    name="launches",
    order=50,
    title="Launches side by side",
    steadiness=True,
    shows=(
        "Median of each launch over the median of all launches, one symbol a figure. A launch "
        "that stands apart met another machine: other cores, other memory or other load."
    ),
    data=_data,
    draw=_draw,
)
