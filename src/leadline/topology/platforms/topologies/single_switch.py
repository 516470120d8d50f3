"""Nodes around one thing: a switch that lets all through, or a bus that they share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.topology.platforms.elements import cluster, rate, refuse, seconds, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Crossbar(msgspec.Struct, frozen=True):
    """`rails` are the links of a node: a message takes one, and several fill all of them."""

    rails: int = 1


class Crossbar:
    """Every node has one link to the switch, in each direction, that its cores share."""

    kind = "crossbar"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return nothing beside the kind."""
        return {"kind": self.kind}

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes in a circle around the switch."""
        return around(platform, "switch", self.kind, width=_check_shape(platform).rails)

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the nodes' own links, and from the switch those of others."""
        return to_the_middle(platform, at, target)

    def zone(self, platform: Platform, used: int) -> str:
        """Return a cluster; where a node has several links, a backbone limits each message."""
        rails = _check_shape(platform).rails
        if rails == 1:
            return cluster(platform, {})
        bandwidth = platform.network.bandwidth
        one_message = {
            "bw": rate(rails * bandwidth),
            "bb_bw": rate(bandwidth),
            "bb_lat": seconds(0.0),
            "bb_sharing_policy": "FATPIPE",
        }
        return cluster(platform, one_message)


def _check_shape(platform: Platform) -> _Crossbar:
    crossbar = shape_of(platform, _Crossbar)
    if crossbar.rails < 1:
        raise refuse(platform, f"topology.rails is {crossbar.rails}: it has to be 1 or more")
    return crossbar


def around(platform: Platform, middle: str, kind: str, width: float = 1.0) -> Graph:
    """Return the nodes in a circle around one `middle`, with a link from each to it."""
    nodes = platform.nodes
    radius = max(1.0, nodes / (2 * math.pi))
    angles = [2 * math.pi * node / nodes for node in range(nodes)]
    vertices = [
        Vertex(
            name=f"n{node}",
            kind="node",
            place=(radius * math.sin(angle), radius * math.cos(angle), 0.0),
            coordinates=(node,),
        )
        for node, angle in enumerate(angles)
    ]
    return Graph(
        topology=kind,
        shape=(nodes,),
        vertices=(*vertices, Vertex(name=middle, kind=middle, place=(0.0, 0.0, 0.0))),
        edges=tuple(Edge(one=node, other=nodes, kind="link", width=width) for node in range(nodes)),
    )


def to_the_middle(platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
    """Return the edges of such a graph that lead to its middle, and from there to the target."""
    import numpy as np

    return np.where(at < platform.nodes, at, target)


class _Bus(msgspec.Struct, frozen=True):
    pass


class Bus:
    """All messages between nodes go over one link, whichever way, and share what it carries."""

    kind = "bus"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return nothing beside the kind."""
        return {"kind": self.kind}

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes in a circle around the bus."""
        shape_of(platform, _Bus)
        return around(platform, "bus", self.kind)

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the stretch of the node to the bus, and from there that to the other one."""
        return to_the_middle(platform, at, target)

    def zone(self, platform: Platform, used: int) -> str:
        """Return a cluster whose backbone is the medium; its stretches have the latency."""
        shape_of(platform, _Bus)
        network = platform.network
        medium = {
            "bb_bw": rate(network.bandwidth),
            "bb_lat": seconds(0.0),
            "bb_sharing_policy": "SHARED",
        }
        return cluster(platform, medium)
