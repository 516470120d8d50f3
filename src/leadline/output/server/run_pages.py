"""The list of runs, one run, and two of them held against each other."""

from __future__ import annotations

import base64
import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.output import program_difference
from leadline.output.html.vega import bundle
from leadline.output.server.catalogue import Entry
from leadline.output.server.served import (
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

# The difference in percent that is no difference where nothing else is asked for.
_WITHIN = "5"


def _list(served: Served, request: Request) -> Response:
    return served.page(
        "runs",
        here="/",
        words=request.args.get("words", ""),
        trials=request.args.get("trials", ""),
        selection=served.selection(request.args),
    )


def _api_list(served: Served, request: Request) -> Response:
    return json(served.selection(request.args, most=1000))


def _run(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    links = {"JSON": f"/api/runs/{part(name)}"}
    menu = served.menu("", links, is_running=entry.listed.state == "running")
    return report_page(request, served.results.report(entry, menu))


def _api_run(served: Served, request: Request, name: str) -> Response:
    entry = served.entry(name)
    if entry.recording:
        return json(served.results.explained(entry))
    opened = served.results.opened(entry)
    return json(served.describe(opened.run, Path(entry.listed.folder), opened.analysis))


def _compare(served: Served, request: Request) -> Response:
    """Return the report of a comparison."""
    a, b = request.args.get("a", ""), request.args.get("b", "")
    base, other, share = _sides(served, request)
    percent = {} if share == float(_WITHIN) / 100 else {"within": request.args["within"]}
    links = {
        "Swap A and B": f"/compare?{urlencode({'a': b, 'b': a, **percent})}",
        "JSON": f"/api/compare?{urlencode({'a': a, 'b': b, **percent})}",
    }
    if base.recording or other.recording:
        found = served.results.difference(base, other)
        return served.page("tables", links=links, **_programs(found))
    menu = served.menu("", links)
    return report_page(request, served.results.comparison_report(base, other, share, menu))


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
    if base.recording or other.recording:
        return json(served.results.difference(base, other))
    held = served.results.comparison(base, other, within)
    comparison = msgspec.to_builtins(held.comparison)
    between = msgspec.to_builtins(held.differences)
    return json({**comparison, "differences": between, "settling": held.settling})


def _sides(served: Served, request: Request) -> tuple[Entry, Entry, float]:
    base, other = (served.entry(request.args.get(word, "")) for word in ("a", "b"))
    if base is other:
        raise UserError(f"A and B are one run, {base.listed.run}: choose two in the list")
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
    Address("/runs/<name>", _run, waits=True),
    Address("/api/runs/<name>", _api_run, waits=True),
    Address("/compare", _compare, waits=True),
    Address("/api/compare", _api_compare, waits=True),
    Address("/static/<name>", _static),
)
