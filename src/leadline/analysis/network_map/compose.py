"""The map of a machine: its nodes and their owners, and the traffic on each of its links."""

from collections.abc import Mapping, Sequence

from leadline.analysis.network_map.node_owners import NodeOwners, node_of_rank
from leadline.analysis.network_map.traffic import Flows
from leadline.core.errors import UserError
from leadline.model.map import Map, MapLink, Traffic
from leadline.model.platform import Edge
from leadline.model.run import Run
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


def names_of(network: Interconnect) -> list[str]:
    """Return the names of the interconnect's nodes, in order."""
    return [vertex.name for vertex in network.graph.vertices if vertex.kind == "node"]


def composed(
    network: Interconnect,
    owners: NodeOwners,
    source: str,
    taken: str,
    carrying: tuple[Run, Flows] | None = None,
    at: Mapping[int, int] | None = None,
) -> Map:
    """Return the map. `source` says whose jobs they are, `taken` when that was so.

    `carrying` is the run whose messages cross the links, and `at` has the place of each of its
    ranks among the nodes, where that is known better than by the names of hosts.
    """
    links, traffic, notes = bare(network), None, owners.notes
    if carrying:
        run, flows = carrying
        nodes, remarks = (at, ()) if at else node_of_rank(names_of(network), flows.launch)
        if not network.graph.edges and len(set(nodes.values())) < 2:
            raise UserError(f"{flows.figure} of {run.run} ran on one node: no link carries it")
        links = carried(network, flows, nodes)
        notes = (*notes, *remarks)
        traffic = Traffic(
            run=run.run,
            figure=flows.figure,
            simulated=run.platform is not None,
            bytes=flows.size,
            pairs=len(flows.messages),
            measured_pairs=flows.measured_pairs,
        )
    return Map(
        name=network.name,
        topology=network.graph.topology,
        shape=network.graph.shape,
        source=source,
        taken=taken,
        nodes=owners.nodes,
        jobs=owners.jobs,
        vertices=network.graph.vertices,
        links=links,
        traffic=traffic,
        notes=tuple(dict.fromkeys((*network.notes, *notes))),
        letters=owners.letters,
    )


def busiest(links: Sequence[MapLink]) -> list[MapLink]:
    """Return the links that carry something, those with the most bytes in front."""
    return sorted((link for link in links if link.bytes), key=lambda link: -(link.bytes or 0))
