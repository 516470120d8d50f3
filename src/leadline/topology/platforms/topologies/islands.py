"""Islands: clusters with a switch each, and a trunk to one switch in the middle."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.core.errors import UserError
from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.topology.platforms.elements import cluster, duplex, element, refuse, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Islands(msgspec.Struct, frozen=True):
    """Nodes of each island, and what each island's trunk to the middle carries."""

    sizes: tuple[int, ...]
    trunk_bandwidth: float
    trunk_latency_s: float


class Islands:
    """Messages between islands share the trunks of both, in each direction."""

    kind = "islands"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Refuse: nothing says how many islands there are, nor what joins them."""
        raise UserError(
            f"topology {self.kind} has no usual form: write the platform in a file, with topology."
            "sizes, trunk_bandwidth and trunk_latency_s"
        )

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes in circles around their switches, these around the middle."""
        islands = _check_shape(platform)
        first = platform.nodes
        middle = first + len(islands.sizes)
        radius = max(1.0, max(islands.sizes) / (2 * math.pi))
        ring = 2.5 * radius * max(1.0, len(islands.sizes) / math.pi)
        nodes: list[Vertex] = []
        switches: list[Vertex] = []
        for island, size in enumerate(islands.sizes):
            turn = 2 * math.pi * island / len(islands.sizes)
            x, y = ring * math.sin(turn), ring * math.cos(turn)
            switches.append(
                Vertex(name=f"s{island}", kind="switch", place=(x, y, 0.0), coordinates=(island,))
            )
            for number in range(size):
                angle = 2 * math.pi * number / size
                place = (x + radius * math.sin(angle), y + radius * math.cos(angle), 0.0)
                name = f"n{len(nodes)}"
                nodes.append(
                    Vertex(name=name, kind="node", place=place, coordinates=(island, number))
                )
        trunks = range(len(islands.sizes))
        width = islands.trunk_bandwidth / platform.network.bandwidth
        return Graph(
            topology=self.kind,
            shape=islands.sizes,
            vertices=(
                *nodes,
                *switches,
                Vertex(name="middle", kind="switch", place=(0.0, 0.0, 0.0)),
            ),
            edges=(
                *(
                    Edge(one=number, other=first + node.coordinates[0], kind="link")
                    for number, node in enumerate(nodes)
                ),
                *(
                    Edge(one=first + island, other=middle, kind="trunk", width=width)
                    for island in trunks
                ),
            ),
        )

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the link of a node, the trunk of its switch to another island, or the way down."""
        import numpy as np

        islands = _check_shape(platform)
        first, middle = platform.nodes, platform.nodes + len(islands.sizes)
        switch = first + np.repeat(np.arange(len(islands.sizes)), islands.sizes)[target]
        return np.where(
            at < first, at, np.where(at == middle, switch, np.where(at == switch, target, at))
        )

    def zone(self, platform: Platform, used: int) -> str:
        """Return a cluster for each island, and the routes between them."""
        islands = _check_shape(platform)
        numbers = range(len(islands.sizes))
        starts = [0, *itertools.accumulate(islands.sizes)]
        lines = [
            cluster(platform, {"router_id": f"s{i}"}, f"island{i}", starts[i], islands.sizes[i])
            for i in numbers
        ]
        lines += [
            duplex(f"trunk{i}", islands.trunk_bandwidth, islands.trunk_latency_s) for i in numbers
        ]
        for one, other in itertools.permutations(numbers, 2):
            ends = {"src": f"island{one}", "dst": f"island{other}"}
            gates = {"gw_src": f"s{one}", "gw_dst": f"s{other}", "symmetrical": "NO"}
            way = (
                element("link_ctn", {"id": f"trunk{one}", "direction": "UP"}),
                element("link_ctn", {"id": f"trunk{other}", "direction": "DOWN"}),
            )
            lines.append(element("zoneRoute", {**ends, **gates}, "\n".join(way)))
        return "\n".join(lines)


def _check_shape(platform: Platform) -> _Islands:
    islands = shape_of(platform, _Islands)
    if not islands.sizes or any(size < 1 for size in islands.sizes):
        raise refuse(platform, "topology.sizes has to be of whole numbers from 1 on")
    if sum(islands.sizes) != platform.nodes:
        raise refuse(
            platform,
            f"nodes is {platform.nodes}, but topology.sizes makes {sum(islands.sizes)}: "
            "change both",
        )
    if islands.trunk_bandwidth <= 0 or islands.trunk_latency_s < 0:
        raise refuse(
            platform, "topology: trunk_bandwidth has to be above 0 and trunk_latency_s not below"
        )
    return islands
