"""Tables on the terminal: long texts are cut, the least important columns go, the rest breaks."""

from __future__ import annotations

import itertools
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from numbers import Number
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from leadline.output.table import Cell, Column, Table
from leadline.output.terminal.text import printable

_WIDEST = 100
# In a pipe a table is as wide as it needs to be.
ENDLESS = 10_000
# To so many characters a text may be cut or broken before a column goes.
_SHORTEST = 12
# And where nothing else helps.
_LEAST = 8
_BETWEEN = 2
# The heading, its rule, empty lines around the table, the caption, and where the cursor stands.
_FRAME_LINES = 6


class _Breaker(textwrap.TextWrapper):
    """Breaks names such as `reduce_scatter_block` and `mpi/allreduce` at their marks."""

    wordsep_re = re.compile(r"(\s+)|(?<=[_/=,])(?=\w)")

    def pieces(self, text: str) -> list[str]:
        """Return what is broken nowhere else."""
        return [chunk for chunk in self._split(text) if chunk.strip()]


class Drawn(NamedTuple):
    """A table as rich prints it, as wide as the terminal, in at most `height` lines if given.

    A `ruled` one has a line below its headings, empty ones around it and its caption below.
    """

    table: Table
    height: int | None = None
    ruled: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        rule = ("-" if options.ascii_only else "─") if self.ruled else ""
        yield from draw(self.table, options.max_width, self.height, rule)


def print_table(table: Table, piped: int = ENDLESS) -> None:
    """Print the table; in a pipe `piped` columns wide, without it as wide as it needs to be."""
    Console(width=None if sys.stdout.isatty() else piped, highlight=False).print(Drawn(table))


def lines(table: Table) -> list[str]:
    """Return the table as text, as wide as it is: its notes, an empty line, then its columns."""
    notes = [
        line
        for note in table.notes
        for line in textwrap.wrap(printable(note), _WIDEST, subsequent_indent="  ")
    ]
    spelled = tuple(column._replace(name=column.name.replace("_", " ")) for column in table.columns)
    drawn = draw(table._replace(columns=spelled, caption=""), ENDLESS)
    return [*notes, "", *(line.plain for line in drawn)]


def draw(table: Table, width: int, height: int | None = None, rule: str = "") -> list[Text]:
    """Return the lines of the table, none longer than `width`, at most `height` if given.

    With a `rule`, of such characters, there is one below the headings.
    """
    rows = table.rows if height is None else table.rows[: max(1, height - _FRAME_LINES)]
    cells = [
        [_format_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]
        for row in rows
    ]
    headings = [printable(column.name) for column in table.columns]
    needed = [
        max(cell_len(line) for text in own for line in text.split("\n"))
        for own in zip(headings, *cells, strict=True)
    ]
    edge = " " * bool(rule)
    whole = [
        max(map(cell_len, itertools.chain([""], *map(_Breaker().pieces, own))))
        for own in zip(headings, *cells, strict=True)
    ]
    widths = fitted(table.columns, needed, width - len(edge), whole)
    if _total(widths) > width - len(edge):
        # Headings break too, at blanks.
        words = [max(map(cell_len, heading.split() or [""])) for heading in headings]
        longest = [
            max((cell_len(t) for c in own for t in c.split("\n")), default=0)
            for own in zip(*cells, strict=True)
        ]
        narrow = tuple(column._replace(name="") for column in table.columns)
        widths = fitted(narrow, list(map(max, words, longest)), width - len(edge), whole)
    right = [_is_number(table, at) for at in range(len(table.columns))]

    def drawn(texts: Sequence[str], style: str, styled: bool = True) -> list[Text]:
        blocks = {at: _break_text(texts[at], widths[at], table.columns[at].cut) for at in widths}
        found = [Text(edge) for _ in range(max(map(len, blocks.values())))]
        for position, (at, block) in enumerate(blocks.items()):
            color = dict(table.columns[at].styles).get(texts[at], style) if styled else style
            for line, text in zip(found, [*block, *[""] * len(found)], strict=False):
                blank = " " * (widths[at] - cell_len(text))
                line.append(" " * _BETWEEN if position else "")
                line.append(blank + text if right[at] else text + blank, color)
        return found

    shown: list[Text] = []
    if rows:
        shown = drawn(headings, "bold" if rule else "dim", styled=False)
        if rule:
            shown.append(Text(edge + rule * max(line.cell_len - len(edge) for line in shown)))
        for row, texts in zip(rows, cells, strict=True):
            shown += drawn(texts, row.style)
        if rule:
            shown = [Text(), *shown, Text()]
    below = [table.caption] if table.caption else []
    if hidden := len(table.rows) - len(rows):
        below.append(f"{hidden} more do not fit here")
    gone = [each for at, each in enumerate(table.columns) if each.name and at not in widths]
    if gone:
        gone.sort(key=lambda column: -column.spare)
        below.append(f"no room for: {', '.join(column.name for column in gone)}")
    shown += [Text("; ".join(below))] if below else []
    for line in shown:
        line.rstrip()
        line.truncate(width, overflow="ellipsis")
    return shown


def fitted(
    columns: Sequence[Column], needed: Sequence[int], room: int, whole: Sequence[int] = ()
) -> dict[int, int]:
    """Return the columns that fit into `room` characters with the width of each.

    `whole` is the longest part of each column that should not be broken.

    >>> columns = (Column("a"), Column("b", cut=True), Column("c", spare=1))
    >>> fitted(columns, (2, 30, 3), 39), fitted(columns, (2, 30, 3), 30)
    ({0: 2, 1: 30, 2: 3}, {0: 2, 1: 21, 2: 3})
    >>> fitted(columns, (2, 30, 3), 20)
    {0: 2, 1: 16}
    """
    widths = dict(enumerate(needed))
    spare = sorted((at for at in widths if columns[at].spare), key=lambda at: -columns[at].spare)
    soft = {at for at, column in enumerate(columns) if column.cut or column.kind == "words"}
    for gone in (None, *spare):
        widths = {at: needed[at] for at in widths if at != gone}
        if _squeeze(columns, widths, soft & widths.keys(), room, dict.fromkeys(widths, _SHORTEST)):
            return widths
    # Nothing may be lost of the others, such as a path: they go on in the next line.
    hard = {at for at in widths if columns[at].kind == "text" and not columns[at].styles}
    hard -= soft
    shortest = dict.fromkeys(widths, _SHORTEST)
    parts = {at: min(_SHORTEST, max(part, _LEAST)) for at, part in enumerate(whole)}
    for least in (shortest, shortest | parts, dict.fromkeys(widths, _LEAST)):
        if _squeeze(columns, widths, hard, room, least):
            break
    return widths


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + _BETWEEN * (len(widths) - 1)


def _squeeze(
    columns: Sequence[Column],
    widths: dict[int, int],
    soft: set[int],
    room: int,
    shortest: Mapping[int, int],
) -> bool:
    """Make the widest of `soft` columns narrower until all fit, and return whether they do."""
    while (over := _total(widths) - room) > 0:
        free = [at for at in soft if widths[at] > max(shortest[at], len(columns[at].name))]
        if not free:
            return False
        widest = max(free, key=lambda at: widths[at])
        others = max((widths[at] for at in free if at != widest), default=0)
        least = max(shortest[widest], len(columns[widest].name))
        widths[widest] = max(min(widths[widest] - 1, others), widths[widest] - over, least)
    return True


def _break_text(text: str, width: int, cut: bool) -> list[str]:
    if cell_len(text) <= width and "\n" not in text:
        return [text]
    if cut:
        return [set_cell_size(text, width - 1) + "…"]
    return [part for line in text.split("\n") for part in _Breaker(width).wrap(line) or [""]]


def _is_number(table: Table, at: int) -> bool:
    """Return whether a column stands to the right: by its kind, or its first value."""
    values = (row.cells[at] for row in table.rows if row.cells[at] is not None)
    return table.columns[at].kind == "number" or isinstance(next(values, ""), Number)


def _format_cell(cell: Cell, column: Column) -> str:
    if cell is None:
        return ""
    return printable(cell) if isinstance(cell, str) else format(cell, column.form)
