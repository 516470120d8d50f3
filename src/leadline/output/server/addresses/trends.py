"""`/trends`: one figure over time, run by run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.output.server import charts, choice, rows
from leadline.output.server.catalogue import Entry, ResultName
from leadline.output.server.listing import is_measured
from leadline.output.server.responses import json, part
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Missing,
    Served,
)
from leadline.output.server.trend import Trend

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# Runs that a trend looks at where nothing else is asked for, the newest ones.
_NEWEST = 200


def _page(served: Served, request: Request) -> Response:
    entries, runs_with = figures(served)
    name = choice.nearest(runs_with, request.args.to_dict())
    last = _whole(request.args.get("last", str(_NEWEST)))
    if name is None:
        return served.page("trends", here="/trends", trend=None, fields=(), last=last)
    with served.patience(PAGE_PATIENCE_S) as patience:
        trend = trend_of(served, name, entries, last, patience)
    address = {point.run: f"/runs/{part(point.run)}" for point in trend.points}
    return served.page(
        "trends",
        here="/trends",
        trend=trend,
        last=last,
        fields=choice.fields(runs_with, name),
        charts=charts.over_time(trend, address) if trend.points else None,
        shows="The median of one operation in each run (symbol, a link to the run) with its "
        "95 % interval (bar). A dashed line stands where machine, kernel or MPI became "
        "another one, a red one where the figure itself went to another level. The vertical "
        "axis need not begin at zero.",
        api=f"/api/trend?{choice.query_of(name)}&last={last}",
        rows=rows.trend_rows(trend.points),
    )


def _api_figures(served: Served, request: Request) -> Response:
    _, runs_with = figures(served)
    return json({"figures": [{**n._asdict(), "runs": c} for n, c in runs_with.items()]})


def _api_trend(served: Served, request: Request) -> Response:
    entries, runs_with = figures(served)
    asked = request.args.to_dict()
    found = [name for name in runs_with if choice.query_of(name) == _query(asked)]
    if not found:
        raise Missing("no run has this figure: /api/figures lists them")
    last = _whole(asked.get("last", str(_NEWEST)))
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        return json(trend_of(served, found[0], entries, last, patience))


def figures(served: Served) -> tuple[list[Entry], dict[ResultName, int]]:
    """Return all runs, and how many of them have each figure."""
    entries = list(served.catalogue.entries().values())
    counts = Counter(number for entry in entries for number in entry.figures)
    return entries, {served.catalogue.names[n]: count for n, count in counts.items()}


def trend_of(
    served: Served, name: ResultName, entries: list[Entry], last: int, patience: float
) -> Trend:
    """Return a figure over the last runs that have it: those measured here, if there are any."""
    number = served.catalogue.names.index(name)
    having = [entry for entry in entries if number in entry.figures]
    here = [entry for entry in having if is_measured(entry.listed)] or having
    elsewhere = len(having) - len(here)
    having = here
    having.sort(key=lambda entry: (entry.listed.started or "", entry.listed.run))
    newest = having[-last:]
    found = served.results.trend(name, newest, len(having) - len(newest), patience)
    return msgspec.structs.replace(found, elsewhere=elsewhere)


def _query(asked: dict[str, str]) -> str:
    return urlencode({field: asked.get(field, "") for field in ResultName._fields})


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) > 0):
        raise UserError(f"{rows.cut(text, 40)!r} is no number of runs")
    return int(text)


ADDRESSES = (
    Address("/trends", _page),
    Address("/api/figures", _api_figures),
    Address("/api/trend", _api_trend),
)
