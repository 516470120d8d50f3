"""What the page says of figures that another program measured: where from, and what is missing."""

from leadline.core.units import format_figure
from leadline.model.imported import Import
from leadline.output.html.sheet import Heading, Row, Sheet, number, words


def origin(imported: Import) -> list[tuple[str, str]]:
    """Return where the figures are from, as names and texts."""
    return [
        (name, value)
        for name, value in (
            ("program", imported.program),
            ("published in", imported.source),
            ("measured", imported.when),
            ("files", ", ".join(imported.files)),
        )
        if value
    ]


def sheets(imported: Import) -> list[Sheet]:
    """Return the tables of an import: what could not be read, known limits, published tables."""
    return [*_remarks(imported), *_bounds(imported), *_tables(imported)]


def _remarks(imported: Import) -> list[Sheet]:
    rows = tuple(
        Row((f"{remark.file}:{remark.line}" if remark.line else remark.file, remark.text))
        for remark in imported.remarks
    )
    return [Sheet("What could not be read", (Heading("Where"), words("Why")), rows)] if rows else []


def _bounds(imported: Import) -> list[Sheet]:
    where = {"node": "within a node", "network": "between nodes"}
    rows = tuple(
        Row(
            (
                bound.quantity.replace("_MBps", " (MB/s)").replace("_s", " (s)"),
                where[bound.where],
                format_figure(bound.value),
                bound.source or "-",
            )
        )
        for bound in imported.bounds
    )
    headings = (Heading("Limit"), Heading("Where"), number("At"), words("Stated by"))
    return [Sheet("Physical limits", headings, rows)] if rows else []


def _tables(imported: Import) -> list[Sheet]:
    return [
        Sheet(
            table.title or table.name,
            tuple(
                (Heading if any(isinstance(row[at], str) for row in table.rows) else number)(
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
