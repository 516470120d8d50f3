"""Pages of what is measured every night: the plans, and each figure of one over its nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from leadline.model.watched import Nights
from leadline.output.html.panels import doubt, microseconds
from leadline.output.html.vegalite import (
    Specification,
    axis,
    chart,
    layer,
    spread,
    symbols,
    tooltip,
)
from leadline.output.server import nights
from leadline.output.server.catalogue import Entry
from leadline.output.server.served import (
    Address,
    Missing,
    Served,
    cut,
    few,
    json,
    link,
    marked,
    part,
    run_address,
    run_link,
    when,
)
from leadline.output.table import Table, number, table_of, words

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# More than `watch` looks back: what comes before needs not be read.
_MOST_NIGHTS = 60

# When a run started, of 24 hours whatever the browser's language.
_CLOCK = {
    "year": "%Y",
    "month": "%b %Y",
    "week": "%d %b",
    "date": "%d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
}
_WHEN = axis(
    "started",
    "UTC",
    {"type": "utc"},
    kind="temporal",
    labelOverlap=True,
    tickCount=6,
    format=_CLOCK,
)


def _nights(served: Served, request: Request) -> Response:
    plans = table_of(
        ("Plan", "Machine", "Benchmarks", number("Runs"), "Newest"),
        (
            (
                link(each.plan or "without a name", f"/nights/{part(each.key)}"),
                *(each.host, few(each.benchmarks), len(each.runs), when(each.newest)),
            )
            for each in nights.watched(served.catalogue.entries())
        ),
        "What was measured on several days on one machine, the newest first.",
    )
    return served.page(
        "tables",
        here="/nights",
        title="Nights",
        tables=[plans] if plans.rows else [],
        empty="Nothing was measured on two days yet: `leadline watch quick --confirm` measures "
        "each night and compares.",
    )


def _plan(served: Served, request: Request, key: str) -> Response:
    plan, entries = _watched(served, key)
    last = _last_nights(served, plan, entries)
    rows = nights.figure_rows(last, entries)
    asked = request.args.get("figure", "")
    chosen = next((row for row in rows if str(row.number) == asked), rows[0])
    address = f"/nights/{part(key)}"
    return served.page(
        "tables",
        here="/nights",
        title=f"Nights of {plan.plan or 'a plan'} on {plan.host}",
        lead=last.newest.summary,
        drawn=chosen.name,
        charts=_chart(chosen),
        shows="The median of one operation in each night (symbol, a link to the run) with its "
        "95 % interval (bar), cut where it is far longer than the others. A red line stands where "
        "the figure went to another level, a dashed one where machine, kernel or MPI became "
        "another one.",
        api=f"/api{address}",
        tables=[_figure_table(rows, chosen, address), _night_table(last, entries)],
    )


def _figure_table(
    rows: Sequence[nights.FigureRow], chosen: nights.FigureRow, address: str
) -> Table:
    return table_of(
        ("Figure", "Verdict", "Times usual", "Measured again", words("Changes")),
        (
            (
                link(row.name, f"{address}?figure={row.number}", row is chosen),
                *(row.verdict, row.tonight, row.again, _changes(row.changes)),
            )
            for row in rows
        ),
        "Figures in the newest night, those that are slower first. Times usual: how many times "
        "its usual time. Measured again: the same of launches made afterwards, in the night in "
        "which it began.",
    )


def _changes(changes: Sequence[nights.Change]) -> str:
    """Return changes with links to the runs in which they were, the newest first."""
    texts = [
        marked("{} {} became {} in {}", each.what, each.before, each.after, run_link(each.run.run))
        for each in reversed(changes)
    ]
    return marked("; ").join(texts)


def _night_table(last: Nights, entries: Mapping[str, Entry]) -> Table:
    rows = []
    for run, verdicts, slower, machine in nights.night_rows(last):
        started = when(entries[run].listed.started) if run in entries else "-"
        again = run_link(last.measured_again.get(run, ""))
        rows.append((started, run_link(run), verdicts, cut(slower, 200), machine, again))
    return table_of(
        ("When", "Run", "Figures", "Slower", "Whole machine", "Measured again in"),
        rows,
        "Runs, the newest first, each against those before it.",
    )


def _chart(row: nights.FigureRow) -> Specification:
    values = [
        {
            "started": run.started or "",
            "run": run.run,
            "median_us": microseconds(figure.median_s),
            "low_us": microseconds(figure.ci95_low_s),
            "high_us": microseconds(figure.ci95_high_s),
            "mpi": run.versions.get(figure.mpi, figure.mpi),
            "host": run.host,
            "kernel": run.kernel,
            "mark": doubt(figure),
            "address": run_address(run.run),
        }
        for run, figure in row.points
    ]
    changes = [
        {
            "started": each.run.started,
            "text": f"{each.what}: {each.before} became {each.after}",
            "level": each.what == "time",
        }
        for each in row.changes
    ]
    domain = [1e6 * end for end in nights.shown_times([figure for _, figure in row.points])]
    scale = {"zero": False, "nice": False, "domain": domain}
    texts = {"run": "run", "mpi": "MPI", "host": "machine", "kernel": "kernel", "mark": "in doubt"}
    points = {"x": _WHEN, "y": axis("median_us", "time (µs)", scale)}
    change = {
        "x": _WHEN,
        "color": {
            "condition": {"test": "datum.level", "value": "var(--problem)"},
            "value": "var(--muted)",
        },
        "tooltip": _texts(text="changed"),
    }
    pointed = _texts(**texts) + tooltip(
        median_us="median (µs)", low_us="95 % from (µs)", high_us="95 % to (µs)"
    )
    layers = [
        layer("rule", change, rows=changes, style="reference", strokeWidth=1.5),
        spread(
            *("rule", points, "low_us", "high_us", "datum.low_us > 0"),
            strokeWidth=3,
            opacity=0.4,
            clip=True,
        ),
        layer("line", points, strokeWidth=1.25, opacity=0.7),
        symbols(points, 60, href={"field": "address", "type": "nominal"}, tooltip=pointed),
    ]
    return chart(values, *values[0], height=340, layer=layers if changes else layers[1:])


def _texts(**titles: str) -> list[Specification]:
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


def _watched(served: Served, key: str) -> tuple[nights.Watched, dict[str, Entry]]:
    entries = served.catalogue.entries()
    for plan in nights.watched(entries):
        if plan.key == key:
            return plan, entries
    raise Missing("Nothing that is watched is at this address: see Nights.")


def _last_nights(served: Served, plan: nights.Watched, entries: Mapping[str, Entry]) -> Nights:
    chosen = [entries[name] for name in plan.runs[-_MOST_NIGHTS:]]
    again = [entry for entry in entries.values() if entry.confirms in plan.runs]
    return served.results.nights(chosen, again)


def _api_nights(served: Served, request: Request) -> Response:
    return json({"watched": nights.watched(served.catalogue.entries())})


def _api_plan(served: Served, request: Request, key: str) -> Response:
    plan, entries = _watched(served, key)
    return json(_last_nights(served, plan, entries))


ADDRESSES: tuple[Address, ...] = (
    Address("/nights", _nights),
    Address("/nights/<key>", _plan, waits=True),
    Address("/api/nights", _api_nights),
    Address("/api/nights/<key>", _api_plan, waits=True),
)
