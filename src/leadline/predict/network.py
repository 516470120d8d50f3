"""The links of a machine, the ways over them as the replay reads them, and their load in a call."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.analysis.network_map.node_owners import LETTERS
from leadline.core.units import format_bytes
from leadline.model.map import Map, MapJob, MapLink, MapNode, Traffic
from leadline.model.platform import Graph
from leadline.model.prediction import BusiestLink, Prediction
from leadline.topology.platforms.routes import Routes

# Beyond, the ways between all take too much memory: 4 bytes for each two nodes, at least.
MOST_NODES = 4096
_SAMPLE = 64


class Network(NamedTuple):
    """Links in one direction each, as `schedules/replay/routes.hpp` has them.

    `share` says which of the `capacity`, in bytes/s, each link is part of, `next_` with shape
    (nodes, vertices) which link leads on to a node, and `port` what a node sends or receives in a
    second, 0 where its links alone limit that.
    """

    capacity: NDArray[np.float64]
    led_to: NDArray[np.uint32]
    share: NDArray[np.uint32]
    next_: NDArray[np.uint32]
    port: float


def network_of(ways: Routes, nodes: int) -> Network:
    """Return the whole network, with the ways to the first `nodes` nodes."""
    platform = ways.platform
    bandwidth = platform.network.bandwidth
    if platform.topology.get("kind") == "bus":
        capacity = np.array([bandwidth])
        share = np.zeros(2 * len(ways.graph.edges), dtype=np.uint32)
    else:
        capacity = np.repeat([bandwidth * edge.width for edge in ways.graph.edges], 2)
        share = np.arange(len(capacity), dtype=np.uint32)
    return Network(
        capacity=capacity.astype(np.float64),
        led_to=ways.led_to.astype(np.uint32),
        share=share,
        next_=ways.table(nodes),
        port=float(platform.topology.get("nic_bandwidth", 0.0)),
    )


def mean_links(ways: Routes, nodes: int) -> float:
    """Return the mean of the links between two of the first `nodes` nodes, from a sample."""
    if nodes < 2:
        return 0.0
    sample = np.unique(np.linspace(0, nodes - 1, _SAMPLE).astype(int))
    one, other = np.repeat(sample, nodes), np.tile(np.arange(nodes), len(sample))
    return float(ways.lengths(one, other).sum() / (len(sample) * (nodes - 1)))


def busiest(
    ways: Routes, network: Network, carried: Sequence[float], seconds: float
) -> BusiestLink | None:
    """Return the link that is busy for longest; None where no message takes any.

    `carried` are the bytes over each link in a call of so many `seconds`.
    """
    loads = np.array(carried)
    vertices = ways.graph.vertices
    if not loads.any():
        return None
    if len(network.capacity) == 1:
        # Each message is counted on its way to the medium and from it.
        medium = vertices[-1].name
        ends, size, rate = (medium, medium), loads.sum() / 2, network.capacity[0]
    else:
        rates = network.capacity[network.share]
        link = int(np.argmax(loads / rates))
        edge = ways.graph.edges[link // 2]
        one, other = (edge.one, edge.other) if link % 2 == 0 else (edge.other, edge.one)
        ends, size, rate = (vertices[one].name, vertices[other].name), loads[link], rates[link]
    return BusiestLink(
        one=ends[0], other=ends[1], bytes=int(size), busy_fraction=float(size / rate / seconds)
    )


def drawn(found: Prediction, ways: Routes, node_of: Sequence[int], carried: Sequence[float]) -> Map:
    """Return the machine with the ranks on its nodes and the prediction's bytes on its links."""
    platform, graph = ways.platform, ways.graph
    ranks: list[list[int]] = [[] for _ in range(platform.nodes)]
    for rank, node in enumerate(node_of):
        ranks[node].append(rank)
    figure = f"{found.benchmark} {format_bytes(found.bytes)} algorithm={found.algorithm}"
    job = MapJob(id=platform.name, user="", name=figure, letter=LETTERS[0], nodes=found.nodes)
    return Map(
        name=platform.name,
        topology=graph.topology,
        shape=graph.shape,
        source="predicted",
        taken="",
        nodes=tuple(
            MapNode(
                name=vertex.name,
                phase="used" if node_ranks else "free",
                jobs=(0,) if node_ranks else (),
                ranks=tuple(node_ranks),
            )
            for vertex, node_ranks in zip(graph.vertices, ranks, strict=False)
        ),
        jobs=(job,),
        vertices=graph.vertices,
        links=_links(graph, carried, found.seconds),
        traffic=Traffic(
            run=platform.name,
            figure=figure,
            simulated=False,
            predicted=True,
            bytes=found.bytes,
            pairs=None,
            measured_pairs=False,
        ),
    )


def _links(graph: Graph, carried: Sequence[float], seconds: float) -> tuple[MapLink, ...]:
    return tuple(
        MapLink(
            one=edge.one,
            other=edge.other,
            kind=edge.kind,
            around=edge.around,
            bytes=there + back,
            MBps=float(f"{(there + back) / seconds / 1e6:.6g}"),
            pairs=None,
        )
        for edge, there, back in zip(graph.edges, carried[::2], carried[1::2], strict=True)
    )
