"""Ranks on a grid, and orders that keep pieces of it on a node."""

import itertools
import math
import re
from collections.abc import Sequence
from typing import Literal

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.topology.rank_order.order import Order, dealt

Extents = tuple[int, ...]
Major = Literal["row", "column"]


def parse_extents(text: str, what: str) -> Extents:
    """Return the lengths that `text` such as `16x16` means. Raises `UserError`.

    >>> parse_extents("4x2x2", "grid")
    (4, 2, 2)
    """
    if not re.fullmatch(r"[1-9]\d{0,6}(x[1-9]\d{0,6}){0,5}", text.strip()):
        raise UserError(f"{what} {text!r} is not a shape: write 16x16, rows first")
    return tuple(int(length) for length in text.strip().split("x"))


def near_equal_factors(tasks: int, dimensions: int) -> Extents:
    """Return the grid of the halo benchmarks: as square as possible, the longest side first.

    >>> near_equal_factors(8, 2)
    (4, 2)
    """
    if dimensions == 1:
        return (tasks,)
    grids = (
        (factor, *near_equal_factors(tasks // factor, dimensions - 1))
        for factor in range(1, tasks + 1)
        if tasks % factor == 0
    )
    return tuple(sorted(min(grids, key=sum), reverse=True))


def positions(extents: Extents, major: Major = "row") -> list[tuple[int, ...]]:
    """Return where each rank is: the last dimension is the fastest by rows, the first by columns.

    >>> positions((2, 2), "column")
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    if major == "row":
        return list(itertools.product(*map(range, extents)))
    backwards = itertools.product(*map(range, reversed(extents)))
    return [position[::-1] for position in backwards]


def checked_grid(extents: Extents, placement: Placement) -> None:
    """Raise `UserError` where the ranks do not fill the grid."""
    if math.prod(extents) != placement.processes:
        raise UserError(
            f"grid {shape_text(extents)} has {math.prod(extents)} cells and placement {placement} "
            f"{placement.processes} ranks: take a grid such as "
            f"{shape_text(near_equal_factors(placement.processes, len(extents)))}"
        )


def compact_cell(extents: Extents, ranks: int) -> Extents:
    """Return the block of so many ranks that tiles the grid with the least surface.

    Raises `UserError` where none does.
    """
    shapes = itertools.product(*(_divisors(length) for length in extents))
    fitting = [shape for shape in shapes if math.prod(shape) == ranks]
    if not fitting:
        raise UserError(
            f"no block of {ranks} ranks tiles the grid {shape_text(extents)}: give another --grid, "
            "or --cell"
        )
    return min(fitting, key=lambda shape: sum(ranks / length for length in shape))


def cells(extents: Extents, cell: Extents, placement: Placement, major: Major = "row") -> Order:
    """Give each node a block of the grid, or several where it holds more ranks than a block.

    Blocks go to the nodes, and the ranks of a block to its cores, in the order in which the
    program numbers them. Raises `UserError` for a block that does not tile the grid.

    >>> cells((4, 4), (2, 2), Placement(4, 4))[0]
    (0, 1, 4, 5)
    """
    checked_grid(extents, placement)
    if len(cell) != len(extents) or any(a % b for a, b in zip(extents, cell, strict=False)):
        raise UserError(
            f"cell {shape_text(cell)} does not tile the grid {shape_text(extents)}: each length "
            "must divide that of the grid"
        )
    place = positions(extents, major)

    def block(rank: int) -> tuple[int, ...]:
        where = tuple(at // length for at, length in zip(place[rank], cell, strict=True))
        return where if major == "row" else where[::-1]

    return dealt(sorted(range(placement.processes), key=block), placement)


def hilbert(extents: Extents, placement: Placement, major: Major = "row") -> Order:
    """Give each node the next ranks along a Hilbert curve over the grid.

    A grid whose sides are no equal powers of two is a part of such a one, whose other cells are
    passed over.
    """
    checked_grid(extents, placement)
    bits = max(1, (max(extents) - 1).bit_length())
    place = positions(extents, major)
    ranks = sorted(range(placement.processes), key=lambda rank: hilbert_index(place[rank], bits))
    return dealt(ranks, placement)


def hilbert_index(position: Sequence[int], bits: int) -> int:
    """Return how far along the Hilbert curve a cell is, of a cube with sides of 2^`bits`.

    J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).

    >>> [hilbert_index(cell, 1) for cell in ((0, 0), (0, 1), (1, 1), (1, 0))]
    [0, 1, 2, 3]
    """
    axes = list(position)
    for low in (bit - 1 for bit in (1 << n for n in range(bits - 1, 0, -1))):
        for i in range(len(axes)):
            if axes[i] & (low + 1):
                axes[0] ^= low
            else:
                swapped = (axes[0] ^ axes[i]) & low
                axes[0] ^= swapped
                axes[i] ^= swapped
    for i in range(1, len(axes)):
        axes[i] ^= axes[i - 1]
    turned = 0
    for n in range(bits - 1, 0, -1):
        if axes[-1] & (1 << n):
            turned ^= (1 << n) - 1
    index = 0
    for n in range(bits - 1, -1, -1):
        for axis in axes:
            index = index << 1 | ((axis ^ turned) >> n & 1)
    return index


def shape_text(extents: Extents) -> str:
    """Return a shape as `--grid` takes it."""
    return "x".join(map(str, extents))


def _divisors(number: int) -> list[int]:
    return [factor for factor in range(1, number + 1) if number % factor == 0]
