"""The distribution of samples."""

from typing import Any

import numpy as np

from leadline.analysis.results.summary import Repetitions
from leadline.model.run import Run
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import (
    Keep,
    ReportData,
    count_series,
    keep_repetitions,
    sampled_points,
    thinned_ranks,
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
