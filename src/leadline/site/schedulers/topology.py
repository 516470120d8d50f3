"""The interconnect of this machine, which maps are drawn on, and its providers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.jobs import Node
from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.topology.platforms.routes import Routes

_SYSTEMS = "leadline.site.schedulers"

# From node to node, by number: the edges of the graph that a message takes.
Route = Callable[[int, int], Sequence[int]]


class Interconnect(NamedTuple):
    """How the nodes of a machine are joined: a graph, without edges where links are unknown."""

    name: str
    graph: Graph
    route: Route
    notes: tuple[str, ...] = ()


class TopologyProvider(NamedTuple):
    """What knows the interconnect of this machine. One file each, found by its `PROVIDER`.

    Of all the one of the least `order` that knows is taken. `interconnect` returns that of the
    `nodes` of a source, which has a name, None where it is unknown. The graph's nodes are `nodes`,
    in their order.
    """

    order: int
    interconnect: Callable[[str, Sequence[Node]], Interconnect | None]


def interconnect_of(platform: Platform) -> Interconnect:
    """Return the interconnect that a platform describes. Raises `UserError`."""
    routes = Routes(platform)
    return Interconnect(name=platform.name, graph=routes.graph, route=routes.route)


def find_interconnect(system: str, nodes: Sequence[Node]) -> Interconnect:
    """Return how the nodes of this machine are joined, as far as anything here knows."""
    providers: list[TopologyProvider] = plugins_of_folders(_SYSTEMS, "topology", "PROVIDER")
    for provider in sorted(providers, key=lambda each: each.order):
        network = provider.interconnect(system, nodes)
        if network is not None:
            return network
    raise AssertionError("rows take any nodes")


class Tree:
    """Routes on a graph without rings, or the shortest ones, the first found of several."""

    def __init__(self, graph: Graph) -> None:
        self._joined: list[list[tuple[int, int]]] = [[] for _ in graph.vertices]
        for number, edge in enumerate(graph.edges):
            self._joined[edge.one].append((edge.other, number))
            self._joined[edge.other].append((edge.one, number))
        self._from: dict[int, dict[int, tuple[int, int]]] = {}

    def __call__(self, one: int, other: int) -> Sequence[int]:
        """Return the edges from one vertex to the other; none where they are not joined."""
        came = self._from.setdefault(one, {}) or self._search(one)
        path = []
        while other != one and other in came:
            other, edge = came[other]
            path.append(edge)
        return path[::-1]

    def _search(self, start: int) -> dict[int, tuple[int, int]]:
        came = self._from[start] = {start: (start, -1)}
        waiting = deque([start])
        while waiting:
            here = waiting.popleft()
            for there, edge in self._joined[here]:
                if there not in came:
                    came[there] = (here, edge)
                    waiting.append(there)
        return came


def build_switched(
    name: str,
    topology: str,
    leaves: Mapping[str, Sequence[str]],
    tops: Sequence[str] = (),
    apart: Sequence[str] = (),
    backbone: bool = False,
) -> Interconnect:
    """Return nodes below switches, and the switches below those of `tops`, if there are any.

    `leaves` are the names of the nodes of each switch. They are the nodes in order, after those
    that stand `apart`, without a link. A `backbone` joins each switch to the next one.
    """
    nodes = [*apart, *(node for below in leaves.values() for node in below)]
    gap = 1.0
    vertices = [
        Vertex(name=node, kind="node", place=(float(at), 0.0, 0.0), coordinates=(at,))
        for at, node in enumerate(apart)
    ]
    edges, centres = [], []
    at, number = len(apart) + gap * bool(apart), len(apart)
    for leaf, below in enumerate(leaves.values()):
        first = at
        for node in below:
            vertices.append(
                Vertex(name=node, kind="node", place=(at, 0.0, 0.0), coordinates=(leaf, number))
            )
            edges.append(Edge(one=number, other=len(nodes) + leaf))
            at, number = at + 1.0, number + 1
        centres.append((first + max(at - 1.0, first)) / 2)
        at += gap
    rise = max(3.0, len(nodes) / 6)
    for switch, centre in zip(leaves, centres, strict=True):
        vertices.append(Vertex(name=switch, kind="switch", place=(centre, rise, 0.0)))
    width = max(at - gap - 1.0, 0.0)
    for top, switch in enumerate(tops):
        place = (width * (top + 1) / (len(tops) + 1), 2 * rise, 0.0)
        vertices.append(Vertex(name=switch, kind="switch", place=place))
        edges += [
            Edge(one=len(nodes) + leaf, other=len(nodes) + len(leaves) + top, kind="up")
            for leaf in range(len(leaves))
        ]
    if backbone:
        edges += [
            Edge(one=len(nodes) + leaf, other=len(nodes) + leaf + 1, kind="backbone")
            for leaf in range(len(leaves) - 1)
        ]
    graph = Graph(
        topology=topology,
        shape=(len(leaves), max(map(len, leaves.values()), default=0)),
        vertices=tuple(vertices),
        edges=tuple(edges),
    )
    return Interconnect(name=name, graph=graph, route=Tree(graph))


def reordered(network: Interconnect, names: Sequence[str]) -> Interconnect:
    """Return the network with its nodes in the order of `names`; where they are drawn stays."""
    graph = network.graph
    at = {vertex.name: number for number, vertex in enumerate(graph.vertices[: len(names)])}
    order = [*(at[name] for name in names), *range(len(names), len(graph.vertices))]
    new = {old: number for number, old in enumerate(order)}
    edges = tuple(
        msgspec.structs.replace(edge, one=new[edge.one], other=new[edge.other])
        for edge in graph.edges
    )
    vertices = tuple(graph.vertices[old] for old in order)
    graph = msgspec.structs.replace(graph, vertices=vertices, edges=edges)
    return network._replace(graph=graph, route=Tree(graph))


def leaf_switches(names: Sequence[str], system: str) -> list[str] | None:
    """Return the switch of each of these nodes; None where that is not known, or all have one.

    `system` is the resource manager that handed them out, or empty. Nodes are asked for in the
    order of their switches, since who knows them names them so.
    """
    nodes = [Node(name=name, phase="allocated", state="") for name in names]
    try:
        return leaves_of(find_interconnect(system, nodes))
    except UserError:
        return None


def leaves_of(network: Interconnect) -> list[str] | None:
    """Return the switch that each node of the network has a link to, in the order of its nodes.

    None where a node has none, all have the same one, or no two of them share one.
    """
    vertices = network.graph.vertices
    found = {}
    for edge in network.graph.edges:
        for node, other in ((edge.one, edge.other), (edge.other, edge.one)):
            if vertices[node].kind == "node" and vertices[other].kind == "switch":
                found[node] = vertices[other].name
    count = sum(vertex.kind == "node" for vertex in vertices)
    if len(found) < count or not 1 < len(set(found.values())) < count:
        return None
    return [found[node] for node in range(count)]
