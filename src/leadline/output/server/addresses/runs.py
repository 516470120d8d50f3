"""`/`: the list of runs, and the first screen of the newest one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline.core.errors import UserError
from leadline.output.server.cache import NotYet
from leadline.output.server.catalogue import Listed
from leadline.output.server.listing import Wanted, choices, is_trial, select, wanted
from leadline.output.server.responses import json
from leadline.output.server.served import Address, Served

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# How long the list of runs waits for what it could do without.
_PATIENCE_S = 0.4

_COLUMNS = (
    ("run", "Run"),
    ("when", "When"),
    ("benchmarks", "Benchmarks"),
    ("mpi", "MPI"),
    ("placement", "Placement"),
    ("machine", "Machine"),
    ("outcome", "Outcome"),
    ("size", "Size"),
)


def _page(served: Served, request: Request) -> Response:
    asked = wanted(request.args)
    runs = served.grades.listed(served.catalogue.entries().values())
    selection = select(runs, asked)
    near = range(max(1, selection.page - 3), min(selection.pages, selection.page + 3) + 1)
    return served.page(
        "runs",
        newest=_newest(served, runs) if asked == Wanted() else None,
        here="/",
        asked=asked,
        selection=selection,
        choices=choices(runs),
        columns=_COLUMNS,
        near=near,
    )


def _newest(served: Served, runs: Sequence[Listed]) -> dict[str, Any] | None:
    """Return the first screen of the newest run that is complete, if that is there soon."""
    complete = [run for run in runs if run.state == "complete" and not is_trial(run)]
    for run in sorted(complete, key=lambda run: run.started or "", reverse=True)[:1]:
        if served.catalogue.entries()[run.run].recording:
            return {"run": run.run, "title": ", ".join(run.benchmarks), "recording": run}
        try:
            summary = served.results.summary(served.catalogue.entries()[run.run], _PATIENCE_S)
        except (NotYet, UserError):
            return None
        return {"run": run.run, "recording": None, **summary._asdict()}
    return None


def _api(served: Served, request: Request) -> Response:
    runs = served.grades.listed(served.catalogue.entries().values())
    return json(select(runs, wanted(request.args), per_page=1000))


ADDRESSES = (Address("/", _page), Address("/api/runs", _api))
