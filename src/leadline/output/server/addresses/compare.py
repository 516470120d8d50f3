"""`/compare`: two runs, or two recordings of a program, held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec

from leadline.core.errors import UserError
from leadline.output import program_difference
from leadline.output.compared import comparison_sentences
from leadline.output.server import charts, rows
from leadline.output.server.catalogue import Entry
from leadline.output.server.responses import json, own_page
from leadline.output.server.served import (
    PAGE_PATIENCE_S,
    PROGRAM_PATIENCE_S,
    Address,
    Served,
)

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

    from leadline.explain.difference import ExplainedDifference


def _page(served: Served, request: Request) -> Response:
    entries = served.catalogue.entries()
    a, b = request.args.get("a", ""), request.args.get("b", "")
    known = [one.listed for one in entries.values()]
    runs = [one for one in known if one.state not in ("unreadable", "damaged")]
    shown: dict[str, Any] = {"comparison": None, "charts": None, "programs": None}
    within = request.args.get("within", "5")
    if a and b and _are_recordings(served, request):
        shown["programs"] = _programs(served, request)
        shown["swapped"] = urlencode({"a": b, "b": a})
    elif a and b:
        with served.patience(PAGE_PATIENCE_S) as patience:
            held = served.results.comparison(*_sides(served, request), patience)
        comparison = held.comparison
        ordered = rows.by_difference(comparison.figures)
        drawn = ordered[: charts.MOST]
        count = "" if len(drawn) == len(ordered) else f"The {len(drawn)} that differ most. "
        shown |= {
            "comparison": comparison,
            "answer": comparison_sentences(comparison, "A", "B"),
            "differences": held.differences,
            "charts": charts.ratios(drawn, comparison.same_within) if drawn else None,
            "shows": f"{count}Ratio of medians with its 95 % interval, on a logarithmic axis; "
            "what lies in the band is the same.",
            "rows": rows.comparison_rows(ordered),
            "verdicts": rows.verdicts(comparison.figures),
            "unsure": any(one.low is None for one in comparison.figures),
            "swapped": urlencode({"a": b, "b": a, "within": within}),
            "query": urlencode({"a": a, "b": b} | ({"within": within} if within != "5" else {})),
        }
    return served.page(
        "compare", here="/compare", a=a, b=b, within=within, runs=runs[::-1], **shown
    )


def _are_recordings(served: Served, request: Request) -> bool:
    """Tell whether one of the two to compare is a recording of a program."""
    base, other, _ = _sides(served, request)
    return base.recording or other.recording


def _difference(served: Served, request: Request, patience_s: float) -> ExplainedDifference:
    base, other, _ = _sides(served, request)
    with served.patience(patience_s) as patience:
        return served.recordings.difference(base, other, patience)


def _programs(served: Served, request: Request) -> dict[str, Any]:
    found = _difference(served, request, PAGE_PATIENCE_S)
    caption = "Calls, those that differ most first. Times are of an average rank; was: in A."
    return {
        "answer": program_difference.headline(found),
        "base": found.base,
        "other": found.other,
        "calls": program_difference.calls(found)._replace(caption=caption),
        "unknown": program_difference.unknown(found),
    }


def _report(served: Served, request: Request) -> Response:
    if _are_recordings(served, request):
        raise UserError("recordings of programs are compared on the page Compare alone")
    base, other, within = _sides(served, request)
    with served.patience(PAGE_PATIENCE_S) as patience:
        report = served.results.comparison_report(base, other, within, patience)
    return own_page(request, report)


def _api(served: Served, request: Request) -> Response:
    if _are_recordings(served, request):
        return json(_difference(served, request, PROGRAM_PATIENCE_S))
    base, other, within = _sides(served, request)
    with served.patience(PROGRAM_PATIENCE_S) as patience:
        held = served.results.comparison(base, other, within, patience)
    told = msgspec.to_builtins(held.comparison)
    between = msgspec.to_builtins(held.differences)
    return json({**told, "differences": between, "settling": held.settling})


def _sides(served: Served, request: Request) -> tuple[Entry, Entry, float]:
    base, other = (served.entry(request.args.get(word, "")) for word in ("a", "b"))
    return base, other, _share(request.args.get("within", "5"))


def _share(percent: str) -> float:
    try:
        share = float(percent) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UserError(f"{rows.cut(percent, 40)!r} is no percentage from 0 to 100")
    return share


ADDRESSES = (
    Address("/compare", _page),
    Address("/compare/report", _report),
    Address("/api/compare", _api),
)
