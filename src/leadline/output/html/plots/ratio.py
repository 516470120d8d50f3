"""One run against another."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import (
    Plot,
    Specification,
    chart,
    colour,
    log_axis,
    shape,
    size_axis,
    tooltip,
)

_SHORT_RANGE = 8


def _specification(panel: Panel) -> Specification:
    curves = list(dict.fromkeys(row["curve"] for row in panel.ratios))
    sizes = sorted({row["bytes"] for row in panel.ratios if row["bytes"] is not None})
    by_size = len(sizes) > 1
    ratio = _axis(panel)
    other = (
        size_axis(sizes)
        if by_size
        else {
            "field": "curve",
            "type": "nominal",
            "scale": {"domain": curves},
            "axis": {"title": None, "labelLimit": 180, "grid": False},
        }
    )
    along, across, end = ("y", "x", "y2") if by_size else ("x", "y", "x2")
    same = [{"from": row["same_from"], "to": row["same_to"]} for row in panel.ratios[:1]]
    hue = colour(curves) if by_size else {**colour(curves), "legend": None}
    line = {
        "mark": {"type": "line", "opacity": 0.6},
        "encoding": {across: other, along: ratio, "color": hue},
    }
    interval = {
        "transform": [{"filter": "datum.low > 0"}],
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.45},
        "encoding": {
            across: other,
            along: {**ratio, "field": "low"},
            end: {"field": "high"},
            "color": hue,
        },
    }
    return chart(
        panel.ratios,
        *("curve", "bytes", "size", "ratio", "low", "high", "verdict", "base_us", "other_us"),
        height=280 if by_size else max(80, 44 * len(curves)),
        layer=[
            {
                "data": {"values": same},
                "mark": {"type": "rect", "opacity": 0.14, "style": "reference"},
                "encoding": {along: {**ratio, "field": "from"}, end: {"field": "to"}},
            },
            *([interval] if any(row["low"] for row in panel.ratios) else []),
            *([line] if by_size else []),
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    across: other,
                    along: ratio,
                    "color": hue,
                    "shape": {**shape(curves), "legend": hue["legend"]},
                    "tooltip": [
                        *tooltip(
                            curve="curve", size="size", ratio="ratio", low="95 % from",
                            high="95 % to", base_us="first (µs)", other_us="second (µs)",
                        ),
                        {"field": "verdict", "title": "verdict", "type": "nominal"},
                    ],
                },
            },
        ],
    )  # fmt: skip


def _axis(panel: Panel) -> Specification:
    """Return the axis of ratios: a logarithmic one has too few labels over a short range."""
    ends = [row[end] for row in panel.ratios for end in ("ratio", "low", "high") if row[end]]
    axis = log_axis("ratio", "time over that of the first run")
    if max(ends) / min(ends) < _SHORT_RANGE:
        axis["scale"] = {"zero": False, "nice": False, "padding": 10}
    return axis


PLOT = Plot(
    name="ratio",
    order=5,
    title="One against the other",
    shows=(
        "How many times as long the second run takes, with the 95 % interval of the ratio where "
        "there is one: below one it is faster. What lies in the band is the same for all purposes."
    ),
    applies=lambda panel: bool(panel.ratios),
    specification=_specification,
)
