"""Rows of texts for the server's pages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from leadline.core.units import format_bytes, format_figure
from leadline.model.comparison import Compared
from leadline.model.summary import PointSummary
from leadline.output.html.panels import curve_names, definition, doubt
from leadline.output.server.catalogue import FigureName, name_of
from leadline.output.server.trend import TrendPoint
from leadline.output.server.workshop import Opened

Row = dict[str, Any]


class Field(NamedTuple):
    """One part of a figure's name to choose: `options` are value, text and number of runs."""

    name: str
    title: str
    value: str
    options: list[tuple[str, str, int]]


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


def query_of(name: FigureName) -> str:
    """Return the query of the address at which a figure is followed over time."""
    return urlencode({field: _as_text(value) for field, value in name._asdict().items()})


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
            "base": format_figure(one.base_s, 1e6),
            "other": format_figure(one.other_s, 1e6),
            "ratio": format_figure(one.ratio),
            "low": format_figure(one.low),
            "high": format_figure(one.high),
            "p": "-" if one.p_value is None else f"{one.p_value:.2g}",
            "verdict": one.verdict,
            "needed": one.launches_needed or ("no number" if one.states_differ else ""),
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


def fields(runs_with: dict[FigureName, int], name: FigureName) -> list[Field]:
    """Return the lists from which a figure is chosen, with `name` chosen.

    `runs_with` is how many runs have each figure. A list holds what goes with the values of the
    lists before it.
    """
    titles = {"benchmark": "Benchmark", "series": "Series", "variant": "Variant",
              "bytes": "Size", "place": "Placement"}  # fmt: skip
    left = runs_with
    found = []
    for position, (field, title) in enumerate(titles.items()):
        most: dict[Any, int] = defaultdict(int)
        for each, count in left.items():
            most[each[position]] = max(most[each[position]], count)
        if name[position] not in most:
            most[name[position]] = 0
        ordered = sorted(most.items(), key=lambda item: _order(item[0]))
        options = [(_as_text(value), _shown(field, value), count) for value, count in ordered]
        found.append(Field(field, title, _as_text(name[position]), options))
        left = {each: count for each, count in left.items() if each[position] == name[position]}
    return found


def nearest(runs_with: dict[FigureName, int], asked: dict[str, str]) -> FigureName | None:
    """Return the figure that has most of what was asked for, by the order of the fields, and of
    those the one that most runs have; None where there is no figure.
    """

    def likeness(name: FigureName) -> tuple[Any, ...]:
        same = tuple(
            _as_text(value) == asked[field] if field in asked else False
            for field, value in name._asdict().items()
        )
        return (*same, runs_with[name], *(-len(str(value)) for value in name))

    return max(runs_with, key=likeness, default=None)


def _as_text(value: str | int | None) -> str:
    return "" if value is None else str(value)


def _order(value: str | int | None) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (-1, value or "")


def _shown(field: str, value: str | int | None) -> str:
    if field == "bytes":
        return format_bytes(value) if isinstance(value, int) else "no size"
    return str(value).replace("_", " ") if field == "series" else str(value) or "only one"


def _figure(point: PointSummary) -> Row:
    return {
        "size": format_bytes(point.bytes),
        "rate": format_figure(point.bandwidth_MBps),
        "trend": query_of(name_of(point)),
        "launches": point.launches,
        **_times(point),
    }


def _times(point: PointSummary) -> Row:
    reasons = [doubt(point)]
    if point.interval is None:
        reasons.append(f"{point.statistic}, no interval")
    return {
        "median": format_figure(point.median_s, 1e6),
        "low": format_figure(point.ci95_low_s, 1e6),
        "high": format_figure(point.ci95_high_s, 1e6),
        "doubt": ", ".join(reason for reason in reasons if reason),
    }
