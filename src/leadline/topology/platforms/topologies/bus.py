"""One medium that all pairs of nodes share, such as an Ethernet segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leadline.model.platform import Graph, Platform
from leadline.topology.platforms.elements import cluster, rate, seconds
from leadline.topology.platforms.shape import shape_of
from leadline.topology.platforms.topologies.crossbar import around, to_the_middle

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


TOPOLOGY = Bus()
