"""Median and interval where there is no range of sizes to draw a curve over."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, shape, tooltip


def _specification(panel: Panel) -> Specification:
    category = {
        "field": "curve",
        "type": "nominal",
        "scale": {"domain": list(panel.curves)},
        "axis": {"title": None, "labelLimit": 180, "grid": False},
    }
    hue = {**colour(panel.curves), "legend": None}
    time = {
        "field": "median_us",
        "type": "quantitative",
        "scale": {"zero": False, "nice": True, "padding": 12},
        "axis": {"title": "time (µs)"},
    }
    words = tooltip(
        curve="curve", size="size", median_us="median (µs)", ci95_low_us="95 % from (µs)",
        ci95_high_us="95 % to (µs)", samples="samples", mark="in doubt",
    )  # fmt: skip
    interval = {
        "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.45},
        "encoding": {
            "x": {**time, "field": "ci95_low_us"},
            "x2": {"field": "ci95_high_us"},
            "y": category,
            "color": hue,
        },
    }
    launches = {
        "data": {"values": list(panel.launches)},
        "transform": [{"flatten": ["launch", "median_us"]}],
        "mark": {"type": "tick", "thickness": 1.5, "size": 18},
        "encoding": {
            "x": time,
            "y": category,
            "color": hue,
            "tooltip": tooltip(
                curve="curve", launch="launch", median_us="median of the launch (µs)"
            ),
        },
    }
    return chart(
        panel.points,
        *("curve", "size", "median_us", "ci95_low_us", "ci95_high_us", "samples", "mark"),
        height=44 * len(panel.curves),
        layer=[
            *([interval] if any(row["ci95_low_us"] for row in panel.points) else []),
            *([launches] if panel.launches else []),
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {
                    "x": time,
                    "y": category,
                    "color": hue,
                    "shape": {**shape(panel.curves), "legend": None},
                    "tooltip": words,
                },
            },
        ],
    )


PLOT = Plot(
    name="interval",
    order=30,
    title="Median and its interval",
    shows=(
        "Median time of one operation in microseconds (symbol), its 95 % interval (bar) and the "
        "median of each launch (ticks). The axis need not begin at zero."
    ),
    applies=lambda panel: bool(panel.points) and len(panel.sizes) < 2,
    specification=_specification,
)
