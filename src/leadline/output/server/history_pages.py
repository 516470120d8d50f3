"""Pages over time: one figure in all runs, and the nights of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.core.units import format_bytes, format_measured
from leadline.model.summary import PointSummary
from leadline.model.watched import Nights
from leadline.output.html.panels import doubt
from leadline.output.server import charts, nights
from leadline.output.server.catalogue import Entry, ResultName, name_of
from leadline.output.server.listing import is_measured
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Missing,
    Served,
    change_cell,
    cut,
    few,
    joined,
    json,
    link,
    part,
    run_address,
    run_link,
    when,
)
from leadline.output.server.trend import Change, Trend
from leadline.output.table import Column, Table, number, table_of, words

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# Runs that a trend looks at where nothing else is asked for, the newest ones.
_NEWEST = 200
# More than `watch` looks back: what comes before needs not be read.
_MOST_NIGHTS = 60


# One figure over all runs.


def _trends(served: Served, request: Request) -> Response:
    entries, runs_with = figures(served)
    name = _nearest(runs_with, request.args)
    last = _runs_to_look_at(request)
    if name is None:
        nothing = "There is no figure yet: `leadline survey` measures the first ones."
        return served.page("history", here="/trends", title="Trends", tables=(), empty=nothing)
    with served.patience(PAGE_PATIENCE_S) as patience:
        trend = trend_of(served, name, entries, last, patience)
    shown = _trend(trend) if trend.points else {"lead": "No run that can be read has this figure."}
    return served.page(
        "history",
        here="/trends",
        title="Trends",
        api=f"/api/trend?{name.query()}&last={last}",
        tables=[*(_trend_tables(trend) if trend.points else ()), *_choices(runs_with, name)],
        **shown,
    )


def _trend(trend: Trend) -> dict[str, Any]:
    """Return what the page shows of a trend beside its tables."""
    notes = []
    if trend.earlier:
        notes.append(f"{trend.earlier} earlier runs that have it are not shown: ask for more runs.")
    if trend.elsewhere:
        elsewhere = "runs of other programs or simulated machines are not in this chart."
        notes.append(f"{trend.elsewhere} {elsewhere}")
    if trend.left_out:
        left_out = ", ".join(trend.left_out)
        notes.append(f"Left out, since they cannot be read: {left_out}.")
    return {
        "drawn": _name(trend),
        "charts": charts.over_time(trend, run_address),
        "shows": "The median of one operation in each run (symbol, a link to the run) with its "
        "95 % interval (bar). A dashed line stands where machine, kernel or MPI became "
        "another one, a red one where the figure itself went to another level. The vertical "
        "axis need not begin at zero.",
        "notes": notes,
    }


def _trend_tables(trend: Trend) -> list[Table]:
    changes = table_of(
        ("When", "Curve", words("What")),
        (
            (when(each.started), each.curve, change_cell(each, each.what))
            for each in reversed(trend.changes)
        ),
        "What changed between runs",
    )
    columns: tuple[Column | str, ...] = (
        *("When", "Run", "MPI"),
        *map(number, ("Median", "95 % from", "95 % to", "Launches")),
        *("Machine", "Kernel", "In doubt"),
    )
    runs = table_of(
        columns,
        (
            (
                *(when(each.started), run_link(each.run), each.mpi, *_times(each.figure)),
                *(each.figure.launches, each.host, each.kernel, _doubts(each.figure)),
            )
            for each in reversed(trend.points)
        ),
        "Runs, the newest first. Times in microseconds.",
    )
    return [table for table in (changes, runs) if table.rows]


def _choices(runs_with: Mapping[ResultName, int], chosen: ResultName) -> list[Table]:
    """Return the benchmarks that have figures, and the figures of the one that is chosen."""
    benchmarks: dict[str, int] = {}
    for name, runs in runs_with.items():
        benchmarks[name.benchmark] = max(runs, benchmarks.get(name.benchmark, 0))
    own = [name for name in runs_with if name.benchmark == chosen.benchmark]
    own.sort(key=lambda name: (name.series, name.variant, name.bytes or 0, name.place))
    return [
        table_of(
            ("Series", "Variant", "Size", "Placement", number("Runs")),
            (
                (
                    link(_series(name), f"/trends?{name.query()}", name == chosen),
                    name.variant,
                    "" if name.bytes is None else format_bytes(name.bytes),
                    name.place,
                    runs_with[name],
                )
                for name in own
            ),
            f"Figures of {chosen.benchmark}",
        ),
        table_of(
            ("Benchmark", number("Runs")),
            (
                (link(name, f"/trends?{urlencode({'benchmark': name})}"), runs)
                for name, runs in sorted(benchmarks.items())
            ),
            "Benchmarks",
        ),
    ]


def _series(name: ResultName | Trend) -> str:
    return name.series.replace("_", " ")


def _name(trend: Trend) -> str:
    size = "" if trend.bytes is None else f" at {format_bytes(trend.bytes)}"
    chosen = f" {trend.variant}" if trend.variant else ""
    return f"{trend.benchmark} ({_series(trend)}){chosen}{size} on {trend.place}"


def _changes(changes: Sequence[Change]) -> str:
    """Return changes with the runs in which they were, the newest first."""
    return joined([change_cell(each, each.what) for each in reversed(changes)])


def _times(figure: PointSummary) -> tuple[str, ...]:
    low, high = figure.ci95_low_s, figure.ci95_high_s
    ends = (format_measured(end, None, None, 1e6) for end in (low, high))
    return (format_measured(figure.median_s, low, high, 1e6), *ends)


def _doubts(figure: PointSummary) -> str:
    alone = "" if figure.interval else f"{figure.statistic}, no interval"
    return ", ".join(filter(None, (doubt(figure), alone)))


def figures(served: Served) -> tuple[list[Entry], dict[ResultName, int]]:
    """Return all runs, and how many of them have each figure."""
    entries = list(served.catalogue.entries().values())
    return entries, Counter(name for entry in entries for name in entry.figures)


def trend_of(
    served: Served, name: ResultName, entries: list[Entry], last: int, patience: float
) -> Trend:
    """Return a figure over the last runs that have it: those measured here, if there are any."""
    having = [entry for entry in entries if name in entry.figures]
    here = [entry for entry in having if is_measured(entry.listed)] or having
    here.sort(key=lambda entry: (entry.listed.started or "", entry.listed.run))
    newest = here[-last:]
    found = served.results.trend(name, newest, len(here) - len(newest), patience)
    return msgspec.structs.replace(found, elsewhere=len(having) - len(here))


def _nearest(runs_with: Mapping[ResultName, int], asked: Mapping[str, str]) -> ResultName | None:
    """Return the figure that has most of what was asked for, by the order of the fields, and of
    those the one that most runs have; None where there is no figure.
    """

    def likeness(name: ResultName) -> tuple[Any, ...]:
        fields = name._asdict().items()
        same = [
            asked.get(field) == ("" if value is None else str(value)) for field, value in fields
        ]
        return (*same, runs_with[name], *(-len(str(value)) for value in name))

    return max(runs_with, key=likeness, default=None)


def _runs_to_look_at(request: Request) -> int:
    text = request.args.get("last", str(_NEWEST))
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) > 0):
        raise UserError(f"{cut(text, 40)!r} is no number of runs")
    return int(text)


def _api_figures(served: Served, request: Request) -> Response:
    _, runs_with = figures(served)
    return json({"figures": [{**n._asdict(), "runs": c} for n, c in runs_with.items()]})


def _api_trend(served: Served, request: Request) -> Response:
    entries, runs_with = figures(served)
    query = urlencode({field: request.args.get(field, "") for field in ResultName._fields})
    name = next((name for name in runs_with if name.query() == query), None)
    if name is None:
        raise Missing("no run has this figure: /api/figures lists them")
    last = _runs_to_look_at(request)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        return json(trend_of(served, name, entries, last, patience))


# The nights of a plan.


def _nights(served: Served, request: Request) -> Response:
    watched = table_of(
        ("Plan", "Machine", "Benchmarks", number("Nights"), "Newest"),
        (
            (
                link(each.plan or "without a name", f"/nights/{part(each.key)}"),
                *(each.host, few(each.benchmarks), len(each.runs), when(each.newest)),
            )
            for each in nights.watched(served.catalogue.entries())
        ),
        "What was measured again and again on one machine, the newest first.",
    )
    return served.page(
        "history",
        here="/nights",
        title="Nights",
        tables=[watched] if watched.rows else [],
        empty="Nothing was measured twice yet: `leadline watch quick --confirm` measures each "
        "night and compares.",
    )


def _night(served: Served, request: Request, key: str) -> Response:
    of, entries = _watched(served, key)
    found = _last_nights(served, of, entries, PAGE_PATIENCE_S)
    rows = nights.figure_rows(found, entries)
    asked = request.args.get("figure", "")
    chosen = next((row for row in rows if str(row.number) == asked), rows[0])
    name = name_of(found.figures[chosen.number].nights[-1].figure)
    address = f"/nights/{part(key)}"
    return served.page(
        "history",
        here="/nights",
        title=f"Nights of {of.plan or 'a plan'} on {of.host}",
        lead=found.newest.summary,
        drawn=chosen.name,
        charts=charts.over_time(chosen.trend, run_address),
        shows="The median of one operation in each night (symbol, a link to the run) with its "
        "95 % interval (bar). A red line stands where the figure went to another level, a dashed "
        "one where machine, kernel or MPI became another one.",
        notes=[link("All runs that have it", f"/trends?{name.query()}")],
        api=f"/api{address}",
        tables=[_watched_figures(rows, chosen, address), _night_rows(found, entries)],
    )


def _watched_figures(
    rows: Sequence[nights.FigureRow], chosen: nights.FigureRow, address: str
) -> Table:
    return table_of(
        ("Figure", "Verdict", "Times usual", "Measured again", words("Changes")),
        (
            (
                link(row.name, f"{address}?figure={row.number}", row is chosen),
                *(row.said, row.tonight, row.again, _changes(row.trend.changes)),
            )
            for row in rows
        ),
        "Figures in the newest night, those that are slower first. Times usual: how many times "
        "its usual time. Measured again: the same of launches made afterwards, in the night in "
        "which it began.",
    )


def _night_rows(found: Nights, entries: Mapping[str, Entry]) -> Table:
    rows = []
    for run, verdicts, slower, machine in nights.night_rows(found):
        started = when(entries[run].listed.started) if run in entries else "-"
        again = run_link(found.measured_again.get(run, ""))
        rows.append((started, run_link(run), verdicts, cut(slower, 200), machine, again))
    return table_of(
        ("When", "Run", "Figures", "Slower", "Whole machine", "Measured again in"),
        rows,
        "Nights, the newest first, each against those before it.",
    )


def _watched(served: Served, key: str) -> tuple[nights.Watched, dict[str, Entry]]:
    entries = served.catalogue.entries()
    for each in nights.watched(entries):
        if each.key == key:
            return each, entries
    raise Missing("Nothing that is watched is at this address: see Nights.")


def _last_nights(
    served: Served, of: nights.Watched, entries: Mapping[str, Entry], seconds: float
) -> Nights:
    chosen = [entries[name] for name in of.runs[-_MOST_NIGHTS:]]
    again = [entry for entry in entries.values() if entry.confirms in of.runs]
    with served.patience(seconds) as patience:
        return served.results.nights(chosen, again, patience)


def _api_nights(served: Served, request: Request) -> Response:
    return json({"watched": nights.watched(served.catalogue.entries())})


def _api_night(served: Served, request: Request, key: str) -> Response:
    of, entries = _watched(served, key)
    return json(_last_nights(served, of, entries, PROGRAM_PATIENCE_S))


ADDRESSES = (
    Address("/trends", _trends),
    Address("/api/figures", _api_figures),
    Address("/api/trend", _api_trend),
    Address("/nights", _nights),
    Address("/nights/<key>", _night),
    Address("/api/nights", _api_nights),
    Address("/api/nights/<key>", _api_night),
)
