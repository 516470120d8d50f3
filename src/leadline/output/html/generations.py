"""Published tables of machines by year."""

import math
import statistics
from collections.abc import Sequence

from leadline.model.imported import Column, Table
from leadline.output.html.panels import Panel, Row

YEAR = "year"


def generation_panels(tables: Sequence[Table]) -> tuple[Panel, ...]:
    """Return a panel for each quantity that a table with a column of role `year` has.

    A quantity is a column of numbers with a role of its own.
    """
    found: list[Panel] = []
    for table in tables:
        year = next((at for at, each in enumerate(table.columns) if each.role == YEAR), None)
        for at, column in enumerate(table.columns):
            if year is not None and at != year and column.role:
                rows = _rows(table, year, at)
                if len(rows) > 1:
                    found.append(_panel(f"generations-{len(found)}", table, column, rows))
    return tuple(found)


def _rows(table: Table, year: int, at: int) -> tuple[Row, ...]:
    """Return the rows in which both the year and the quantity are numbers above zero."""
    found = []
    for row in table.rows:
        when, value = row[year], row[at]
        if isinstance(when, float | int) and isinstance(value, float | int) and value > 0:
            named = next((cell for cell in row if isinstance(cell, str)), "")
            found.append({"machine": named, "year": when, "value": value})
    return _with_trend(sorted(found, key=lambda row: row["year"]))


def _with_trend(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with `trend`: what grows by one factor each year and fits all rows best.

    Least squares of the logarithms.
    """
    years = [row["year"] for row in rows]
    logarithms = [math.log(row["value"]) for row in rows]
    if len(set(years)) < 2:
        return tuple({**row, "trend": None} for row in rows)
    slope, start = statistics.linear_regression(years, logarithms)
    return tuple({**row, "trend": math.exp(start + slope * row["year"])} for row in rows)


def _panel(identifier: str, table: Table, column: Column, rows: tuple[Row, ...]) -> Panel:
    named = column.name.replace("_", " ")
    return Panel(
        identifier=identifier,
        benchmark=table.name,
        series=column.name,
        placement="",
        title=f"{named} ({column.unit})" if column.unit else named,
        definition=table.title,
        curves=(),
        figures=(),
        points=(),
        launches=(),
        switches=(),
        generations=rows,
    )
