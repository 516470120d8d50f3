"""Tables that fit the terminal: long texts are cut, and then the least important columns go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_STYLES = {
    "running": "green", "ending": "green", "suspended": "magenta", "waiting": "yellow",
    "idle": "green", "mixed": "cyan", "allocated": "cyan", "drained": "magenta", "down": "bold red",
}  # fmt: skip
# No table is worth a longer cell; JSON has all of it.
_LONGEST = 100
# To so many characters a long text may be cut before a column goes.
_SHORTEST = 12
_BETWEEN = 2
_EDGE = 1
# The heading, its rule, empty lines around the table, the caption, and where the cursor stands.
_FRAME_LINES = 6


class Grid(NamedTuple):
    """A table of texts.

    `numbers` are the columns that stand to the right, `styled` the one whose words have colours.
    Where the terminal is too narrow, texts in `long` are cut, and then the columns of `spare` are
    left out, the first one first.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]
    long: frozenset[str]
    spare: tuple[str, ...]
    styled: str = ""


def grid_of(
    rows: Sequence[dict[str, str]],
    numbers: Iterable[str],
    long: Iterable[str],
    spare: tuple[str, ...],
    styled: str = "",
) -> Grid:
    """Return the table of `rows`, each a text by column; a column without any text is left out."""
    known = [name for name in (rows[0] if rows else {}) if any(row[name] for row in rows)]
    cells = tuple(tuple(one_line(row[name]) for name in known) for row in rows)
    return Grid(tuple(known), cells, frozenset(numbers), frozenset(long), spare, styled)


def fitted(grid: Grid, needed: Mapping[str, int], room: int) -> dict[str, int]:
    """Return the columns that fit into `room` characters with the width of each.

    >>> grid = grid_of([{"a": "10", "b": "x" * 30, "c": "yes"}], (), ("b",), ("c",))
    >>> needed = {"a": 2, "b": 30, "c": 3}
    >>> fitted(grid, needed, 39), fitted(grid, needed, 30), fitted(grid, needed, 20)
    ({'a': 2, 'b': 30, 'c': 3}, {'a': 2, 'b': 21, 'c': 3}, {'a': 2, 'b': 16})
    """
    left, widths = dict(needed), dict(needed)
    for gone in ("", *grid.spare):
        left.pop(gone, None)
        for longest in range(_LONGEST, _SHORTEST - 1, -1):
            widths = {
                name: max(min(width, longest), len(name)) if name in grid.long else width
                for name, width in left.items()
            }
            if sum(widths.values()) + _BETWEEN * (len(widths) - 1) <= room:
                return widths
    return widths


class Drawn(NamedTuple):
    """A table and its caption as rich prints them, as wide as the terminal.

    There are at most `height` lines, where it is not None.
    """

    grid: Grid
    caption: str
    height: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        yield from lines(self.grid, self.caption, options.max_width, self.height)


def lines(grid: Grid, caption: str, width: int, height: int | None = None) -> list[Text]:
    """Return the lines of the table and, below it, of its caption.

    No line has more than `width` characters, and there are at most `height` lines if given.
    """
    rows = grid.rows if height is None else grid.rows[: max(1, height - _FRAME_LINES)]
    columns = zip(grid.headings, *rows, strict=True)
    widths = fitted(grid, {cells[0]: max(map(cell_len, cells)) for cells in columns}, width - 1)
    below = [caption]
    if hidden := len(grid.rows) - len(rows):
        below.append(f"{hidden} more do not fit here")
    if gone := [name for name in grid.spare if name in grid.headings and name not in widths]:
        below.append(f"no room for: {', '.join(gone)}")
    shown = [Text("; ".join(below))]
    if rows:
        heading = _line(grid, widths, grid.headings)
        heading.stylize("bold")
        rule = Text(" " + "─" * (heading.cell_len - 1))
        table = (_line(grid, widths, row) for row in rows)
        shown = [Text(), heading, rule, *table, Text(), *shown]
    for line in shown:
        line.rstrip()
        line.truncate(width, overflow="ellipsis")
    return shown


def _line(grid: Grid, widths: Mapping[str, int], row: Sequence[str]) -> Text:
    line = Text(" ")
    for name, text in zip(grid.headings, row, strict=True):
        if name in widths:
            style = _STYLES.get(text, "") if name == grid.styled else ""
            between = " " * _BETWEEN if len(line) > 1 else ""
            line.append(between).append(_cell(text, widths[name], name in grid.numbers), style)
    return line


def _cell(text: str, width: int, right: bool) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    blank = " " * (width - cell_len(text))
    return blank + text if right else text + blank


def one_line(text: str) -> str:
    r"""Return `text` as one line that cannot change the terminal, and not too long.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
