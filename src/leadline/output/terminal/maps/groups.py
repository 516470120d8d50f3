"""Any other machine: the nodes of each switch together, and those of each group in a row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from leadline.model.map import Map, MapNode
from leadline.output.terminal.picture import abreast, cells
from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.text import Text

_NAME = 24


class Groups:
    """Takes what no other picture draws."""

    order = 100

    def draws(self, drawn: Map) -> bool:
        """Tell that any map can be drawn so."""
        return True

    def lines(self, drawn: Map, width: int) -> list[Text]:
        """Return a block for each switch; for topologies of groups, a block for each of these."""
        from rich.text import Text

        below = [(_name(title), parts) for title, parts in _blocks(drawn).items()]
        margin = max((len(name) for name, _ in below), default=0)
        blocks = [_block(f"{name:{margin}}", parts, drawn, width) for name, parts in below]
        lines = abreast(blocks, width)
        switches = Counter(vertex.kind for vertex in drawn.vertices[len(drawn.nodes) :])
        if switches:
            told = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in switches.items())
            lines += [Text(), Text(told, "dim")]
        return lines


def _blocks(drawn: Map) -> dict[str, list[list[MapNode]]]:
    """Return nodes by the name of what they belong to, in parts that stay together."""
    leaf: dict[int, str] = {}
    for link in drawn.links:
        if link.one < len(drawn.nodes) <= link.other:
            leaf.setdefault(link.one, drawn.vertices[link.other].name)
    blocks: dict[str, dict[str, list[MapNode]]] = {}
    for number, node in enumerate(drawn.nodes):
        at = drawn.vertices[number].coordinates
        switch = leaf.get(number, "")
        title = f"group {at[0]}" if len(at) > 2 else switch
        blocks.setdefault(title, {}).setdefault(switch, []).append(node)
    return {title: list(parts.values()) for title, parts in blocks.items()}


def _name(title: str) -> str:
    name = printable(title)
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _block(name: str, parts: list[list[MapNode]], drawn: Map, width: int) -> list[Text]:
    """Return the letters of the parts after the name, in lines that fit."""
    from rich.text import Text

    margin = len(name) + 2 if name else 0
    room = max(8, width - margin)
    lines = [Text(f"{name}  " if name else "", "bold")]
    used = 0
    for part in parts:
        gap = " " if len(parts) == 1 else ""
        step = max(1, (room + len(gap)) // (1 + len(gap)))
        for first in range(0, len(part), step):
            letters = cells(part[first : first + step], drawn, gap)
            if used and used + 1 + letters.cell_len > room:
                lines.append(Text(" " * margin))
                used = 0
            elif used:
                lines[-1].append(" ")
                used += 1
            lines[-1].append_text(letters)
            used += letters.cell_len
    return lines


def _plural(kind: str, count: int) -> str:
    return kind if count == 1 else f"{kind}es" if kind.endswith("ch") else f"{kind}s"


PICTURE = Groups()
