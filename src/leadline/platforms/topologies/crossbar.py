"""One switch without limits of its own: only the nodes' links are shared."""

import math

import msgspec

from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.platforms.elements import cluster
from leadline.platforms.shape import shape_of


class _Crossbar(msgspec.Struct, frozen=True):
    pass


class Crossbar:
    """Every node has one link to the switch, in each direction, that its cores share."""

    kind = "crossbar"

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes in a circle around the switch."""
        shape_of(platform, _Crossbar)
        return around(platform, "switch", self.kind)

    def route(self, platform: Platform, one: int, other: int) -> tuple[int, ...]:
        """Return the link of each of the two nodes."""
        return () if one == other else (one, other)

    def zone(self, platform: Platform) -> str:
        """Return a cluster without a backbone."""
        shape_of(platform, _Crossbar)
        return cluster(platform, {})


def around(platform: Platform, middle: str, kind: str) -> Graph:
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
        edges=tuple(Edge(one=node, other=nodes, kind="link") for node in range(nodes)),
    )


TOPOLOGY = Crossbar()
