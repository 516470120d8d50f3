"""Tables that fit the terminal: long texts are cut, and then the least important columns go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from leadline.terminal.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_STYLES = {
    "running": "green", "ending": "green", "suspended": "magenta", "waiting": "yellow",
    "idle": "green", "mixed": "cyan", "allocated": "cyan", "drained": "magenta", "down": "bold red",
}  # fmt: skip
# No table is worth a longer cell; JSON has all of it.
_LONGEST = 100
# To so many characters a long text may be cut before a column goes.
_SHORTEST = 12
_BETWEEN = 2
# The heading, its rule, empty lines around the table, and the caption.
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


def left_out(grid: Grid, width: int) -> tuple[str, ...]:
    """Return the columns for which a terminal of this width has no room.

    >>> wide = grid_of([{"a": "1234567890", "b": "1234567890"}], (), (), ("b",))
    >>> left_out(wide, 24), left_out(wide, 23)
    ((), ('b',))
    """
    needs = {}
    for number, name in enumerate(grid.headings):
        longest = max((cell_len(row[number]) for row in grid.rows), default=0)
        asked = min(longest, _SHORTEST) if name in grid.long else longest
        needs[name] = max(asked, len(name)) + _BETWEEN
    gone: list[str] = []
    for name in grid.spare:
        if sum(needs.values()) <= width:
            break
        if needs.pop(name, None):
            gone.append(name)
    return tuple(gone)


def drawn(grid: Grid, caption: str, width: int, lines: int | None = None) -> RenderableType:
    """Return the table and below it the caption, of so many characters and, if given, lines."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    gone = left_out(grid, width)
    shown = [n for n, name in enumerate(grid.headings) if name not in gone]
    table = Table(box=box.SIMPLE, pad_edge=False, collapse_padding=True)
    for name in (grid.headings[n] for n in shown):
        right = name in grid.numbers
        # The table takes what it lacks from the columns that might be wrapped.
        table.add_column(
            Text(name, no_wrap=True, overflow="ellipsis"),
            justify="right" if right else "left",
            no_wrap=name not in grid.long,
            overflow="ellipsis",
        )
    room = len(grid.rows) if lines is None else max(1, lines - _FRAME_LINES)
    for row in grid.rows[:room]:
        cells = ((row[n], _style(grid, grid.headings[n], row[n])) for n in shown)
        # Cut rather than broken into lines.
        table.add_row(*(Text(*cell, no_wrap=True, overflow="ellipsis") for cell in cells))
    below = Text(no_wrap=True, overflow="ellipsis").append(caption)
    if (hidden := len(grid.rows) - room) > 0:
        below.append(f"; {hidden} more do not fit here")
    if gone:
        below.append(f"; no room for: {', '.join(gone)}")
    return Group(table, below) if grid.rows else below


def _style(grid: Grid, name: str, cell: str) -> str:
    return _STYLES.get(cell, "") if name == grid.styled else ""


def one_line(text: str) -> str:
    r"""Return `text` as one line that cannot change the terminal, and not too long.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
