"""Charts of figures over time, as Vega-Lite specifications."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from leadline.core.units import precise_times
from leadline.output.html.panels import doubt, microseconds
from leadline.output.html.vegalite import Specification, chart, colour, shape, tooltip
from leadline.output.server.screened import OTHERS, NodeHistory
from leadline.output.server.trend import Change, Trend

# When a run started, of 24 hours whatever the browser's language.
_CLOCK = {
    "year": "%Y",
    "month": "%b %Y",
    "date": "%d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
}
_CLOCK_AXIS: Specification = {
    "field": "started",
    "type": "temporal",
    "scale": {"type": "utc"},
    "axis": {"title": "UTC", "labelOverlap": True, "tickCount": 6, "format": _CLOCK},
}

_POINT = {"type": "point", "filled": True, "size": 60, "opacity": 1}
_LINE = {"type": "line", "strokeWidth": 1.25, "opacity": 0.7}
_BAR = {"type": "rule", "strokeWidth": 3, "opacity": 0.4}
_CHANGE = {"type": "rule", "style": "reference", "strokeWidth": 1.5}
_RING = {
    "type": "point",
    "filled": False,
    "size": 220,
    "strokeWidth": 2,
    "opacity": 1,
    "color": "var(--problem)",
}


def over_time(trend: Trend, address: Callable[[str], str]) -> Specification:
    """Return a chart of the figure over time with its intervals and what changed in between.

    `address` is where a run is, by its name.
    """
    rows = [
        {
            "curve": point.curve,
            "started": point.started,
            "run": point.run,
            "median_us": microseconds(point.figure.median_s),
            "low_us": microseconds(point.figure.ci95_low_s),
            "high_us": microseconds(point.figure.ci95_high_s),
            "mpi": point.version,
            "host": point.host,
            "kernel": point.kernel,
            "mark": doubt(point.figure),
            "address": address(point.run),
        }
        for point in trend.points
    ]
    titles = {"mpi": "MPI", "host": "machine", "kernel": "kernel", "mark": "in doubt"}
    return _history(rows, "time (µs)", trend.changes, titles)


def levels_over_nights(
    history: NodeHistory, figure: str, address: Callable[[str], str]
) -> Specification:
    """Return a chart of the node's figure and of the other nodes' median, a point a night.

    A ring stands round the nights in which this figure was suspected. `address` is where a run is.
    """
    rows = []
    for curve in (history.node, OTHERS):
        for night in history.nights:
            seconds = (night.figures if curve == history.node else night.others).get(figure)
            if seconds is None:
                continue
            ratios = [each.ratio for each in night.suspects if each.figure == figure and each.ratio]
            rows.append(
                {
                    "curve": curve,
                    "started": night.started,
                    "run": night.run,
                    "median_us": microseconds(seconds),
                    "suspected": precise_times(ratios[0])
                    if ratios and curve == history.node
                    else "",
                    "address": address(night.run),
                }
            )
    changes = [each for each in history.changes if each.curve == figure]
    return _history(rows, f"{figure} (µs)", changes, {"suspected": "suspected"})


def _history(
    rows: Sequence[dict[str, Any]],
    title: str,
    changes: Sequence[Change],
    titles: dict[str, str],
) -> Specification:
    """Return a chart of points over time, each a link to its run.

    `titles` are those of the fields of words that a point shows when it is pointed at. There is a
    bar for an interval, a ring for a suspect, and a line for a change.
    """
    columns = [name for name in ("median_us", "low_us", "high_us") if name in rows[0]]
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    when = _CLOCK_AXIS
    time = {
        "field": "median_us",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "domain": _stretch(rows, columns)},
        "axis": {"title": title},
    }
    units = {"median_us": "median (µs)", "low_us": "95 % from (µs)", "high_us": "95 % to (µs)"}
    words = [_text(*each) for each in ({"run": "run", "curve": "curve"} | titles).items()]
    words += tooltip(**{name: units[name] for name in columns})
    along = {"x": when, "color": colour(curves)}
    layers = [_layer(_LINE, **along, y=time)]
    if any(row.get("low_us") for row in rows):
        low = {**time, "field": "low_us"}
        bars = _layer(_BAR, **along, y=low, y2={"field": "high_us"})
        layers.insert(0, {"transform": [{"filter": "datum.low_us > 0"}], **bars})
    if suspected := [row for row in rows if row.get("suspected")]:
        layers.append(_layer(_RING, suspected, x=when, y=time))
    if changes:
        layers.insert(0, _change_lines(changes))
    layers.append(
        _layer(_POINT, **along, y=time, shape=shape(curves), href=_text("address"), tooltip=words)
    )
    return chart(rows, *rows[0], height=340, layer=layers)


def _change_lines(changes: Sequence[Change]) -> Specification:
    """Return a line at each change, in red where the figure went to another level."""
    rows = [
        {
            "started": change.started,
            "curve": change.curve,
            "text": f"{change.what}: {change.before} became {change.after}",
            "level": change.what in ("time", "node"),
        }
        for change in changes
    ]
    level = {"test": "datum.level", "value": "var(--problem)"}
    return _layer(
        _CHANGE,
        rows,
        x=_CLOCK_AXIS,
        color={"condition": level, "value": "var(--muted)"},
        tooltip=[_text("text", "changed")],
    )


def _text(field: str, title: str = "") -> Specification:
    """Return the encoding of a field of words."""
    return {"field": field, "type": "nominal", **({"title": title} if title else {})}


def _layer(
    mark: Specification, data: Sequence[Specification] = (), /, **encoding: Any
) -> Specification:
    """Return a layer of marks, over rows of its own if given."""
    own = {"data": {"values": list(data)}} if data else {}
    return {**own, "mark": mark, "encoding": encoding}


def _stretch(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[float]:
    """Return the ends of what is drawn in these columns with some room, not below zero."""
    ends = [row[name] for row in rows for name in columns]
    drawn = [end for end in ends if end is not None and math.isfinite(end)] or [0.0]
    room = 0.06 * (max(drawn) - min(drawn)) or 0.06 * max(drawn) or 1.0
    return [max(0.0, min(drawn) - room), max(drawn) + room]
