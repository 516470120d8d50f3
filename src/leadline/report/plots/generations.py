"""Machines by the year in which they came."""

from leadline.report.panels import Panel
from leadline.report.plot import Plot, Specification, chart, log_axis, tooltip


def _specification(panel: Panel) -> Specification:
    years = [row["year"] for row in panel.generations]
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
        *("machine", "year", "value"),
        layer=[
            {
                "transform": [{"regression": "value", "on": "year", "method": "exp"}],
                "mark": {"type": "line", "style": "reference"},
                "encoding": {"x": x, "y": y},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"x": x, "y": y, "tooltip": words},
            },
            {
                "mark": {"type": "text", "dy": -12, "limit": 220},
                "encoding": {
                    "x": x,
                    "y": y,
                    "text": {"field": "machine", "type": "nominal"},
                },
            },
        ],
    )


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
