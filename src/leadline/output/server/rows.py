"""Rows of texts for the server's pages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from leadline.core.units import format_bytes, format_measured
from leadline.model.comparison import Compared
from leadline.model.summary import PointSummary
from leadline.output.html.panels import curve_names, definition, doubt
from leadline.output.server.catalogue import name_of
from leadline.output.server.choice import query_of
from leadline.output.server.results import Opened
from leadline.output.server.trend import TrendPoint

Row = dict[str, Any]


def when(started: str | None) -> str:
    """Return a time as people read it; what is none stays as it is, cut short.

    >>> when("2026-11-21T14:08:55.123+00:00")
    '2026-11-21 14:08'
    """
    if not started:
        return "-"
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M}"
    except ValueError:
        return cut(started, 24)


def cut(text: str, length: int) -> str:
    """Return `text` with at most so many signs."""
    return text if len(text) <= length else text[: length - 1] + "…"


def megabytes(size_bytes: int) -> str:
    """Return a size in 10^6 bytes."""
    return f"{size_bytes / 1e6:.2f} MB"


def figures(opened: Opened) -> list[Row]:
    """Return the run's figures in groups of one series on one placement."""
    every = opened.analysis.points
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, point in enumerate(every):
        place = f"{point.nodes}x{point.processes_per_node}"
        groups[point.benchmark, point.series, place].append(index)
    return [
        {
            "title": f"{benchmark}, {series.replace('_', ' ')} on {place}",
            "definition": definition(opened.run, benchmark, series),
            "rows": [
                {"index": index, "curve": curve, **_figure(every[index])}
                for index, curve in zip(
                    indices, curve_names([every[index] for index in indices]), strict=True
                )
            ],
        }
        for (benchmark, series, place), indices in groups.items()
    ]


def by_difference(compared: Iterable[Compared]) -> list[Compared]:
    """Return the figures, those that are clearly other first, then by how much."""
    surely = ("slower", "faster")
    return sorted(
        compared,
        key=lambda one: (
            one.verdict not in surely,
            -abs(math.log(one.ratio)) if 0 < one.ratio < math.inf else 0.0,
        ),
    )


def comparison_rows(compared: Sequence[Compared]) -> list[Row]:
    """Return a row a figure."""
    return [
        {
            "name": one.name,
            "trend": query_of(name_of(one.other)),
            "base": format_measured(one.base_s, None, None, 1e6),
            "other": format_measured(one.other_s, None, None, 1e6),
            "ratio": format_measured(one.ratio, None, None),
            "low": format_measured(one.low, None, None),
            "high": format_measured(one.high, None, None),
            "p": "-" if one.p_value is None else f"{one.p_value:.2g}",
            "verdict": one.verdict,
            "needed": one.launches_needed
            or ("no number" if one.states_differ or (one.states and one.states.apart) else ""),
        }
        for one in compared
    ]


def verdicts(compared: Iterable[Compared]) -> list[tuple[str, int]]:
    """Return how many figures have each verdict."""
    found = Counter(one.verdict for one in compared)
    known: tuple[Any, ...] = ("slower", "faster", "same", "cannot tell")
    return [(verdict, found[verdict]) for verdict in known]


def trend_rows(points: Sequence[TrendPoint]) -> list[Row]:
    """Return a row a run and MPI, the newest first."""
    return [{"point": point, **_times(point.figure)} for point in reversed(points)]


def _figure(point: PointSummary) -> Row:
    return {
        "size": format_bytes(point.bytes),
        "rate": format_measured(point.bandwidth_MBps, None, None),
        "trend": query_of(name_of(point)),
        "launches": point.launches,
        **_times(point),
    }


def _times(point: PointSummary) -> Row:
    reasons = [doubt(point)]
    if point.interval is None:
        reasons.append(f"{point.statistic}, no interval")
    return {
        "median": format_measured(point.median_s, point.ci95_low_s, point.ci95_high_s, 1e6),
        "low": format_measured(point.ci95_low_s, None, None, 1e6),
        "high": format_measured(point.ci95_high_s, None, None, 1e6),
        "doubt": ", ".join(reason for reason in reasons if reason),
    }
