"""The traffic on each link of a machine."""

from collections.abc import Mapping

from leadline.analysis.network_map.traffic import Flows
from leadline.model.map import MapLink
from leadline.model.platform import Edge
from leadline.site.schedulers.topology import Interconnect


def carried(
    network: Interconnect, flows: Flows, node_of_rank: Mapping[int, int]
) -> tuple[MapLink, ...]:
    """Return the links with the messages that are routed over them.

    Messages inside a node cross none. Where the machine's links are unknown, the pairs of nodes
    that talk to each other are the links.
    """
    between: dict[tuple[int, int], list[float]] = {}
    for one, other, size, rate in flows.messages:
        ends = node_of_rank[one], node_of_rank[other]
        if ends[0] != ends[1]:
            total = between.setdefault(ends, [0.0, 0.0, 0])
            total[0], total[1], total[2] = total[0] + size, total[1] + rate, total[2] + 1
    if not network.graph.edges:
        return _direct(between)
    loads = [[0.0, 0.0, 0] for _ in network.graph.edges]
    for ends, (size, rate, pairs) in between.items():
        for edge in network.route(*ends):
            load = loads[edge]
            load[0], load[1], load[2] = load[0] + size, load[1] + rate, load[2] + pairs
    return tuple(_link(edge, load) for edge, load in zip(network.graph.edges, loads, strict=True))


def bare(network: Interconnect) -> tuple[MapLink, ...]:
    """Return the links without anything on them."""
    return tuple(
        MapLink(one=edge.one, other=edge.other, kind=edge.kind, around=edge.around)
        for edge in network.graph.edges
    )


def _direct(between: Mapping[tuple[int, int], list[float]]) -> tuple[MapLink, ...]:
    joined: dict[tuple[int, int], list[float]] = {}
    for (one, other), load in between.items():
        total = joined.setdefault((min(one, other), max(one, other)), [0.0, 0.0, 0])
        total[:] = [a + b for a, b in zip(total, load, strict=True)]
    return tuple(
        _link(Edge(one=one, other=other, kind="pair"), load)
        for (one, other), load in sorted(joined.items())
    )


def _link(edge: Edge, load: list[float]) -> MapLink:
    size, rate, pairs = load
    return MapLink(
        one=edge.one,
        other=edge.other,
        kind=edge.kind,
        around=edge.around,
        bytes=size,
        MBps=float(f"{rate:.6g}"),
        pairs=int(pairs),
    )
