"""A small machine to try topologies with."""

from typing import Any

from leadline.model.platform import Network, Node, Platform

LATENCY_S = 1e-6
# Each kind of topology, and how many nodes it has.
MACHINES = [
    ({"kind": "crossbar"}, 5),
    ({"kind": "crossbar", "rails": 2}, 4),
    ({"kind": "bus"}, 4),
    ({"kind": "torus", "shape": [4, 3, 2]}, 24),
    ({"kind": "torus", "shape": [5, 2]}, 10),
    ({"kind": "torus", "shape": [6, 1, 4]}, 24),
    ({"kind": "torus", "shape": [2, 3, 2, 4]}, 48),
    ({"kind": "torus", "shape": [4, 3, 2], "nic_bandwidth": 5e8, "nic_latency_s": 2e-6}, 24),
    ({"kind": "fat_tree", "down": [4, 4], "up": [1, 2]}, 16),
    ({"kind": "fat_tree", "down": [4, 3, 2], "up": [1, 2, 3]}, 24),
    ({"kind": "fat_tree", "down": [3, 4], "up": [2, 2]}, 12),
    ({"kind": "dragonfly", "groups": 3, "routers": 4, "nodes": 2}, 24),
    ({"kind": "dragonfly", "groups": 1, "routers": 4, "nodes": 2}, 8),
    ({"kind": "islands", "sizes": [2, 3, 1], "trunk_bandwidth": 1e8, "trunk_latency_s": 1e-6}, 6),
]


def machine(topology: dict[str, Any], nodes: int) -> Platform:
    """Return a platform of dual-core nodes with this topology."""
    return Platform(
        format=1,
        name="example",
        summary="an example",
        source="none",
        nodes=nodes,
        topology=topology,
        network=Network(bandwidth=1e9, latency_s=LATENCY_S),
        node=Node(cores=2, flops=1e9, bandwidth=2e9, latency_s=3e-7),
    )
