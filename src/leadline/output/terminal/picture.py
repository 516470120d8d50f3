"""A machine drawn in letters: what every picture of one kind of topology is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from leadline.core.plugins import plugins
from leadline.model.map import Map, MapNode

if TYPE_CHECKING:
    from rich.text import Text

FREE, DOWN, DRAINED, USED, SEVERAL = ".", "x", "-", "+", "*"
_MARKS = {"free": FREE, "down": DOWN, "drained": DRAINED, "used": USED}
_STYLES = ("blue", "yellow", "green", "magenta", "cyan", "bright_red", "bright_blue", "white")


class Picture(Protocol):
    """How machines of some topologies are drawn. One file each, found by its `PICTURE`."""

    @property
    def order(self) -> int:
        """Its place among all: the first that draws the map is taken."""

    def draws(self, drawn: Map) -> bool:
        """Tell whether the map is of a kind that this picture is for."""

    def lines(self, drawn: Map, width: int) -> list[Text]:
        """Return the picture, no line of it longer than `width`."""


def picture(drawn: Map, width: int) -> list[Text]:
    """Return the nodes of the map as letters."""
    known: list[Picture] = plugins("leadline.output.terminal.maps", "PICTURE")
    for each in sorted(known, key=lambda one: one.order):
        if each.draws(drawn):
            return each.lines(drawn, width)
    raise AssertionError("there is a picture for any map")


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
    from rich.text import Text

    text = Text()
    for number, node in enumerate(nodes):
        if number:
            text.append(gap)
        text.append(*(mark(node, drawn) if node else (" ", "")))
    return text


def abreast(blocks: Sequence[Sequence[Text]], width: int, gap: int = 4) -> list[Text]:
    """Return blocks of lines side by side, as many as fit, and the rest below."""
    from rich.text import Text

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
