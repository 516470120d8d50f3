"""The charts of the server's own pages, as Vega-Lite specifications."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from leadline.model.comparison import Compared
from leadline.output.html.panels import doubt, microseconds
from leadline.output.html.vegalite import Specification, chart, colour, shape, tooltip
from leadline.output.server.trend import Trend

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


def ratios(figures: Sequence[Compared], same_within: float) -> Specification:
    """Return a chart with a line for each figure: its ratio, and the interval of that."""
    rows = [
        {
            "figure": name,
            "ratio": one.ratio,
            "low": one.low,
            "high": one.high,
            "verdict": one.verdict,
        }
        for name, one in zip(_unique([one.name for one in figures]), figures, strict=True)
    ]
    ratio = {
        "field": "ratio",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 14, "domain": _domain(rows)},
        "axis": {"title": "time of B / time of A", "format": ".3~g", "tickCount": 7},
    }
    figure = {
        "field": "figure",
        "type": "nominal",
        "scale": {"domain": [row["figure"] for row in rows]},
        "axis": None,
    }
    legend = {
        "title": "B is",
        "orient": "top",
        "direction": "horizontal",
        "columns": 2,
        "symbolOpacity": 1,
    }
    verdict = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(_VERDICTS), "range": list(_VERDICTS.values())},
        "legend": legend,
    }
    words = [
        {"field": "figure", "type": "nominal", "title": "figure"},
        {"field": "verdict", "type": "nominal", "title": "B is"},
        *tooltip(ratio="B / A", low="95 % from", high="95 % to"),
    ]
    band = {"values": [{"low": 1 / (1 + same_within), "high": 1 + same_within}]}
    ends: dict[str, Any] = {"x": {**ratio, "field": "low"}, "x2": {"field": "high"}}
    return chart(
        rows,
        *("figure", "ratio", "low", "high", "verdict"),
        height=_STEP * len(rows),
        layer=[
            {
                "data": band,
                "mark": {"type": "rect", "opacity": 0.15, "color": "var(--muted)"},
                "encoding": ends,
            },
            {
                "data": {"values": [{"ratio": 1}]},
                "mark": {"type": "rule", "style": "reference"},
                "encoding": {"x": ratio},
            },
            {
                "transform": [{"filter": "datum.low > 0"}],
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.5},
                "encoding": {**ends, "y": figure, "color": verdict},
            },
            {
                "mark": {"type": "text", "align": "left", "dy": -12, "limit": {"expr": "width"}},
                "encoding": {"x": {"value": 0}, "y": figure, "text": {"field": "figure"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "x": ratio,
                    "y": figure,
                    "color": verdict,
                    "shape": {
                        "field": "verdict",
                        "type": "nominal",
                        "scale": {"domain": list(_VERDICTS)},
                        "legend": legend,
                    },
                    "tooltip": words,
                },
            },
        ],
    )


def over_time(trend: Trend, address: dict[str, str]) -> Specification:
    """Return a chart of the figure over time with its intervals and what changed in between.

    `address` is where each run is, by its name.
    """
    curves = list(dict.fromkeys(point.curve for point in trend.points))
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
            "address": address.get(point.run, ""),
        }
        for point in trend.points
    ]
    changes = [
        {
            "started": change.started,
            "curve": change.curve,
            "text": f"{change.what}: {change.before} became {change.after}",
            "level": change.what == "time",
        }
        for change in trend.changes
    ]
    when = {
        "field": "started",
        "type": "temporal",
        "scale": {"type": "utc"},
        "axis": {"title": "UTC", "labelOverlap": True, "tickCount": 6, "format": _CLOCK},
    }
    time = {
        "field": "median_us",
        "type": "quantitative",
        "scale": {"zero": False, "nice": False, "domain": _stretch(rows)},
        "axis": {"title": "time (µs)"},
    }
    hue = colour(curves)
    words = [
        *({"field": name, "type": "nominal", "title": title} for name, title in (
            ("run", "run"), ("curve", "curve"), ("mpi", "MPI"), ("host", "machine"),
            ("kernel", "kernel"), ("mark", "in doubt"))),
        *tooltip(median_us="median (µs)", low_us="95 % from (µs)", high_us="95 % to (µs)"),
    ]  # fmt: skip
    marks: list[Specification] = [
        {
            "data": {"values": changes},
            "mark": {"type": "rule", "style": "reference", "strokeWidth": 1.5},
            "encoding": {
                "x": when,
                "color": {
                    "condition": {"test": "datum.level", "value": "var(--problem)"},
                    "value": "var(--muted)",
                },
                "tooltip": [{"field": "text", "type": "nominal", "title": "changed"}],
            },
        }
    ]
    return chart(
        rows,
        *("curve", "started", "run", "median_us", "low_us", "high_us", "mpi", "host", "kernel"),
        *("mark", "address"),
        height=340,
        layer=[
            *(marks if changes else []),
            {
                "transform": [{"filter": "datum.low_us > 0"}],
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4},
                "encoding": {
                    "x": when,
                    "y": {**time, "field": "low_us"},
                    "y2": {"field": "high_us"},
                    "color": hue,
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 1.25, "opacity": 0.7},
                "encoding": {"x": when, "y": time, "color": hue},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "x": when,
                    "y": time,
                    "color": hue,
                    "shape": shape(curves),
                    "href": {"field": "address", "type": "nominal"},
                    "tooltip": words,
                },
            },
        ],
    )


def _domain(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of what is drawn, 1 among it."""
    ends = [row[name] for row in rows for name in ("ratio", "low", "high")]
    drawn = [end for end in ends if end is not None and 0 < end < float("inf")]
    return [min(0.9, *drawn), max(1.1, *drawn)]


def _stretch(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Return the ends of what is drawn with some room, not below zero."""
    ends = [row[name] for row in rows for name in ("median_us", "low_us", "high_us")]
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
