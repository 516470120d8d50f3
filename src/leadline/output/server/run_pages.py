"""The list of runs, one run, and two of them held against each other."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.output import program_difference
from leadline.output.html.vega import bundle
from leadline.output.server.cache import NotYet
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.listing import is_trial, select
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Missing,
    Served,
    cut,
    files,
    json,
    marked,
    packed,
    part,
    report_page,
    run_link,
)

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

    from leadline.explain.difference import ExplainedDifference

# How long the list of runs waits for what it could do without.
_LIST_PATIENCE_S = 0.4

# The difference in percent that is no difference where nothing else is asked for.
_WITHIN = "5"


def _list(served: Served, request: Request) -> Response:
    runs = [entry.listed for entry in served.catalogue.entries().values()]
    return served.page(
        "runs",
        here="/",
        newest=None if request.args else _newest(served, runs),
        words=request.args.get("words", ""),
        trials=request.args.get("trials", ""),
        selection=select(runs, request.args),
    )


def _newest(served: Served, runs: Sequence[Listed]) -> dict[str, Any] | None:
    """Return the first screen of the newest run that is complete, if that is there soon."""
    complete = [run for run in runs if run.state == "complete" and not is_trial(run)]
    if not complete:
        return None
    newest = max(complete, key=lambda run: run.started or "")
    entry = served.catalogue.entries()[newest.run]
    if entry.recording:
        return {"run": newest.run, "title": ", ".join(newest.benchmarks), "recording": newest}
    try:
        summary = served.results.summary(entry, _LIST_PATIENCE_S)
    except (NotYet, UserError):
        return None
    return {"run": newest.run, "recording": None, **summary._asdict()}


def _api_list(served: Served, request: Request) -> Response:
    runs = [entry.listed for entry in served.catalogue.entries().values()]
    return json(select(runs, request.args, most=1000))


def _run(served: Served, request: Request, name: str) -> Response:
    """Return the report of a run or of a recording."""
    entry = served.entry(name)
    links = {
        "Compare with another": f"/compare?b={part(name)}",
        "JSON": f"/api/runs/{part(name)}",
    }
    menu = served.menu("", links, is_running=entry.listed.state == "running")
    with served.patience(PAGE_PATIENCE_S) as patience:
        return report_page(request, served.results.report(entry, menu, patience))


def _api_run(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        if entry.recording:
            return json(served.results.explained(entry, patience))
        opened = served.results.opened(entry, patience)
    return json(served.describe(opened.run, Path(entry.listed.folder), opened.analysis))


def _compare(served: Served, request: Request) -> Response:
    """Return the report of a comparison, or what asks for two runs where none are chosen."""
    a, b = request.args.get("a", ""), request.args.get("b", "")
    if not (a and b) or "choose" in request.args:
        runs = [one.listed for one in served.catalogue.entries().values() if one.is_readable]
        within = request.args.get("within", _WITHIN)
        return served.page(
            "compare", here="/compare", a=a, b=b, within=within, runs=runs[::-1], difference=None
        )
    base, other, share = _sides(served, request)
    percent = {} if share == float(_WITHIN) / 100 else {"within": request.args["within"]}
    links = {
        "Swap A and B": f"/compare?{urlencode({'a': b, 'b': a, **percent})}",
        "Choose others": f"/compare?{urlencode({'a': a, 'b': b, **percent, 'choose': 'yes'})}",
        "JSON": f"/api/compare?{urlencode({'a': a, 'b': b, **percent})}",
    }
    with served.patience(PAGE_PATIENCE_S) as patience:
        if base.recording or other.recording:
            found = served.results.difference(base, other, patience)
            return served.page("tables", here="/compare", links=links, **_programs(found))
        menu = served.menu("/compare", links)
        return report_page(
            request, served.results.comparison_report(base, other, share, menu, patience)
        )


def _programs(found: ExplainedDifference) -> dict[str, Any]:
    caption = "Calls, those that differ most first. Times are of an average rank; was: in A."
    answer = program_difference.headline(found)
    which = marked("A is {}, B, the second, is {}.", run_link(found.base), run_link(found.other))
    unknown = program_difference.unknown(found)
    return {
        "title": "Compare",
        "lead": answer[:1].upper() + answer[1:],
        "notes": [each for each in (which, unknown) if each],
        "tables": [program_difference.calls(found)._replace(caption=caption)],
    }


def _api_compare(served: Served, request: Request) -> Response:
    base, other, within = _sides(served, request)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        if base.recording or other.recording:
            return json(served.results.difference(base, other, patience))
        held = served.results.comparison(base, other, within, patience)
    comparison = msgspec.to_builtins(held.comparison)
    between = msgspec.to_builtins(held.differences)
    return json({**comparison, "differences": between, "settling": held.settling})


def _sides(served: Served, request: Request) -> tuple[Entry, Entry, float]:
    """Return both runs that were asked for, and the share that is no difference."""
    base, other = (served.entry(request.args.get(word, "")) for word in ("a", "b"))
    percent = request.args.get("within", _WITHIN)
    try:
        share = float(percent) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UserError(f"{cut(percent, 40)!r} is no percentage from 0 to 100")
    return base, other, share


_files = functools.cache(files)


def _static(served: Served, request: Request, name: str) -> Response:
    if name == "vega.js":
        content = base64.b64decode(bundle().compressed)
        kind = "text/javascript; charset=utf-8"
    elif name in _files():
        content, kind = _files()[name]
    else:
        raise Missing("There is no such file.")
    response = packed(request, content, kind)
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(hashlib.sha256(content).hexdigest()[:32])
    return response.make_conditional(request)


ADDRESSES = (
    Address("/", _list),
    Address("/api/runs", _api_list),
    Address("/runs/<name>", _run),
    Address("/api/runs/<name>", _api_run),
    Address("/compare", _compare),
    Address("/api/compare", _api_compare),
    Address("/static/<name>", _static),
)
