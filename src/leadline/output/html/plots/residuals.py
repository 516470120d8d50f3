"""What a straight line leaves over."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, shape, size_axis, tooltip


def _specification(panel: Panel) -> Specification:
    names = [name for name in panel.curves if any(row["curve"] == name for row in panel.residuals)]
    percent = {
        "field": "percent",
        "type": "quantitative",
        "axis": {"title": "above the line (%)", "format": "d"},
    }
    own = {
        "x": size_axis(sorted({row["bytes"] for row in panel.residuals})),
        "color": colour(names),
    }
    band = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "area", "opacity": 0.25},
        "encoding": {**own, "y": {**percent, "field": "low"}, "y2": {"field": "high"}},
    }
    return chart(
        panel.residuals,
        *("curve", "bytes", "size", "line_us", "median_us", "percent", "low", "high"),
        height=220,
        layer=[
            {
                "data": {"values": [{"none": 0}]},
                "mark": {"type": "rule", "style": "reference"},
                "encoding": {"y": {"field": "none", "type": "quantitative"}},
            },
            *([band] if any(row["low"] is not None for row in panel.residuals) else []),
            {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {**own, "y": percent}},
            {
                "mark": {"type": "point", "filled": True, "size": 46, "opacity": 1},
                "encoding": {
                    **own,
                    "y": percent,
                    "shape": shape(names),
                    "tooltip": tooltip(
                        curve="curve",
                        size="size",
                        median_us="time (µs)",
                        line_us="on the line (µs)",
                        percent="above it (%)",
                    ),
                },
            },
        ],
    )


PLOT = Plot(
    name="residuals",
    order=22,
    title="What a straight line leaves over",
    shows=(
        "By how many percent each time is above latency plus bytes over asymptotic bandwidth, with "
        "its 95 % interval where there is one. Level at zero the two numbers say all; a hump is a "
        "range of sizes that has costs of its own, a step another protocol or cache."
    ),
    applies=lambda panel: bool(panel.residuals),
    specification=_specification,
)
