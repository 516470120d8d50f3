"""Floating-point rate against size, below what bounds it."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, log_axis, shape, tooltip

_TICKS = [10**power for power in range(16)]


def _specification(panel: Panel) -> Specification:
    amounts = [row["amount"] for row in panel.rates]
    x: Specification = {
        "field": "amount",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {
            "title": panel.rates[0]["axis"],
            "values": [
                10**power for power in range(16) if min(amounts) <= 10**power <= max(amounts)
            ]
            or sorted(set(amounts)),
            "format": "~s",
        },
    }
    y = log_axis("Mflops", "rate (Mflop/s)")
    hue = colour(panel.curves)
    drawn = {"x": x, "y": y, "color": hue}
    words = tooltip(
        curve="way", amount=panel.rates[0]["axis"], Mflops="rate (Mflop/s)",
        low_Mflops="95 % from", high_Mflops="95 % to", percent="% of the bound", mark="in doubt",
    )  # fmt: skip
    roof = {
        "data": {"values": list(panel.roofs)},
        "mark": {"type": "line", "style": "reference", "strokeWidth": 2},
        "encoding": {"x": x, "y": y, "detail": {"field": "roof"}},
    }
    levels = {
        "data": {"values": list(panel.levels)},
        "layer": [
            {"mark": {"type": "rule", "opacity": 0.6}, "encoding": {"x": x}},
            {
                "mark": {
                    "type": "text",
                    "angle": 270,
                    "align": "left",
                    "baseline": "bottom",
                    "dx": 6,
                    "dy": -3,
                    "y": {"expr": "height"},
                },
                "encoding": {"x": x, "text": {"field": "level", "type": "nominal"}},
            },
        ],
    }
    # A wrong answer is no rate: its curve is there to be seen as such.
    wrong = {"condition": {"test": "datum.wrong", "value": [5, 4]}, "value": [1, 0]}
    faint = {"condition": {"test": "datum.wrong", "value": 0.45}, "value": 1}
    doubtful = {
        "transform": [{"filter": "datum.mark != ''"}],
        "mark": {"type": "point", "style": "doubtful"},
        "encoding": {"x": x, "y": y, "tooltip": words},
    }
    return chart(
        panel.rates,
        *("curve", "amount", "Mflops", "low_Mflops", "high_Mflops", "percent", "mark", "wrong"),
        layer=[
            *([levels] if panel.levels else []),
            *([roof] if panel.roofs else []),
            {
                "mark": {"type": "line", "strokeWidth": 1.75},
                "encoding": {**drawn, "strokeDash": wrong, "opacity": faint},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 46},
                "encoding": {
                    **drawn,
                    "opacity": faint,
                    "shape": shape(panel.curves),
                    "tooltip": words,
                },
            },
            *([doubtful] if any(row["mark"] for row in panel.rates) else []),
        ],
    )


PLOT = Plot(
    name="rate",
    order=75,
    title="Rate against size",
    shows=(
        "Floating-point operations of one call over its time, in Mflop/s, against the length of "
        "the data, both axes logarithmic. The dashed line above is the measured bound, that of the "
        "memory or of the cores; upright lines stand where the data fill a cache. Ways with a "
        "wrong answer are dashed and faint, and ringed."
    ),
    applies=lambda panel: bool(panel.rates),
    specification=_specification,
)
