"""Tables of an import that hold facts without times, as a terminal and a page show them."""

from leadline.model.imported import Import
from leadline.output.table import Column, Row, Table, number


def published_tables(imported: Import) -> list[Table]:
    """Return each table with its title and the units of its columns."""
    return [
        Table(
            table.title or table.name,
            tuple(
                (Column if any(isinstance(row[at], str) for row in table.rows) else number)(
                    f"{column.name.replace('_', ' ')} ({column.unit})"
                    if column.unit
                    else column.name.replace("_", " ")
                )
                for at, column in enumerate(table.columns)
            ),
            tuple(Row(tuple(map(_cell, row))) for row in table.rows),
        )
        for table in imported.tables
    ]


def _cell(value: str | float | None) -> str:
    return "-" if value is None else value if isinstance(value, str) else f"{value:.6g}"
