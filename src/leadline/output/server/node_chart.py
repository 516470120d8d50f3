"""The chart of a node's figure over the nights in which it was screened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from leadline.core.units import precise_times
from leadline.output.html.panels import microseconds
from leadline.output.html.vegalite import Specification, chart, colour, shape, tooltip
from leadline.output.server.charts import POINT, change_lines, clock_axis, layer, stretch, text
from leadline.output.server.screened import OTHERS, NodeHistory


def levels_over_nights(
    history: NodeHistory, figure: str, address: Callable[[str], str]
) -> Specification:
    """Return a chart of the node's figure and of the other nodes' median, a point a night.

    A ring stands round the nights in which this figure was suspected. `address` is where a run is.
    """
    rows = list(_rows(history, figure, address))
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    when = clock_axis()
    time = {
        "field": "median_us",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "domain": stretch(rows, ("median_us",))},
        "axis": {"title": f"{figure} (µs)"},
    }
    drawn = {"x": when, "y": time, "color": colour(curves)}
    words = [
        *(text(*each) for each in (("run", "run"), ("curve", "curve"), ("said", "suspected"))),
        *tooltip(median_us="µs"),
    ]
    changes = [each for each in history.changes if each.curve == figure]
    ring = {"type": "point", "filled": False, "size": 220, "strokeWidth": 2, "opacity": 1}
    alarms = [row for row in rows if row["said"]]
    return chart(
        rows,
        *("curve", "started", "run", "median_us", "said", "address"),
        height=340,
        layer=[
            *([change_lines(changes, when)] if changes else []),
            layer({"type": "line", "strokeWidth": 1.25, "opacity": 0.7}, **drawn),
            *(
                [layer({**ring, "color": "var(--problem)"}, alarms, x=when, y=time)]
                if alarms
                else []
            ),
            layer(POINT, **drawn, shape=shape(curves), href=text("address"), tooltip=words),
        ],
    )


def _rows(
    history: NodeHistory, figure: str, address: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    for curve in (history.node, OTHERS):
        for night in history.nights:
            seconds = (night.figures if curve == history.node else night.others).get(figure)
            if seconds is None:
                continue
            said = [each.ratio for each in night.suspects if each.figure == figure and each.ratio]
            alarm = precise_times(said[0]) if said and curve == history.node else ""
            yield {
                "curve": curve,
                "started": night.started,
                "run": night.run,
                "median_us": microseconds(seconds),
                "said": alarm,
                "address": address(night.run),
            }
