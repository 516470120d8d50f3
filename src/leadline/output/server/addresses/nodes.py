"""`/nodes`: the nodes of clusters over the nights in which they were screened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.output.server import node_rows
from leadline.output.server.responses import json, part
from leadline.output.server.screened import NodeHistory, histories
from leadline.output.server.served import Address, Missing, Served

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response


def _nodes(served: Served, request: Request) -> Response:
    found = node_rows.overview(served.screenings())
    return served.page("nodes", here="/nodes", api="/api/nodes", **found)


def _node(served: Served, request: Request, node: str) -> Response:
    shown = node_rows.shown(_history(served, node), request.args.get("figure", ""))
    return served.page("node", here="/nodes", api=f"/api/nodes/{part(node)}", **shown)


def _history(served: Served, node: str) -> NodeHistory:
    for each in histories(served.screenings(), only=node):
        return each
    raise Missing("No screening has a node of this name: see Nodes.")


def _api_nodes(served: Served, request: Request) -> Response:
    screenings = served.screenings()
    nodes = histories(screenings)
    return json(
        {
            "screenings": [each.screen.run for each in screenings],
            "nodes": [
                {"node": each.node, "newest": each.nights[-1], "changes": each.changes}
                for each in nodes
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
