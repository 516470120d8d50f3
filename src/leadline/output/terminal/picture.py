"""A machine drawn in letters: a torus as planes, any other by its switches and groups."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from leadline.core.units import count
from leadline.model.map import Map, MapNode
from leadline.output.terminal.text import cut, printable

FREE, DOWN, DRAINED, USED, SEVERAL = ".", "x", "-", "+", "*"
_MARKS = {"free": FREE, "down": DOWN, "drained": DRAINED, "used": USED}
_STYLES = ("blue", "yellow", "green", "magenta", "cyan", "bright_red", "bright_blue", "white")


def picture(drawn: Map, width: int) -> list[Text]:
    """Return the nodes of the map as letters, no line longer than `width`."""
    draw = _planes if drawn.topology == "torus" else _groups
    return draw(drawn, width)


def mark(node: MapNode, drawn: Map) -> tuple[str, str]:
    """Return the letter of a node and its style."""
    if node.phase == "down":
        return DOWN, "bold red"
    if len(node.jobs) > 1:
        return SEVERAL, "bold"
    if node.jobs:
        return drawn.jobs[node.jobs[0]].letter, style(node.jobs[0])
    return _MARKS[node.phase], "yellow" if node.phase == "drained" else "dim"


def style(job: int) -> str:
    """Return the style of a job's letter."""
    return f"bold {_STYLES[job % len(_STYLES)]}"


def cells(nodes: Sequence[MapNode | None], drawn: Map, gap: str = " ") -> Text:
    """Return the letters of nodes side by side, blanks where there is none."""
    text = Text()
    for number, node in enumerate(nodes):
        if number:
            text.append(gap)
        text.append(*(mark(node, drawn) if node else (" ", "")))
    return text


def abreast(blocks: Sequence[Sequence[Text]], width: int, gap: int = 4) -> list[Text]:
    """Return blocks of lines side by side, as many as fit, and the rest below."""
    widest = max((line.cell_len for block in blocks for line in block), default=0)
    columns = max(1, (width + gap) // (widest + gap))
    lines: list[Text] = []
    for first in range(0, len(blocks), columns):
        row = blocks[first : first + columns]
        if first and any(len(block) > 1 for block in row):
            lines.append(Text())
        for number in range(max(map(len, row))):
            line = Text()
            for block in row:
                part = block[number].copy() if number < len(block) else Text()
                if block is not row[-1]:
                    part.pad_right(widest + gap - part.cell_len)
                line.append_text(part)
            lines.append(line)
    return lines


_NAMES = ("z", "u", "v", "w")


def _planes(drawn: Map, width: int) -> list[Text]:
    """Return every plane of a torus with its axes; those that are too wide are cut into strips."""
    at = {
        vertex.coordinates: node for vertex, node in zip(drawn.vertices, drawn.nodes, strict=False)
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


_NAME = 24


def _groups(drawn: Map, width: int) -> list[Text]:
    below = [(cut(printable(title), _NAME), parts) for title, parts in _blocks(drawn).items()]
    margin = max((len(name) for name, _ in below), default=0)
    blocks = [_block(f"{name:{margin}}", parts, drawn, width) for name, parts in below]
    lines = abreast(blocks, width)
    switches = Counter(vertex.kind for vertex in drawn.vertices[len(drawn.nodes) :])
    if switches:
        amounts = ", ".join(count(number, kind) for kind, number in switches.items())
        lines += [Text(), Text(amounts, "dim")]
    return lines


def _blocks(drawn: Map) -> dict[str, list[list[MapNode]]]:
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


def _block(name: str, parts: list[list[MapNode]], drawn: Map, width: int) -> list[Text]:
    """Return the letters of the parts after the name, in lines that fit."""
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
