"""Pages of the nodes of clusters over the nights in which they were screened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from leadline.core.units import count, format_seconds, precise_times
from leadline.model.screen import Suspect
from leadline.output.server import charts
from leadline.output.server.screened import (
    OTHERS,
    NodeHistory,
    Screening,
    histories,
    screenings_of,
)
from leadline.output.server.served import (
    Address,
    Missing,
    Served,
    change_cell,
    few,
    joined,
    json,
    link,
    marked,
    part,
    run_address,
    run_link,
    when,
)
from leadline.output.server.trend import Change
from leadline.output.table import Table, number, table_of, words

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# More rows of screenings are on no page.
_MOST_ROWS = 200
# So many suspects are named in the answer.
_MOST_NAMED = 5


def _nodes(served: Served, request: Request) -> Response:
    screenings = _screenings(served)
    found = histories(screenings)
    found.sort(key=lambda each: (not each.suspects, -_worst(each.suspects)))
    nodes = table_of(
        (
            *("Node", words("Suspected"), "Measured again", "Since", words("Changes of level")),
            *("Newest", number("Screenings")),
        ),
        (
            (
                link(each.node, f"/nodes/{part(each.node)}"),
                _suspects(each.suspects, each.node) or "no",
                _again(each.suspects),
                run_link(each.suspected_since),
                _own_changes(each),
                when(each.nights[-1].started),
                len(each.nights),
            )
            for each in found
        ),
        "Nodes by the newest screening that has each, suspects first. Measured again: the same "
        "in the rounds with good partners.",
    )
    return served.page(
        "history",
        here="/nodes",
        title="Nodes",
        lead=_answer(found) if found else "",
        tables=[nodes, _screening_rows(screenings)] if found else [],
        empty="No cluster was screened yet: `leadline screen` measures each night which node or "
        "link is slow.",
    )


def _screening_rows(screenings: Sequence[Screening]) -> Table:
    return table_of(
        ("When", "Run", number("Nodes"), words("Suspected"), "Measured again"),
        (
            (
                *(when(each.started), run_link(each.screen.run), len(each.screen.nodes)),
                *(_suspects(each.screen.suspects) or "nothing", _again(each.screen.suspects)),
            )
            for each in reversed(screenings[-_MOST_ROWS:])
        ),
        "Screenings, the newest first.",
    )


def _node(served: Served, request: Request, node: str) -> Response:
    history = _history(served, node)
    newest = history.nights[-1]
    suspected = {each.figure for each in newest.suspects}
    names = sorted(history.figures, key=lambda name: (name not in suspected, -history.ratio(name)))
    drawn = request.args.get("figure", "")
    if drawn not in names:
        drawn = names[0] if names else ""
    if newest.suspects:
        since = run_link(history.suspected_since)
        lead = marked("{}; suspected since {}", _suspects(newest.suspects, node), since)
    else:
        lead = marked("not suspected in its newest screening, {}", run_link(newest.run))
    return served.page(
        "history",
        here="/nodes",
        title=f"Node {node}",
        lead=lead,
        drawn=f"{drawn} of {node}",
        charts=charts.levels_over_nights(history, drawn, run_address) if drawn else None,
        shows="The level in each screening (symbol, a link to the run) and the median of the "
        "other nodes. A ring marks screenings in which this figure was suspected. A red line marks "
        "where the level of the node changed and stayed so, a grey one where that of the other "
        "nodes did.",
        api=f"/api/nodes/{part(node)}",
        tables=[
            *([_node_figures(history, names, drawn, suspected)] if names else []),
            _node_screenings(history),
        ],
    )


def _node_figures(
    history: NodeHistory, names: Iterable[str], drawn: str, suspected: Iterable[str]
) -> Table:
    rows = []
    changes = history.changes[::-1]
    for name in names:
        night = history.newest_with(name)
        others = night.others.get(name)
        address = f"/nodes/{part(history.node)}?{urlencode({'figure': name})}"
        shown = link(name, address, name == drawn)
        rows.append(
            (
                marked("{} (suspected)" if name in suspected else "{}", shown),
                format_seconds(night.figures[name]),
                "" if others is None else format_seconds(others),
                "" if others is None else precise_times(night.figures[name] / others),
                joined([change_cell(each, _what(each)) for each in changes if each.curve == name]),
            )
        )
    return table_of(
        ("Figure", "Level", "Other nodes", "Ratio", words("Changes of level")),
        rows,
        "Figures in the newest screening that has each, suspects and the slowest first.",
    )


def _node_screenings(history: NodeHistory) -> Table:
    return table_of(
        ("When", "Run", words("Suspected"), "Measured again"),
        (
            (
                *(when(night.started), run_link(night.run)),
                *(_suspects(night.suspects, history.node) or "no", _again(night.suspects)),
            )
            for night in reversed(history.nights[-_MOST_ROWS:])
        ),
        "Screenings of this node, the newest first.",
    )


def _answer(found: Sequence[NodeHistory]) -> str:
    """Return what is suspected now in one sentence."""
    slow = list(dict.fromkeys(_name(each) for one in found for each in one.suspects))
    nodes = count(len(found), "node")
    if not slow:
        return f"{nodes}, none suspected in its newest screening"
    more = f" and {len(slow) - _MOST_NAMED} more" if len(slow) > _MOST_NAMED else ""
    return f"suspected: {', '.join(slow[:_MOST_NAMED])}{more}, of {nodes}"


def _suspects(suspects: Iterable[Suspect], node: str = "") -> str:
    """Return suspects in words; on the page of a `node` that needs no name."""
    return "; ".join(
        _accusation(each)
        if _name(each) == f"node {node}"
        else f"{_name(each)}: {_accusation(each)}"
        for each in suspects
    )


def _name(suspect: Suspect) -> str:
    return f"{suspect.kind} {suspect.name}"


def _accusation(suspect: Suspect) -> str:
    if suspect.ratio is None:
        hangs = f"hangs, its rank {suspect.reason}"
        return hangs if suspect.figure == "hang" else "does not answer"
    probability = f"probability {100 * suspect.probability:.1f} %"
    return f"{suspect.figure} {precise_times(suspect.ratio)}, {probability}"


def _again(suspects: Iterable[Suspect]) -> str:
    """Return what measuring suspects again showed."""
    return "; ".join(
        f"{precise_times(each.again_ratios[each.figure])} in {count(each.again_rounds, 'round')}"
        for each in suspects
        if each.ratio is not None and each.figure in each.again_ratios
    )


def _worst(suspects: Iterable[Suspect]) -> float:
    return max((each.ratio or float("inf") for each in suspects), default=0.0)


def _own_changes(history: NodeHistory) -> str:
    own = [each for each in reversed(history.changes) if each.what != OTHERS]
    return few([f"{_what(each)} {each.before} became {each.after}" for each in own], 2)


def _what(change: Change) -> str:
    """Return what changed of a node or of the others."""
    ends = {"node": " against the others", OTHERS: " of the others"}
    return f"{change.curve}{ends.get(change.what, '')}"


def _screenings(served: Served) -> list[Screening]:
    return screenings_of(served.catalogue.entries().values())


def _history(served: Served, node: str) -> NodeHistory:
    for each in histories(_screenings(served), only=node):
        return each
    raise Missing("No screening has a node of this name: see Nodes.")


def _api_nodes(served: Served, request: Request) -> Response:
    screenings = _screenings(served)
    return json(
        {
            "screenings": [each.screen.run for each in screenings],
            "nodes": [
                {"node": each.node, "newest": each.nights[-1], "changes": each.changes}
                for each in histories(screenings)
            ],
        }
    )


def _api_node(served: Served, request: Request, node: str) -> Response:
    return json(_history(served, node))


ADDRESSES = (
    Address("/nodes", _nodes),
    Address("/nodes/<node>", _node),
    Address("/api/nodes", _api_nodes),
    Address("/api/nodes/<node>", _api_node),
)
