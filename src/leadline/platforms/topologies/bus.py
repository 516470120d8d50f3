"""One medium that all pairs of nodes share, such as an Ethernet segment."""

from typing import Any

import msgspec

from leadline.model.platform import Graph, Platform
from leadline.platforms.elements import cluster, rate, seconds
from leadline.platforms.shape import shape_of
from leadline.platforms.topologies.crossbar import around


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

    def route(self, platform: Platform, one: int, other: int) -> tuple[int, ...]:
        """Return the stretch from each of the two nodes to the bus."""
        return () if one == other else (one, other)

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
