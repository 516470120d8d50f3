"""The routes of messages through a machine, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.model.platform import Platform
from leadline.topology.platforms.topologies import topology_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So many rows of a table are made at once.
_ROWS = 64


class Routes:
    """The routes of a machine as its topology has them. Raises `UserError` as that does.

    A link is one direction of an edge: twice its number, and one more from its other end.
    """

    def __init__(self, platform: Platform) -> None:
        import numpy as np

        self.platform = platform
        self._topology = topology_of(platform)
        self.graph = self._topology.graph(platform)
        ends = [(edge.one, edge.other) for edge in self.graph.edges]
        self._ends = np.array(ends, dtype=np.int64).reshape(-1, 2)

    def route(self, one: int, other: int) -> tuple[int, ...]:
        """Return the edges of the graph, by number, that a message from node to node takes."""
        import numpy as np

        edges = []
        at, target = np.array([one]), np.array([other])
        while at[0] != other:
            links = self._onward(at, target)
            edges.append(int(links[0]) // 2)
            at = self.led_to[links]
        return tuple(edges)

    @property
    def led_to(self) -> NDArray[np.int64]:
        """The vertex at the end of each link."""
        return self._ends[:, ::-1].ravel()

    def lengths(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of links from each node of `one` to that of `other`."""
        import numpy as np

        led_to = self.led_to
        at, found = one.copy(), np.zeros(len(one), dtype=np.int64)
        while len(under_way := np.flatnonzero(at != other)):
            at[under_way] = led_to[self._onward(at[under_way], other[under_way])]
            found[under_way] += 1
        return found

    def table(self, nodes: int) -> NDArray[np.uint32]:
        """Return the link that leads on to each of the first `nodes` nodes from each vertex.

        Shape (nodes, vertices); of a node itself any number.
        """
        import numpy as np

        vertices = np.arange(len(self.graph.vertices))
        found = np.zeros((nodes, len(vertices)), dtype=np.uint32)
        for first in range(0, nodes, _ROWS):
            targets = np.arange(first, min(first + _ROWS, nodes))
            at, target = np.broadcast_arrays(vertices, targets[:, None])
            found[targets] = self._onward(at, target)
        return found

    def _onward(self, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        edges = self._topology.onward(self.platform, at, target)
        links: NDArray[Any] = 2 * edges + (self._ends[edges, 0] != at)
        return links
