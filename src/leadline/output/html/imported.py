"""What the page says of figures that another program measured: where from, and what is missing."""

from leadline.core.units import format_figure
from leadline.model.imported import Import
from leadline.output.published import published_tables
from leadline.output.table import Column, Row, Table, number, words


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


def sheets(imported: Import) -> list[Table]:
    """Return the tables of an import: what could not be read, known limits, published tables."""
    return [*_remarks(imported), *_bounds(imported), *published_tables(imported)]


def _remarks(imported: Import) -> list[Table]:
    rows = tuple(
        Row((f"{remark.file}:{remark.line}" if remark.line else remark.file, remark.text))
        for remark in imported.remarks
    )
    return [Table("What could not be read", (Column("Where"), words("Why")), rows)] if rows else []


def _bounds(imported: Import) -> list[Table]:
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
    headings = (Column("Limit"), Column("Where"), number("At"), words("Stated by"))
    return [Table("Physical limits", headings, rows)] if rows else []
