"""Launches side by side."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, shape, tooltip


def _specification(panel: Panel) -> Specification:
    return chart(
        panel.launches,
        *("curve", "bytes", "size", "figure_us", "launch", "median_us"),
        height=220,
        transform=[
            {"flatten": ["launch", "median_us"]},
            {"filter": "datum.figure_us > 0"},
            {"calculate": "datum.median_us / datum.figure_us", "as": "relative"},
        ],
        layer=[
            {
                "data": {"values": [{"one": 1}]},
                "mark": {"type": "rule", "style": "reference"},
                "encoding": {"y": {"field": "one", "type": "quantitative"}},
            },
            {
                "mark": {"type": "point", "size": 40, "opacity": 0.8},
                "encoding": {
                    "x": {
                        "field": "launch",
                        "type": "ordinal",
                        "axis": {"title": "launch, in order", "labelAngle": 0, "grid": False},
                    },
                    # By default the order is an expression that holds the curves' names.
                    "xOffset": {"field": "curve", "type": "nominal", "sort": "ascending"},
                    "y": {
                        "field": "relative",
                        "type": "quantitative",
                        "scale": {"zero": False, "nice": False, "padding": 10},
                        "axis": {"title": "launch's median over the figure", "format": "~g"},
                    },
                    "color": colour(panel.curves),
                    "shape": shape(panel.curves),
                    "tooltip": tooltip(
                        curve="curve",
                        size="size",
                        launch="launch",
                        median_us="median of the launch (µs)",
                        relative="over the figure",
                    ),
                },
            },
        ],
    )


PLOT = Plot(
    name="launches",
    order=50,
    title="Launches side by side",
    shows=(
        "Median of each launch over the median of all launches, one symbol a figure. A launch "
        "that stands apart met another machine: other cores, other memory or other load."
    ),
    applies=lambda panel: any(len(row["launch"]) > 1 for row in panel.launches),
    specification=_specification,
)
