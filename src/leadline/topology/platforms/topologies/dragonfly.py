"""A dragonfly: groups of routers, each joined to all in its group, and each group to all others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.topology.platforms.elements import check_nodes, cluster, refuse, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How far nodes of a router are drawn from each other.
_STEP = 2.0


class _Dragonfly(msgspec.Struct, frozen=True):
    """Groups, routers of a group, nodes of a router; cables between routers and between groups.

    Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology" (ISCA 2008). Router j of
    group i has the cables to group j, as SimGrid lays them.
    """

    groups: int
    routers: int
    nodes: int
    router_cables: int = 1
    group_cables: int = 1


class DragonflyTopology:
    """Routed the shortest way: at most one link between groups, and one within each of the two."""

    kind = "dragonfly"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return as many groups as routers in each, and about as many nodes on a router."""
        fitting = (each for each in range(1, nodes + 1) if nodes % each**2 == 0)
        side = min(fitting, key=lambda each: abs(each**3 - nodes))
        return {
            "kind": self.kind,
            "groups": side,
            "routers": side,
            "nodes": nodes // side**2,
        }

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes around their routers, and the groups in a circle."""
        fly = _check_shape(platform)
        routers = fly.groups * fly.routers
        nodes = [
            Vertex(
                name=f"n{node}",
                kind="node",
                place=_node_place(fly, node),
                coordinates=(
                    node // (fly.routers * fly.nodes),
                    node // fly.nodes % fly.routers,
                    node % fly.nodes,
                ),
            )
            for node in range(platform.nodes)
        ]
        switches = [
            Vertex(
                name=f"r{router // fly.routers}.{router % fly.routers}",
                kind="router",
                place=_router_place(fly, router, 1.0),
                coordinates=(router // fly.routers, router % fly.routers),
            )
            for router in range(routers)
        ]
        return Graph(
            topology=self.kind,
            shape=(fly.groups, fly.routers, fly.nodes),
            vertices=(*nodes, *switches),
            edges=tuple(_edges(fly)),
        )

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the links over which the two nodes' routers reach each other."""
        import numpy as np

        fly = _check_shape(platform)
        groups, routers = fly.groups, fly.routers
        between = platform.nodes + groups * routers * (routers - 1) // 2
        group, here = np.divmod(at - platform.nodes, routers)
        other_group, there = np.divmod(target // fly.nodes, routers)
        # In its own group a message goes to its router, else to the one that leads to the other.
        inside = np.where(group == other_group, there, other_group)
        within = platform.nodes + group * (routers * (routers - 1) // 2)
        return np.select(
            [at < platform.nodes, (group == other_group) & (here == there), here != inside],
            [at, target, within + _pair(routers, here, inside)],
            between + _pair(groups, group, other_group),
        )

    def zone(self, platform: Platform, used: int) -> str:
        """Return SimGrid's own dragonfly with one chassis in each group.

        With several, SimGrid 3.32 leads messages within a group over routers of the first one.
        """
        fly = _check_shape(platform)
        parameters = (
            f"{fly.groups},{fly.group_cables};1,1;{fly.routers},{fly.router_cables};{fly.nodes}"
        )
        return cluster(platform, {"topology": "DRAGONFLY", "topo_parameters": parameters})


def _check_shape(platform: Platform) -> _Dragonfly:
    fly = shape_of(platform, _Dragonfly)
    if fly.router_cables < 1 or fly.group_cables < 1:
        raise refuse(platform, "topology: router_cables and group_cables have to be 1 or more")
    check_nodes(platform, (fly.groups, fly.routers, fly.nodes), "groups, routers, nodes")
    if fly.groups > fly.routers:
        raise refuse(
            platform,
            f"topology.groups {fly.groups} has to be at most routers {fly.routers}: each router of "
            "a group leads to one other group",
        )
    return fly


def _pair(count: int, one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers of the pairs of different ones among `count`, as `_edges` counts them."""
    import numpy as np

    low, high = np.minimum(one, other), np.maximum(one, other)
    numbers: NDArray[Any] = low * count - low * (low + 1) // 2 + high - low - 1
    return numbers


def _edges(fly: _Dragonfly) -> Iterator[Edge]:
    """Yield the links of nodes, then within groups, then between them; several cables are one."""
    first = fly.groups * fly.routers * fly.nodes
    for node in range(first):
        yield Edge(one=node, other=first + node // fly.nodes, kind="node")
    for group in range(fly.groups):
        base = first + group * fly.routers
        for one in range(fly.routers):
            for other in range(one + 1, fly.routers):
                yield Edge(
                    one=base + one, other=base + other, kind="group", width=fly.router_cables
                )
    for one in range(fly.groups):
        for other in range(one + 1, fly.groups):
            yield Edge(
                one=first + one * fly.routers + other,
                other=first + other * fly.routers + one,
                kind="between groups",
                width=fly.group_cables,
            )


def _radius(fly: _Dragonfly) -> float:
    return 2.0 * max(1.0, fly.routers * math.sqrt(fly.nodes) / math.pi)


def _router_place(fly: _Dragonfly, router: int, out: float) -> tuple[float, float, float]:
    """Return a place on a group's circle, `out` times as far from its middle as routers are."""
    radius = _radius(fly)
    ring = 1.8 * radius * max(1.0, fly.groups / math.pi) if fly.groups > 1 else 0.0
    group, number = divmod(router, fly.routers)
    turn = 2 * math.pi * group / fly.groups
    angle = 2 * math.pi * number / fly.routers
    reach = radius * out
    return (
        ring * math.sin(turn) + reach * math.sin(angle),
        ring * math.cos(turn) + reach * math.cos(angle),
        0.0,
    )


def _node_place(fly: _Dragonfly, node: int) -> tuple[float, float, float]:
    """Return a place outside of the node's router, in rows that look away from the group."""
    router, number = divmod(node, fly.nodes)
    columns = math.ceil(math.sqrt(fly.nodes))
    row, column = divmod(number, columns)
    x, y, _ = _router_place(fly, router, 1.3 + row * _STEP / _radius(fly))
    angle = 2 * math.pi * (router % fly.routers) / fly.routers
    aside = _STEP * (column - (columns - 1) / 2)
    return (x + aside * math.cos(angle), y - aside * math.sin(angle), 0.0)
