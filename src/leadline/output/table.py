"""A table, whatever shows it: the terminal, a page or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Cell = Any


class Column(NamedTuple):
    """A column: its heading with the unit, and how its values are written (a format like `.3f`).

    Of a `kind` "number" texts stand at the right too, "words" may break into lines. Where there is
    no room, texts that may be `cut` are, then columns with a `spare` go, the largest first.
    `styles` are the colours that its texts have on a terminal.
    """

    name: str
    form: str = ""
    kind: str = "text"
    cut: bool = False
    spare: int = 0
    styles: tuple[tuple[str, str], ...] = ()


class Row(NamedTuple):
    """A cell for each column; `style` is its colour on a terminal, the rest is for pages.

    There `link` is where its first text leads, and `under` stands below that in small print.
    """

    cells: tuple[Cell, ...]
    identifier: str = ""
    link: str = ""
    classes: str = ""
    style: str = ""
    under: str = ""


class Table(NamedTuple):
    """A table filled in. `notes` say what its figures are."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def table_of(
    columns: Iterable[Column | str],
    rows: Iterable[Sequence[Cell]],
    caption: str = "",
    notes: tuple[str, ...] = (),
) -> Table:
    """Return the table of these columns and rows of cells."""
    return Table(
        caption,
        tuple(Column(each) if isinstance(each, str) else each for each in columns),
        tuple(Row(tuple(cells)) for cells in rows),
        notes,
    )


def columns(spec: str) -> tuple[Column, ...]:
    """Return columns by their names with how their values are written, separated by commas.

    >>> [column.form for column in columns("bytes, microseconds .3f")]
    ['', '.3f']
    """
    parts = (each.split() for each in spec.split(","))
    return tuple(Column(name, "".join(form)) for name, *form in parts)


def number(name: str) -> Column:
    """Return a column of numbers."""
    return Column(name, kind="number")


def words(name: str) -> Column:
    """Return a column of sentences."""
    return Column(name, kind="words")


def without_empty_columns(table: Table, kept: int = 1) -> Table:
    """Return the table without columns that say nothing in any row; the first `kept` stay.

    >>> table = table_of(("x", "y"), [("a", "-"), ("b", "")])
    >>> [column.name for column in without_empty_columns(table).columns]
    ['x']
    """
    left = [
        at
        for at in range(len(table.columns))
        if at < kept or any(row.cells[at] not in ("", "-") for row in table.rows)
    ]
    return table._replace(
        columns=tuple(table.columns[at] for at in left),
        rows=tuple(row._replace(cells=tuple(row.cells[at] for at in left)) for row in table.rows),
    )
