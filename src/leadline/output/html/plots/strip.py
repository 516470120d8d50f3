"""Samples in the order in which they were measured."""

from leadline.analysis.results.summary import Repetitions
from leadline.model.run import Run
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import MAXIMUM_CURVES, Panel, Row, name_row, place_row
from leadline.output.html.plot import Keep, Plot
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import (
    count_series,
    keep_repetitions,
    sampled_points,
    thinned_series,
)

# What keeps a page of many benchmarks near a megabyte: so many samples of all its strips.
TOTAL_STRIPS = 12000
_STRIPS_A_PANEL, _STRETCHES = 4, 300


def _strips(panels: int) -> int:
    """Return how many strips a panel of so many has."""
    return min(_STRIPS_A_PANEL, max(1, TOTAL_STRIPS // max(1, panels) // 150))


def _keep(run: Run, whole_page: bool) -> Keep:
    points = sampled_points(run)
    stretches = _STRETCHES
    if whole_page:
        groups = {(point.benchmark, point.placement): point for point in points.values()}
        panels = max(1, count_series(run, groups.values()))
        stretches = min(_STRETCHES, max(40, TOTAL_STRIPS // panels // _strips(panels) // 2))

    return keep_repetitions(points, lambda own: _thin(own, stretches))


def _thin(own: Repetitions, stretches: int) -> Row:
    """Return the fastest and the slowest of each of so many stretches, in the order measured."""
    kept = thinned_series(own.seconds, stretches)
    numbers = {each: at for at, each in enumerate(dict.fromkeys(own.launch.tolist()), 1)}
    return {
        "samples": len(own.seconds),
        "drawn": len(kept),
        "repetition": [position + 1 for position in kept],
        "launch": [numbers[launch] for launch in own.launch[kept].tolist()],
        "time_us": (own.seconds[kept] * 1e6).tolist(),
    }


def _data(panel: Panel, data: ReportData) -> list[Row]:
    """Return a row for each of the figures that scatter most, the samples in the order measured."""
    rows = []
    for index, curve in panel.curve_of.items():
        figure = data.analysis.points[index]
        if kept := data.kept.of("strip", figure):
            row = {**place_row(curve, figure), "median_us": figure.median_s * 1e6}
            rows.append({**row, "figure": name_row(row), **kept})
    rows.sort(key=lambda row: -max(row["time_us"]) / row["median_us"])
    return rows[: _strips(len(data.panels))]


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    across = {"nice": False, "zero": False, "padding": 6}
    y = vl.log_axis("time_us", "time (µs)")
    own = {
        "x": vl.axis("repetition", "repetition, all launches in a row", across, format="d"),
        "y": y,
        "color": {
            "field": "hue",
            "type": "nominal",
            "scale": {"domain": [*range(1, MAXIMUM_CURVES), 0]},
            "legend": None,
        },
        "tooltip": vl.tooltip(
            repetition="repetition", launch="launch", time_us="time (µs)",
            samples="samples in all", drawn="of them drawn",
        ),
    }  # fmt: skip
    median = {"y": {"aggregate": "min", **y, "field": "median_us"}}
    return vl.chart(
        rows,
        *("figure", "samples", "drawn", "median_us", "repetition", "launch", "time_us"),
        params=choice.params,
        transform=[
            *choice.transform,
            {"flatten": ["repetition", "launch", "time_us"]},
            {"filter": "datum.time_us > 0"},
            {"calculate": f"datum.launch % {MAXIMUM_CURVES}", "as": "hue"},
        ],
        layer=[
            vl.layer("rule", median, style="reference"),
            vl.layer("point", own, filled=True, size=14, opacity=0.75),
        ],
    )


PLOT = Plot(
    name="strip",
    order=42,
    title="Samples in the order measured",
    steadiness=True,
    shows=(
        "Every repetition in the order measured, launch after launch (colours change with the "
        "launch), in microseconds on a logarithmic axis; the dashed line is the figure's median. "
        "Of many, the fastest and the slowest of each stretch are drawn, so that no extreme is "
        "lost. The figures of the panel that scatter most can be chosen."
    ),
    data=_data,
    draw=_draw,
    keep=_keep,
)
