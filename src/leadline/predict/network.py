"""The links of a machine and the ways over them, as the replay reads them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
