"""Nodes in rows, where nothing is known of what joins them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leadline.model.jobs import Node
from leadline.model.platform import Graph, Vertex
from leadline.site.schedulers.topology import Interconnect, TopologyProvider


def _rows(system: str, nodes: Sequence[Node]) -> Interconnect:
    """Return any nodes in as many rows as make a wide rectangle, without links."""
    columns = max(1, math.ceil(math.sqrt(2 * len(nodes))))
    graph = Graph(
        topology="rows",
        shape=(len(nodes),),
        vertices=tuple(
            Vertex(
                name=node.name,
                kind="node",
                place=(float(number % columns), float(-(number // columns)), 0.0),
                coordinates=(number,),
            )
            for number, node in enumerate(nodes)
        ),
        edges=(),
    )
    return Interconnect(
        name=system,
        graph=graph,
        route=lambda one, other: (),
        notes=("How the nodes are joined is not known: they are drawn in rows.",)
        * (len(nodes) > 1),
    )


PROVIDER = TopologyProvider(100, _rows)
