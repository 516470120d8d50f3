"""What ranks send each other, and how much of it leaves the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadline.topology.rank_order.grid import Extents, Major, positions
from leadline.topology.rank_order.order import Order, node_of_each

# From sender and receiver to messages or bytes.
Traffic = Mapping[tuple[int, int], float]


def halo(
    extents: Extents, periodic: bool = True, major: Major = "row"
) -> dict[tuple[int, int], float]:
    """Return the messages of one exchange of each rank with its neighbours across faces.

    On a periodic grid the edges are neighbours, so that a rank may be its own, or have the same
    one on both sides, as in the halo benchmarks.
    """
    place = positions(extents, major)
    rank_at = {position: rank for rank, position in enumerate(place)}
    messages: dict[tuple[int, int], float] = {}
    for rank, position in enumerate(place):
        for dimension, length in enumerate(extents):
            for step in (-1, 1):
                there = position[dimension] + step
                if not (periodic or 0 <= there < length):
                    continue
                to = rank_at[(*position[:dimension], there % length, *position[dimension + 1 :])]
                messages[rank, to] = messages.get((rank, to), 0.0) + 1.0
    return messages


def waits(neighbours: Sequence[Sequence[int]]) -> dict[tuple[int, int], float]:
    """Return a message from each rank to each that waits for it; `neighbours` are whom each awaits.

    >>> waits([[1], [0, 2], []])
    {(1, 0): 1.0, (0, 1): 1.0, (2, 1): 1.0}
    """
    return {(source, rank): 1.0 for rank, sources in enumerate(neighbours) for source in sources}


def leaving(traffic: Traffic, order: Order) -> list[float]:
    """Return how much each node sends to other nodes.

    >>> leaving({(0, 1): 5.0, (1, 0): 2.0, (1, 2): 1.0}, ((0, 1), (2, 3)))
    [1.0, 0.0]
    """
    nodes = node_of_each(order)
    sent = [0.0] * len(order)
    for (source, to), amount in traffic.items():
        if nodes[source] != nodes[to]:
            sent[nodes[source]] += amount
    return sent
