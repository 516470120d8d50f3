"""Machines by the year in which they came."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, log_axis, tooltip


def _specification(panel: Panel) -> Specification:
    years = [row["year"] for row in panel.generations]
    middle = (min(years) + max(years)) / 2
    x = {
        "field": "year",
        "type": "quantitative",
        "scale": {"domain": [min(years) - 1, max(years) + 1], "nice": False},
        "axis": {"title": "year", "format": "d", "tickMinStep": 1},
    }
    y = log_axis("value", panel.title)
    y["axis"]["format"] = "~s"
    words = [
        {"field": "machine", "title": "machine", "type": "nominal"},
        {"field": "year", "title": "year", "type": "quantitative", "format": "d"},
        *tooltip(value=panel.title),
    ]
    return chart(
        panel.generations,
        *("machine", "year", "value", "trend"),
        layer=[
            {
                "transform": [{"filter": "isValid(datum.trend)"}],
                "mark": {"type": "line", "style": "reference"},
                "encoding": {"x": x, "y": {**y, "field": "trend"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"x": x, "y": y, "tooltip": words},
            },
            _names("left", f"datum.year < {middle}", x, y),
            _names("right", f"datum.year >= {middle}", x, y),
        ],
    )


def _names(align: str, which: str, x: Specification, y: Specification) -> Specification:
    """Return the names of machines beside their symbols, towards the middle of the chart."""
    return {
        "transform": [{"filter": which}],
        "mark": {
            "type": "text",
            "align": align,
            "dx": 9 if align == "left" else -9,
            "dy": -9,
            "limit": 220,
        },
        "encoding": {"x": x, "y": y, "text": {"field": "machine", "type": "nominal"}},
    }


PLOT = Plot(
    name="generations",
    order=80,
    title="Generations of machines",
    shows=(
        "One symbol a machine, by its year; the other axis is logarithmic. The dashed line grows "
        "by the same factor each year and fits all machines best."
    ),
    applies=lambda panel: bool(panel.generations),
    specification=_specification,
)
