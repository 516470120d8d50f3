"""What a table of a run is. Each table is one file in `leadline.output.terminal.tables`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import NamedTuple

from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.terminal.text import printable

Cell = str | int | float | None
_WIDEST = 100


class Column(NamedTuple):
    """A column: its name with the unit, and how its values are written (a format such as `.3f`)."""

    name: str
    form: str = ""


class Sheet(NamedTuple):
    """A table filled in. `notes` say what its figures are; rows have a cell for each column."""

    notes: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Table(NamedTuple):
    """`make(run, analysis)` fills the table in; it raises `UserError` for a run it does not fit.

    `name` is the name of the module, with `-` for `_`.
    """

    name: str
    summary: str
    make: Callable[[Run, Analysis], Sheet]


def lines(sheet: Sheet) -> list[str]:
    """Return the sheet as text: its notes, an empty line, and the columns side by side."""
    notes = [
        line
        for note in sheet.notes
        for line in textwrap.wrap(printable(note), _WIDEST, subsequent_indent="  ")
    ]
    headings = [column.name.replace("_", " ") for column in sheet.columns]
    cells = [
        [_written(cell, column) for cell, column in zip(row, sheet.columns, strict=True)]
        for row in sheet.rows
    ]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    words = [isinstance(cell, str) for cell in sheet.rows[0]]
    side_by_side = [
        "  ".join(
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(row, widths, words, strict=True)
        ).rstrip()
        for row in (headings, *cells)
    ]
    return [*notes, "", *side_by_side]


def _written(cell: Cell, column: Column) -> str:
    if cell is None:
        return ""
    return printable(cell) if isinstance(cell, str) else format(cell, column.form)
