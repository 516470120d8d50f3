"""A torus: rings of nodes in each dimension."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.model.platform import Edge, Graph, Platform, Vertex
from leadline.topology.platforms.elements import (
    check_nodes,
    cluster,
    digits_of,
    duplex,
    element,
    number_of,
    rate,
    refuse,
    seconds,
    shape_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Coordinates = tuple[int, ...]

# So many nodes have a quarter of a million ways.
_MOST_WAYS = 512


class _Torus(msgspec.Struct, frozen=True):
    """Nodes in each dimension; the first one counts fastest.

    With a `nic_bandwidth`, a node has one way into the torus, in each direction, that its cores
    share and that takes `nic_latency_s`; else only the links limit what a node sends.
    """

    shape: tuple[int, ...]
    nic_bandwidth: float = 0.0
    nic_latency_s: float = 0.0


class Torus:
    """Rings in each dimension, routed one dimension after the other, the shorter way around."""

    kind = "torus"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return three dimensions as alike as the number of nodes allows."""
        shapes = [
            (a, b, nodes // (a * b))
            for a in range(1, nodes + 1)
            if nodes % a == 0 and a**3 <= nodes
            for b in range(a, nodes // a + 1)
            if nodes // a % b == 0 and b * b <= nodes // a
        ]
        return {"kind": self.kind, "shape": list(min(shapes, key=sum))}

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes, each with one link upwards in every dimension."""
        shape = _shape(platform)
        coordinates = [digits_of(node, shape) for node in range(platform.nodes)]
        vertices = [
            Vertex(name=f"n{node}", kind="node", place=_place(shape, at), coordinates=at)
            for node, at in enumerate(coordinates)
        ]
        edges = [
            Edge(
                one=node,
                other=number_of(_move(shape, at, dimension, 1), shape),
                kind=f"dimension {dimension}",
                around=at[dimension] == shape[dimension] - 1,
            )
            for node, dimension, at in _links(shape)
        ]
        return Graph(topology=self.kind, shape=shape, vertices=tuple(vertices), edges=tuple(edges))

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the links in the order of dimensions."""
        import numpy as np

        shape = _shape(platform)
        numbers = _edge_numbers(shape)
        found = np.zeros(at.shape, dtype=np.int64)
        waiting = np.ones(at.shape, dtype=bool)
        stride = 1
        for dimension, size in enumerate(shape):
            here, there = at // stride % size, target // stride % size
            # A link belongs to the node that it leads upwards from.
            below = at + ((here - 1) % size - here) * stride
            owner = np.where(_upwards(size, here, there), at, below)
            moves = waiting & (here != there)
            found[moves] = numbers[owner[moves], dimension]
            waiting &= ~moves
            stride *= size
        return found

    def zone(self, platform: Platform, used: int) -> str:
        """Return SimGrid's own torus, or with a NIC, which that has not, each way by its links."""
        torus = shape_of(platform, _Torus)
        shape = _shape(platform)
        if not torus.nic_bandwidth:
            parameters = ",".join(map(str, shape))
            return cluster(platform, {"topology": "TORUS", "topo_parameters": parameters})
        if used > _MOST_WAYS:
            raise refuse(
                platform,
                f"{used} nodes of a torus with topology.nic_bandwidth are too many, since each way "
                f"is spelt out: take at most {_MOST_WAYS}, or --change topology.nic_bandwidth=0",
            )
        return "\n".join(_with_nic(platform, torus, used))


def _shape(platform: Platform) -> tuple[int, ...]:
    torus = shape_of(platform, _Torus)
    if torus.nic_bandwidth < 0 or torus.nic_latency_s < 0:
        raise refuse(platform, "topology: nic_bandwidth and nic_latency_s have to be 0 or more")
    check_nodes(platform, torus.shape, "shape")
    return torus.shape


def _move(shape: tuple[int, ...], at: _Coordinates, dimension: int, by: int) -> _Coordinates:
    moved = (at[dimension] + by) % shape[dimension]
    return (*at[:dimension], moved, *at[dimension + 1 :])


def _links(shape: tuple[int, ...]) -> Iterator[tuple[int, int, _Coordinates]]:
    """Yield the node, dimension and coordinates that each link leads upwards from.

    A ring of two nodes has one link, a ring of one none.
    """
    for node in range(math.prod(shape)):
        at = digits_of(node, shape)
        for dimension, size in enumerate(shape):
            if size > 2 or (size == 2 and at[dimension] == 0):
                yield node, dimension, at


@functools.lru_cache(maxsize=4)
def _edge_numbers(shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the edge that leads upwards from each node in each dimension."""
    import numpy as np

    found = np.zeros((math.prod(shape), len(shape)), dtype=np.int64)
    for edge, (node, dimension, _) in enumerate(_links(shape)):
        found[node, dimension] = edge
    return found


def _upwards(size: int, here: Any, there: Any) -> Any:
    """Tell whether a ring is shorter upwards, of numbers or arrays.

    Both ways around are as long at half a ring: SimGrid then goes without wrapping upwards, and
    downwards from the middle or below it.
    """
    up = (there - here) % size
    half = 2 * up == size
    return (2 * up < size) | (half & ((there > here) | (2 * here > size)))


def _steps(shape: tuple[int, ...], one: int, other: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the links of a way: the node each leads upwards from, its dimension, whether up."""
    at, target = digits_of(one, shape), digits_of(other, shape)
    for dimension, size in enumerate(shape):
        while at[dimension] != target[dimension]:
            upwards = _upwards(size, at[dimension], target[dimension])
            following = _move(shape, at, dimension, 1 if upwards else -1)
            yield number_of(at if upwards else following, shape), dimension, upwards
            at = following


def _with_nic(platform: Platform, torus: _Torus, used: int) -> Iterator[str]:
    network, node, shape = platform.network, platform.node, torus.shape
    for number in range(platform.nodes):
        host = {"id": f"n{number}", "speed": f"{node.flops!r}f", "core": str(node.cores)}
        yield element("host", host)
    for number in range(used):
        yield duplex(f"nic{number}", torus.nic_bandwidth, torus.nic_latency_s)
        rates = {"bandwidth": rate(node.bandwidth), "latency": seconds(node.latency_s)}
        loopback = {"id": f"loopback{number}", **rates, "sharing_policy": "FATPIPE"}
        yield element("link", loopback)
    for number, dimension, _ in _links(shape):
        yield duplex(f"link{number}.{dimension}", network.bandwidth, network.latency_s)
    for one in range(used):
        for other in range(used):
            yield _format_route(shape, one, other)


def _format_route(shape: tuple[int, ...], one: int, other: int) -> str:
    if one == other:
        links = [element("link_ctn", {"id": f"loopback{one}"})]
    else:
        steps = [
            (f"link{below}.{dimension}", "UP" if upwards else "DOWN")
            for below, dimension, upwards in _steps(shape, one, other)
        ]
        names = [(f"nic{one}", "UP"), *steps, (f"nic{other}", "DOWN")]
        links = [element("link_ctn", {"id": name, "direction": way}) for name, way in names]
    ends = {"src": f"n{one}", "dst": f"n{other}", "symmetrical": "NO"}
    return element("route", ends, "".join(links))


def _place(shape: tuple[int, ...], at: _Coordinates) -> tuple[float, float, float]:
    """Return three dimensions as they are; more are set beside each other along the first."""
    x, y, z = itertools.islice(itertools.chain(at, itertools.repeat(0)), 3)
    beside = 0.0
    width = shape[0] + 1.0
    for digit, size in zip(at[3:], shape[3:], strict=True):
        beside += digit * width
        width *= size
    return (x + beside, float(y), float(z))
