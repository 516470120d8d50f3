"""The charts of the server's own pages, as Vega-Lite specifications."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from leadline.model.comparison import Compared
from leadline.output.html.panels import doubt, microseconds
from leadline.output.html.vegalite import Specification, chart, colour, shape, tooltip
from leadline.output.server.trend import Change, Trend, TrendPoint

MOST = 30

# Height of a line with its name above it.
_STEP = 34

# Of 24 hours, whatever the browser's language.
_CLOCK = {
    "year": "%Y",
    "month": "%b %Y",
    "date": "%d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
}

_VERDICTS = {
    "slower": "var(--problem)",
    "same": "var(--muted)",
    "faster": "var(--good)",
    "cannot tell": "var(--notice)",
}

_ENDS = ("median_us", "low_us", "high_us")

POINT = {"type": "point", "filled": True, "size": 60, "opacity": 1}


def ratios(figures: Sequence[Compared], same_within: float) -> Specification:
    """Return a chart with a line for each figure: its ratio, and the interval of that."""
    columns = ("ratio", "low", "high", "verdict")
    names = _unique([one.name for one in figures])
    rows = [
        {"figure": name, **{column: getattr(one, column) for column in columns}}
        for name, one in zip(names, figures, strict=True)
    ]
    ratio = {
        "field": "ratio",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 14, "domain": _domain(rows)},
        "axis": {"title": "time of B / time of A", "format": ".3~g", "tickCount": 7},
    }
    figure = {**text("figure"), "scale": {"domain": names}, "axis": None}
    legend = {
        "title": "B is",
        "orient": "top",
        "direction": "horizontal",
        "columns": 2,
        "symbolOpacity": 1,
    }
    sign = {**text("verdict"), "scale": {"domain": list(_VERDICTS)}, "legend": legend}
    verdict = {**sign, "scale": {**sign["scale"], "range": list(_VERDICTS.values())}}
    ends: dict[str, Any] = {"x": {**ratio, "field": "low"}, "x2": {"field": "high"}}
    words = [
        text("figure", "figure"),
        text("verdict", "B is"),
        *tooltip(ratio="B / A", low="95 % from", high="95 % to"),
    ]
    return chart(
        rows,
        "figure",
        *columns,
        height=_STEP * len(rows),
        layer=[
            layer(
                {"type": "rect", "opacity": 0.15, "color": "var(--muted)"},
                [{"low": 1 / (1 + same_within), "high": 1 + same_within}],
                **ends,
            ),
            layer({"type": "rule", "style": "reference"}, [{"ratio": 1}], x=ratio),
            _bars("low", 0.5, **ends, y=figure, color=verdict),
            layer(
                {"type": "text", "align": "left", "dy": -12, "limit": {"expr": "width"}},
                x={"value": 0}, y=figure, text={"field": "figure"},
            ),
            layer(POINT, x=ratio, y=figure, color=verdict, shape=sign, tooltip=words),
        ],
    )  # fmt: skip


def over_time(trend: Trend, address: dict[str, str]) -> Specification:
    """Return a chart of the figure over time with its intervals and what changed in between.

    `address` is where each run is, by its name.
    """
    curves = list(dict.fromkeys(point.curve for point in trend.points))
    rows = [_trend_row(point, address) for point in trend.points]
    when = clock_axis()
    time = {
        "field": "median_us",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "domain": stretch(rows, _ENDS)},
        "axis": {"title": "time (µs)"},
    }
    names = {"run": "run", "curve": "curve", "mpi": "MPI", "host": "machine",
             "kernel": "kernel", "mark": "in doubt"}  # fmt: skip
    words = [
        *(text(name, title) for name, title in names.items()),
        *tooltip(median_us="median (µs)", low_us="95 % from (µs)", high_us="95 % to (µs)"),
    ]
    along = {"x": when, "color": colour(curves)}
    low = {**time, "field": "low_us"}
    bars = _bars("low_us", 0.4, **along, y=low, y2={"field": "high_us"})
    drawn = {**along, "y": time}
    return chart(
        rows,
        *("curve", "started", "run", "median_us", "low_us", "high_us", "mpi", "host", "kernel"),
        *("mark", "address"),
        height=340,
        layer=[
            *([change_lines(trend.changes, when)] if trend.changes else []),
            *([bars] if any(row["low_us"] for row in rows) else []),
            layer({"type": "line", "strokeWidth": 1.25, "opacity": 0.7}, **drawn),
            layer(POINT, **drawn, shape=shape(curves), href=text("address"), tooltip=words),
        ],
    )


def _trend_row(point: TrendPoint, address: dict[str, str]) -> dict[str, Any]:
    return {
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
        "address": address.get(point.run, ""),
    }


def clock_axis() -> Specification:
    """Return the encoding of the axis of time: when a run started."""
    return {
        "field": "started",
        "type": "temporal",
        "scale": {"type": "utc"},
        "axis": {"title": "UTC", "labelOverlap": True, "tickCount": 6, "format": _CLOCK},
    }


def change_lines(found: Sequence[Change], when: Specification) -> Specification:
    """Return a line at each change, in red where the figure went to another level."""
    changes = [
        {
            "started": change.started,
            "curve": change.curve,
            "text": f"{change.what}: {change.before} became {change.after}",
            "level": change.what in ("time", "node"),
        }
        for change in found
    ]
    level = {"test": "datum.level", "value": "var(--problem)"}
    return layer(
        {"type": "rule", "style": "reference", "strokeWidth": 1.5},
        changes,
        x=when,
        color={"condition": level, "value": "var(--muted)"},
        tooltip=[text("text", "changed")],
    )


def text(field: str, title: str = "") -> Specification:
    """Return the encoding of a field of words."""
    return {"field": field, "type": "nominal", **({"title": title} if title else {})}


def layer(
    mark: Specification, data: Sequence[Specification] = (), /, **encoding: Any
) -> Specification:
    """Return a layer of marks, over rows of its own if given."""
    own = {"data": {"values": list(data)}} if data else {}
    return {**own, "mark": mark, "encoding": encoding}


def _bars(low: str, opacity: float, **encoding: Any) -> Specification:
    """Return intervals as bars, where there is one."""
    bars = layer({"type": "rule", "strokeWidth": 3, "opacity": opacity}, **encoding)
    return {"transform": [{"filter": f"datum.{low} > 0"}], **bars}


def _domain(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of what is drawn, 1 among it."""
    ends = [row[name] for row in rows for name in ("ratio", "low", "high")]
    drawn = [end for end in ends if end is not None and 0 < end < float("inf")]
    return [min(0.9, *drawn), max(1.1, *drawn)]


def stretch(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> list[float]:
    """Return the ends of what is drawn in these columns with some room, not below zero."""
    ends = [row[name] for row in rows for name in columns]
    drawn = [end for end in ends if end is not None and math.isfinite(end)] or [0.0]
    room = 0.06 * (max(drawn) - min(drawn)) or 0.06 * max(drawn) or 1.0
    return [max(0.0, min(drawn) - room), max(drawn) + room]


def _unique(names: Sequence[str]) -> list[str]:
    """Return the names, those that come again with a number."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found
