"""How many times as fast the same goes on more processes."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, log_axis, shape, tooltip


def _specification(panel: Panel) -> Specification:
    counts = sorted({row["processes"] for row in panel.scaling})
    fewest = min(row["fewest"] for row in panel.scaling)
    x = {
        "field": "processes",
        "type": "quantitative",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 14},
        "axis": {"title": "processes", "values": counts, "format": "d"},
    }
    y = log_axis("speedup", "times as fast as on the fewest")
    hue = colour(panel.curves)
    ideals = [
        {"ideal": ideal, "processes": count, "speedup": count / fewest if ideal == "more" else 1.0}
        for ideal in ("more", "level")
        for count in (fewest, counts[-1])
    ]
    interval = {
        "transform": [{"filter": "datum.low > 0"}],
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": hue},
    }
    return chart(
        panel.scaling,
        *("curve", "bytes", "size", "processes", "nodes", "time_us"),
        *("speedup", "low", "high", "efficiency"),
        layer=[
            {
                "data": {"values": ideals},
                "mark": {"type": "line", "style": "reference"},
                "encoding": {"x": x, "y": y, "detail": {"field": "ideal"}},
            },
            *([interval] if any(row["low"] for row in panel.scaling) else []),
            {"mark": {"type": "line"}, "encoding": {"x": x, "y": y, "color": hue}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": hue,
                    "shape": shape(panel.curves),
                    "tooltip": tooltip(
                        curve="curve", processes="processes", nodes="nodes", time_us="time (µs)",
                        speedup="times as fast", low="95 % from", high="95 % to",
                        efficiency="efficiency",
                    ),
                },
            },
        ],
    )  # fmt: skip


PLOT = Plot(
    name="speed_up",
    order=70,
    title="Speed-up and scale-up",
    shows=(
        "Time on the fewest processes over time on more, both axes logarithmic, with its 95 % "
        "interval where there is one. The rising dashed line is ideal for work that the processes "
        "share (speed-up), the level one for work that grows with them (scale-up)."
    ),
    applies=lambda panel: bool(panel.scaling),
    specification=_specification,
)
