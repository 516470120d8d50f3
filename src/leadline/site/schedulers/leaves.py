"""The leaf switch of each node, where anything here knows how nodes are joined."""

from collections.abc import Sequence

from leadline.core.errors import UserError
from leadline.model.jobs import Node
from leadline.site.schedulers.topology import Interconnect, find_interconnect


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
