"""Plots of samples: their distribution, and their order."""

from typing import Any

import numpy as np

from leadline.analysis.results.summary import Repetitions
from leadline.model.run import Run
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import MAXIMUM_CURVES, Panel, Row, name_row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import (
    Keep,
    ReportData,
    count_series,
    keep_repetitions,
    sampled_points,
    thinned_ranks,
    thinned_series,
)

# What keeps a page of many benchmarks near a megabyte: so many samples of all its distributions.
TOTAL_RANKS = 6000
_RANKS = 200

_ALL = "all"


def _keep_distribution(run: Run, whole_page: bool) -> Keep:
    points = sampled_points(run)
    wanted = _RANKS
    if whole_page:
        wanted = min(_RANKS, max(16, TOTAL_RANKS // max(1, count_series(run, points.values()))))

    return keep_repetitions(points, lambda repetitions: _thin_distribution(repetitions, wanted))


def _thin_distribution(repetitions: Repetitions, wanted: int) -> Row:
    """Return so many of the times, ascending, with the share of samples at or below each."""
    times = np.sort(repetitions.seconds)
    ranks = thinned_ranks(len(times), wanted)
    return {
        "samples": len(times),
        "drawn": len(ranks),
        "time_us": (times[ranks] * 1e6).tolist(),
        # Hazen's, with ranks from 0, so that the slowest sample has a place too.
        "share": [(rank + 0.5) / len(times) for rank in ranks],
    }


def _distribution_data(panel: Panel, data: ReportData) -> list[Row]:
    rows = []
    for curve in panel.curves:
        own = [index for index, name in panel.curve_of.items() if name == curve]
        figures = [data.analysis.points[index] for index in own]
        rows += [
            {**place_row(curve, figure), "median_us": figure.median_s * 1e6, **kept}
            for figure in sorted(figures, key=lambda figure: figure.bytes or 0)
            if (kept := data.kept.of("distribution", figure))
        ]
    return rows


def _draw_distribution(panel: Panel, rows: list[Row]) -> vl.Specification:
    sizes = list(
        dict.fromkeys(row["size"] for row in sorted(rows, key=lambda row: row["bytes"] or 0))
    )
    by_size = len(panel.curves) == 1 and len(sizes) > 1
    hue = vl.colour(sizes if by_size else panel.curves, "size" if by_size else "curve")
    if hue["legend"]:
        hue["legend"] |= {"symbolType": "stroke", "symbolSize": 260}
    chooser = {
        "name": "shown",
        # All sizes of several curves at once are a tangle.
        "value": _ALL if by_size else sizes[0],
        "bind": {"input": "select", "options": [_ALL, *sizes], "name": "Sizes shown "},
    }
    relative: dict[str, Any] = {"type": "log", "nice": False}
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "median_us", "samples", "drawn", "time_us", "share"),
        params=[chooser] if len(sizes) > 1 else [],
        transform=[
            {"filter": "datum.median_us > 0"},
            {"flatten": ["time_us", "share"]},
            {"calculate": "datum.time_us / datum.median_us", "as": "relative"},
            {"filter": "datum.relative > 0"},
            {"calculate": "1 / (1 - datum.share)", "as": "one_in"},
            *([{"filter": f"shown == '{_ALL}' || datum.size == shown"}] if len(sizes) > 1 else []),
        ],
        mark={"type": "line", "strokeWidth": 1.5, "point": "transparent"},
        encoding={
            "x": vl.axis(
                "relative",
                "time over the median of its figure",
                {**relative, "padding": 8},
                format="~g",
                tickCount=5,
            ),
            "y": vl.axis(
                "one_in",
                "share of samples at or below",
                {**relative, "domainMin": 1},
                values=[1, 2, *(10**nines for nines in range(1, 10))],
                labelExpr="format(1 - 1 / datum.value, '.6~%')",
                labelOverlap="greedy",
            ),
            "order": {"field": "share", "type": "quantitative"},
            "color": hue,
            "strokeDash": hue,
            "detail": [{"field": "curve"}, {"field": "size"}],
            "tooltip": vl.tooltip(
                curve="curve", size="size", time_us="time (µs)", relative="over the median",
                share="share at or below", samples="samples in all", drawn="of them drawn",
            ),
        },
    )  # fmt: skip


DISTRIBUTION = Plot(
    name="distribution",
    title="Distribution of samples",
    steadiness=True,
    shows=(
        "The empirical distribution function: the share of samples that took at most so many times "
        "the median of their figure. The axis gives 90 %, 99 % and 99.9 % equal room: a steep line "
        "is a steady machine, a bend to the right is a tail. At most six sizes of a curve are "
        "drawn, and of many samples some, more densely in the tail, always with the fastest and "
        "the slowest."
    ),
    data=_distribution_data,
    draw=_draw_distribution,
    keep=_keep_distribution,
)


# What keeps a page of many benchmarks near a megabyte: so many samples of all its strips.
TOTAL_STRIPS = 12000
_STRIPS_A_PANEL, _STRETCHES = 4, 300


def _strips(panels: int) -> int:
    return min(_STRIPS_A_PANEL, max(1, TOTAL_STRIPS // max(1, panels) // 150))


def _keep_strip(run: Run, whole_page: bool) -> Keep:
    points = sampled_points(run)
    stretches = _STRETCHES
    if whole_page:
        groups = {(point.benchmark, point.placement): point for point in points.values()}
        panels = max(1, count_series(run, groups.values()))
        stretches = min(_STRETCHES, max(40, TOTAL_STRIPS // panels // _strips(panels) // 2))

    return keep_repetitions(points, lambda repetitions: _thin_strip(repetitions, stretches))


def _thin_strip(repetitions: Repetitions, stretches: int) -> Row:
    """Return the fastest and the slowest of each of so many stretches, in the order measured."""
    kept = thinned_series(repetitions.seconds, stretches)
    numbers = {each: at for at, each in enumerate(dict.fromkeys(repetitions.launch.tolist()), 1)}
    return {
        "samples": len(repetitions.seconds),
        "drawn": len(kept),
        "repetition": [position + 1 for position in kept],
        "launch": [numbers[launch] for launch in repetitions.launch[kept].tolist()],
        "time_us": (repetitions.seconds[kept] * 1e6).tolist(),
    }


def _strip_data(panel: Panel, data: ReportData) -> list[Row]:
    """Return a row for each of the figures that scatter most, the samples in the order measured."""
    rows = []
    for index, curve in panel.curve_of.items():
        figure = data.analysis.points[index]
        if kept := data.kept.of("strip", figure):
            row = {**place_row(curve, figure), "median_us": figure.median_s * 1e6}
            rows.append({**row, "figure": name_row(row), **kept})
    rows.sort(key=lambda row: -max(row["time_us"]) / row["median_us"])
    return rows[: _strips(len(data.panels))]


def _draw_strip(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    across = {"nice": False, "zero": False, "padding": 6}
    y = vl.log_axis("time_us", "time (µs)")
    encoding = {
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
            vl.layer("point", encoding, filled=True, size=14, opacity=0.75),
        ],
    )


STRIP = Plot(
    name="strip",
    title="Samples in the order measured",
    steadiness=True,
    shows=(
        "Every repetition in the order measured, launch after launch (colours change with the "
        "launch), in microseconds on a logarithmic axis; the dashed line is the figure's median. "
        "Of many, the fastest and the slowest of each stretch are drawn, so that no extreme is "
        "lost. The figures of the panel that scatter most can be chosen."
    ),
    data=_strip_data,
    draw=_draw_strip,
    keep=_keep_strip,
)
