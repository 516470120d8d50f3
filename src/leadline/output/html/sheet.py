"""Tables of the page: headings and rows of text."""

from collections.abc import Sequence
from typing import NamedTuple


class Heading(NamedTuple):
    """A column: numbers stand at the right, words may break into lines."""

    title: str
    kind: str = "text"


class Row(NamedTuple):
    """The texts of a row; `link` is where its first text leads."""

    cells: tuple[str, ...]
    identifier: str = ""
    link: str = ""
    classes: str = ""


class Sheet(NamedTuple):
    """A table with its caption. The first text of a row names it."""

    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]


def number(title: str) -> Heading:
    """Return the heading of a column of numbers."""
    return Heading(title, "number")


def words(title: str) -> Heading:
    """Return the heading of a column of sentences."""
    return Heading(title, "words")


def without_empty_columns(sheet: Sheet) -> Sheet:
    """Return the table without columns that say nothing in any row, the first one kept.

    >>> rows = (Row(("a", "-")), Row(("b", "")))
    >>> sheet = Sheet("", (Heading("x"), Heading("y")), rows)
    >>> without_empty_columns(sheet).headings
    (Heading(title='x', kind='text'),)
    """
    kept = [
        column
        for column in range(len(sheet.headings))
        if column == 0 or any(row.cells[column] not in ("", "-") for row in sheet.rows)
    ]
    return Sheet(
        sheet.caption,
        tuple(sheet.headings[column] for column in kept),
        tuple(row._replace(cells=_at(row.cells, kept)) for row in sheet.rows),
    )


def _at(cells: Sequence[str], columns: Sequence[int]) -> tuple[str, ...]:
    return tuple(cells[column] for column in columns)
