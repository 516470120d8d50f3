"""Tables without times, as rules read them: by the roles of their columns."""

from collections.abc import Iterator

from leadline.model.imported import Table

Records = dict[str, str | float | None]


def records(table: Table) -> Iterator[Records]:
    """Yield each row as its cells by role; columns without a role are left out."""
    for row in table.rows:
        yield {
            column.role: cell
            for column, cell in zip(table.columns, row, strict=True)
            if column.role
        }
