"""How many links lie between the nodes of a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.model.platform import Graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Beyond, all pairs take too long, and their mean has to do.
MOST_NODES = 1024
_SAMPLE = 64


def links_between(graph: Graph, nodes: int) -> NDArray[np.uint8]:
    """Return the fewest links between the first `nodes` nodes of a machine, a row for each.

    All rows are searched at once, breadth first: shape (nodes, nodes).
    """
    return _search(graph, list(range(nodes)))[:, :nodes]


def mean_links(graph: Graph, nodes: int) -> float:
    """Return the mean of the fewest links between two of the first `nodes` nodes, from a sample."""
    import numpy as np

    if nodes < 2:
        return 0.0
    sample = np.unique(np.linspace(0, nodes - 1, _SAMPLE).astype(int)).tolist()
    rows = _search(graph, sample)[:, :nodes]
    return float(rows.sum() / (len(sample) * (nodes - 1)))


def _search(graph: Graph, sources: list[int]) -> NDArray[np.uint8]:
    """Return the fewest links from each of `sources` to every vertex.

    The vertices next to each other are listed once in either direction, sorted by where they lead,
    so that a step of all searches is one reduction over them.
    """
    import numpy as np

    vertices = len(graph.vertices)
    ends = np.array([(edge.one, edge.other) for edge in graph.edges], dtype=np.int64).reshape(-1, 2)
    from_, to = np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]])
    order = np.argsort(to, kind="stable")
    from_, to = from_[order], to[order]
    led_to, first = np.unique(to, return_index=True)
    found = np.full((len(sources), vertices), 255, dtype=np.uint8)
    found[np.arange(len(sources)), sources] = 0
    links = 0
    fresh = True
    while fresh and links < 254:
        links += 1
        for part in np.array_split(np.arange(len(sources)), max(1, len(sources) // 64)):
            reached = found[part] == links - 1
            next_ = np.logical_or.reduceat(reached[:, from_], first, axis=1)
            rows = found[part]
            seen = rows[:, led_to]
            rows[:, led_to] = np.where((seen == 255) & next_, links, seen)
            found[part] = rows
        fresh = bool((found == links).any())
    return found
