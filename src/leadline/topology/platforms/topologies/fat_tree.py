"""A fat tree: switches in levels, with as many ways up as the levels have switches."""

from __future__ import annotations

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
    number_of,
    refuse,
    shape_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _FatTree(msgspec.Struct, frozen=True):
    """By level, from the nodes on: what is below each switch, and switches above each of these.

    The extended generalised fat tree of Oehring et al. (IPPS 1995). Two cables between the same
    two things are two switches above: SimGrid's own `cables` lead messages down by another way.
    """

    down: tuple[int, ...]
    up: tuple[int, ...]


class FatTree:
    """`down` and `up` by level; routed by destination (d-mod-k), as SimGrid does."""

    kind = "fat_tree"

    def usual(self, nodes: int) -> dict[str, Any]:
        """Return two levels with as many ways up as down, leaves as large as there are of them."""
        below = min(
            (each for each in range(1, nodes + 1) if nodes % each == 0),
            key=lambda each: abs(each - math.sqrt(nodes)),
        )
        return {"kind": self.kind, "down": [below, nodes // below], "up": [1, below]}

    def graph(self, platform: Platform) -> Graph:
        """Return the nodes below and the switches above them, level by level."""
        tree = _check_shape(platform)
        levels = [range(math.prod(_sizes(tree, each))) for each in range(len(tree.down) + 1)]
        vertices = [
            Vertex(
                name=f"s{level}.{number}" if level else f"n{number}",
                kind="switch" if level else "node",
                place=_place(tree, level, number, len(numbers)),
                coordinates=(level, number),
            )
            for level, numbers in enumerate(levels)
            for number in numbers
        ]
        first = [0, *itertools.accumulate(map(len, levels))]
        edges = [
            Edge(one=first[level] + child, other=first[level + 1] + parent, kind=f"level {level}")
            for level in range(len(tree.down))
            for child in levels[level]
            for parent in _parents(tree, level, child)
        ]
        return Graph(
            topology=self.kind, shape=tree.down, vertices=tuple(vertices), edges=tuple(edges)
        )

    def onward(self, platform: Platform, at: NDArray[Any], target: NDArray[Any]) -> NDArray[Any]:
        """Return the way up to the lowest switch above the target, and down again from there."""
        import numpy as np

        tree = _check_shape(platform)
        found = np.zeros(at.shape, dtype=np.int64)
        first = 0
        for level in range(len(tree.down) + 1):
            count = math.prod(_sizes(tree, level))
            here = (at >= first) & (at < first + count)
            number, goal = at[here] - first, target[here]
            passed = math.prod(tree.up[:level])
            above = number // passed == goal // math.prod(tree.down[:level])
            up = down = number
            if level < len(tree.down):
                up = _edge(tree, level, number, goal // passed % tree.up[level])
            if level > 0:
                below = math.prod(tree.up[: level - 1])
                digit = goal // math.prod(tree.down[: level - 1]) % tree.down[level - 1]
                child = number % below + below * (digit + tree.down[level - 1] * (number // passed))
                down = _edge(tree, level - 1, child, number // below % tree.up[level - 1])
            found[here] = np.where(above, down, up)
            first += count
        return found

    def zone(self, platform: Platform, used: int) -> str:
        """Return SimGrid's own fat tree."""
        tree = _check_shape(platform)
        parts = (tree.down, tree.up, [1] * len(tree.down))
        words = [str(len(tree.down)), *(",".join(map(str, part)) for part in parts)]
        return cluster(platform, {"topology": "FAT_TREE", "topo_parameters": ";".join(words)})


def _check_shape(platform: Platform) -> _FatTree:
    tree = shape_of(platform, _FatTree)
    if len(tree.down) != len(tree.up):
        raise refuse(platform, "topology: down and up need one number for each level")
    if any(number < 1 for number in tree.up):
        raise refuse(platform, "topology.up has to be of whole numbers from 1 on")
    check_nodes(platform, tree.down, "down")
    return tree


def _sizes(tree: _FatTree, level: int) -> tuple[int, ...]:
    """Return the sizes of the digits of a level's labels: switches passed, then what lies below."""
    return (*tree.up[:level], *tree.down[level:])


def _parents(tree: _FatTree, level: int, child: int) -> Iterator[int]:
    label = digits_of(child, _sizes(tree, level))
    for digit in range(tree.up[level]):
        above = (*label[:level], digit, *label[level + 1 :])
        yield number_of(above, _sizes(tree, level + 1))


def _edge(tree: _FatTree, level: int, child: NDArray[Any], parent: NDArray[Any]) -> NDArray[Any]:
    """Return the edges from the `child`ren, numbers of a level, up to the `parent`s of each."""
    below = sum(math.prod(_sizes(tree, each)) * tree.up[each] for each in range(level))
    edges: NDArray[Any] = below + child * tree.up[level] + parent
    return edges


def _place(tree: _FatTree, level: int, number: int, count: int) -> tuple[float, float, float]:
    """Return a place below or above others: the nodes of a switch in rows, switches side by side.

    The tree is about half as high as it is wide.
    """
    columns = math.ceil(math.sqrt(tree.down[0]))
    width = math.prod(tree.down[1:]) * (columns + 1.0)
    if level > 0:
        return ((number + 0.5) * width / count, 0.0, level * max(2.0, width / (2 * len(tree.down))))
    switch, place = divmod(number, tree.down[0])
    row, column = divmod(place, columns)
    return (switch * (columns + 1.0) + column + 1.0, 0.0, -float(row))
