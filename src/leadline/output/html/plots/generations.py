"""Machines by the year in which they came."""

import math
import statistics
from collections.abc import Iterator, Sequence

from leadline.model.imported import Column, Table
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData

YEAR = "year"


def generation_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each quantity that a table with a column of role `year` has.

    A quantity is a column of numbers with a role of its own.
    """
    number = 0
    for table in data.run.imported.tables if data.run.imported else ():
        year = next((at for at, each in enumerate(table.columns) if each.role == YEAR), None)
        for at, column in enumerate(table.columns):
            if year is not None and at != year and column.role:
                rows = _rows(table, year, at)
                if len(rows) > 1:
                    yield _panel(f"generations-{number}", table, column, rows)
                    number += 1


def _rows(table: Table, year: int, at: int) -> list[Row]:
    found = []
    for row in table.rows:
        when, value = row[year], row[at]
        if isinstance(when, float | int) and isinstance(value, float | int) and value > 0:
            named = next((cell for cell in row if isinstance(cell, str)), "")
            found.append({"machine": named, "year": when, "value": value})
    return _with_trend(sorted(found, key=lambda row: row["year"]))


def _with_trend(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with `trend`: what grows by one factor each year and fits all rows best.

    Least squares of the logarithms.
    """
    years = [row["year"] for row in rows]
    logarithms = [math.log(row["value"]) for row in rows]
    if len(set(years)) < 2:
        return [{**row, "trend": None} for row in rows]
    slope, start = statistics.linear_regression(years, logarithms)
    return [{**row, "trend": math.exp(start + slope * row["year"])} for row in rows]


def _panel(identifier: str, table: Table, column: Column, rows: list[Row]) -> Panel:
    named = column.name.replace("_", " ")
    return Panel(
        identifier=identifier,
        benchmark=table.name,
        series=column.name,
        placement="",
        title=f"{named} ({column.unit})" if column.unit else named,
        definition=table.title,
        curves=(),
        data={"generations": rows},
    )


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    years = [row["year"] for row in rows]
    middle = (min(years) + max(years)) / 2
    scale = {"domain": [min(years) - 1, max(years) + 1], "nice": False}
    x = vl.axis("year", "year", scale, format="d", tickMinStep=1)
    y = vl.log_axis("value", panel.title)
    y["axis"]["format"] = "~s"
    words = [
        *vl.tooltip(machine="machine"),
        {"field": "year", "title": "year", "type": "quantitative", "format": "d"},
        *vl.tooltip(value=panel.title),
    ]
    trend = {"x": x, "y": {**y, "field": "trend"}}
    named = {"x": x, "y": y, "text": {"field": "machine", "type": "nominal"}}
    # Names of machines stand beside their symbols, towards the middle of the chart.
    sides = (("left", 9, f"datum.year < {middle}"), ("right", -9, f"datum.year >= {middle}"))
    return vl.chart(
        rows,
        *("machine", "year", "value", "trend"),
        layer=[
            vl.layer("line", trend, "isValid(datum.trend)", style="reference"),
            vl.layer("point", {"x": x, "y": y, "tooltip": words}, filled=True, size=90, opacity=1),
            *(
                vl.layer("text", named, where, align=align, dx=dx, dy=-9, limit=220)
                for align, dx, where in sides
            ),
        ],
    )


GENERATIONS = Plot(
    name="generations",
    title="Generations of machines",
    shows=(
        "One symbol a machine, by its year; the other axis is logarithmic. The dashed line grows "
        "by the same factor each year and fits all machines best."
    ),
    panels=generation_panels,
    draw=_draw,
)
