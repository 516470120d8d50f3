"""A map put together: the interconnect, the owners of its nodes, what its links carry."""

from collections.abc import Mapping, Sequence

from leadline.analysis.network_map.links import bare, carried
from leadline.analysis.network_map.node_owners import NodeOwners, node_of_rank
from leadline.analysis.network_map.traffic import Flows
from leadline.core.errors import UserError
from leadline.model.map import Map, MapLink, Traffic
from leadline.model.run import Run
from leadline.site.schedulers.topology import Interconnect


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
