"""A torus as planes of letters: x to the right, y upwards, a plane for each z and what follows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from leadline.model.map import Map, MapNode
from leadline.output.terminal.picture import abreast, cells

if TYPE_CHECKING:
    from rich.text import Text

_NAMES = ("z", "u", "v", "w")


class Planes:
    """Every plane with its axes, as many beside each other as there is room."""

    order = 10

    def draws(self, drawn: Map) -> bool:
        """Tell whether it is a torus."""
        return drawn.topology == "torus"

    def lines(self, drawn: Map, width: int) -> list[Text]:
        """Return the planes; those that are too wide are cut into strips."""
        at = {
            vertex.coordinates: node
            for vertex, node in zip(drawn.vertices, drawn.nodes, strict=False)
        }
        columns, rows, *beyond = (*drawn.shape, 1, 1)[: max(2, len(drawn.shape))]
        gap = " " if 2 * columns + 4 <= width else ""
        strip = max(1, (width - 5) // (1 + len(gap)))
        blocks = [
            _plane(drawn, at, rest, range(first, min(first + strip, columns)), rows, gap)
            for rest in itertools.product(*(range(size) for size in reversed(beyond)))
            for first in range(0, columns, strip)
        ]
        return abreast(blocks, width)


def _plane(
    drawn: Map,
    at: dict[tuple[int, ...], MapNode],
    rest: tuple[int, ...],
    across: range,
    rows: int,
    gap: str,
) -> list[Text]:
    """Return one plane; `rest` are its coordinates beyond y, the slowest one first."""
    from rich.text import Text

    dimensions = len(drawn.shape)
    beyond = tuple(reversed(rest))
    margin = len(str(rows - 1)) + 2
    title = " ".join(f"{name} {digit}" for name, digit in zip(_NAMES, beyond, strict=False))
    lines = [Text(f"{'y':>{margin - 2}}  {title}", "bold")]
    for y in reversed(range(rows)):
        nodes = [at.get((x, y, *beyond)[:dimensions]) for x in across]
        lines.append(Text(f"{y:>{margin - 2}}  ").append_text(cells(nodes, drawn, gap)))
    if across.stop > 10:
        tens = gap.join(str(x // 10 % 10) if x >= 10 else " " for x in across)
        lines.append(Text(f"{'':{margin}}{tens}", "dim"))
    digits = gap.join(str(x % 10) for x in across)
    lines.append(Text(f"{'':{margin}}{digits} x", "dim"))
    return lines


PICTURE = Planes()
