"""What a straight line leaves over."""

from collections.abc import Iterator

from leadline.model.summary import Sweep
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData


def _data(panel: Panel, data: ReportData) -> list[Row]:
    curve_of = panel.curve_of
    return [
        row
        for sweep in data.analysis.sweeps
        if sweep.points and sweep.points[0] in curve_of and sweep.asymptotic_MBps
        for row in _rows(curve_of, sweep, sweep.asymptotic_MBps, data)
    ]


def _rows(curve_of: dict[int, str], sweep: Sweep, rate: float, data: ReportData) -> Iterator[Row]:
    """Yield what Hockney's line, latency and bytes over asymptotic bandwidth, leaves over."""

    def above(seconds: float | None) -> float | None:
        return None if seconds is None else (seconds * 1e6 / line_us - 1) * 100

    for index in sweep.points:
        point = data.analysis.points[index]
        moved_us = (point.bandwidth_MBps or 0.0) * point.median_s * 1e6 / rate
        line_us = sweep.latency_s * 1e6 + moved_us
        if line_us > 0:
            low, high = point.interval or (None, None)
            yield {
                **place_row(curve_of.get(index, ""), point),
                "line_us": line_us,
                "median_us": point.median_s * 1e6,
                "percent": above(point.median_s),
                "low": above(low),
                "high": above(high),
            }


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = [name for name in panel.curves if any(row["curve"] == name for row in rows)]
    own = {
        "x": vl.size_axis(sorted({row["bytes"] for row in rows})),
        "y": vl.axis("percent", "above the line (%)", format="d"),
        "color": vl.colour(names),
    }
    band = vl.spread("area", own, "low", "high", "isValid(datum.low)", opacity=0.25)
    words = vl.tooltip(
        curve="curve", size="size", median_us="time (µs)", line_us="on the line (µs)",
        percent="above it (%)",
    )  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "line_us", "median_us", "percent", "low", "high"),
        height=220,
        layer=[
            vl.level(0),
            *([band] if any(row["low"] is not None for row in rows) else []),
            vl.layer("line", own, strokeWidth=1.5),
            vl.symbols(own, 46, shape=vl.shape(names), tooltip=words),
        ],
    )


PLOT = Plot(
    name="residuals",
    order=22,
    title="What a straight line leaves over",
    steadiness=True,
    shows=(
        "By how many percent each time is above latency plus bytes over asymptotic bandwidth, with "
        "its 95 % interval where there is one. Level at zero the two numbers say all; a hump is a "
        "range of sizes that has costs of its own, a step another protocol or cache."
    ),
    data=_data,
    draw=_draw,
)
