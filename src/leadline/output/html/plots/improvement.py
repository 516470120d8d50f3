"""What a choice saves against another, by message size."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, shape, size_axis, tooltip

# What takes twice as long or more: how much more is for the other charts.
_FLOOR = -100.0


def _specification(panel: Panel) -> Specification:
    names = list(dict.fromkeys(row["curve"] for row in panel.gains))
    ends = [row[end] for row in panel.gains for end in ("percent", "low", "high")]
    known = [end for end in ends if end is not None]
    lowest, highest = max(_FLOOR, min(0.0, *known)), max(0.0, *known)
    percent = {
        "field": "percent",
        "type": "quantitative",
        "scale": {"domain": [lowest, highest], "clamp": True, "nice": True},
        "axis": {"title": "time saved (%)", "format": "d"},
    }
    own = {"x": size_axis(panel.sizes), "color": colour(names)}
    interval = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4},
        "encoding": {**own, "y": {**percent, "field": "low"}, "y2": {"field": "high"}},
    }
    return chart(
        panel.gains,
        *("curve", "bytes", "size", "choices", "percent", "low", "high"),
        layer=[
            {
                "data": {"values": [{"none": 0}]},
                "mark": {"type": "rule", "style": "reference"},
                "encoding": {"y": {"field": "none", "type": "quantitative"}},
            },
            *([interval] if any(row["low"] is not None for row in panel.gains) else []),
            {
                "mark": {"type": "line", "opacity": 0.6},
                "encoding": {**own, "y": percent, "detail": {"field": "choices"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    **own,
                    "y": percent,
                    "shape": shape(names),
                    "tooltip": tooltip(
                        choices="what", curve="curve", size="size", percent="time saved (%)",
                        low="95 % from (%)", high="95 % to (%)",
                    ),
                },
            },
        ],
    )  # fmt: skip


PLOT = Plot(
    name="improvement",
    order=25,
    title="What a choice saves",
    shows=(
        "By how many percent of the default choice's time each other choice is shorter, against "
        "message size, with its 95 % interval: above zero it is faster, and what takes twice as "
        "long or more stands at the edge. Without a default the first choice of the plan takes its "
        "place."
    ),
    applies=lambda panel: bool(panel.gains) and bool(panel.sizes),
    specification=_specification,
)
