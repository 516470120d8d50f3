"""A small machine to try topologies with."""

from typing import Any

from leadline.model.platform import Network, Node, Platform

LATENCY_S = 1e-6


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
