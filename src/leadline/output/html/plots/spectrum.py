"""How often detours come, with the periods that were found."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import (
    Plot,
    Specification,
    chart,
    chooser,
    log_axis,
    rounded,
    tooltip,
)


def _specification(panel: Panel) -> Specification:
    choice = chooser("figure", [row["figure"] for row in panel.spectra])
    x = {
        "field": "frequency_hz",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {"title": "frequency (Hz)", "format": "~g", "tickCount": 8},
    }
    y = log_axis("power", "power over that of chance")
    at = {**x, "field": "at_hz"}
    marks = {
        "data": {"values": [{n: rounded(v) for n, v in row.items()} for row in panel.periods]},
        "transform": choice.transform,
        "layer": [
            {"mark": {"type": "rule", "style": "reference"}, "encoding": {"x": at}},
            {
                "mark": {"type": "text", "align": "left", "angle": 270, "dx": 4, "dy": -5},
                "encoding": {
                    "x": at,
                    "y": {"value": 278},
                    "text": {"field": "label", "type": "nominal"},
                    "tooltip": [
                        *tooltip(
                            period_ms="period (ms)", duration_us="takes (µs)",
                            lost_percent="of the time (%)",
                        ),
                        {"field": "source", "title": "comes from", "type": "nominal"},
                    ],
                },
            },
        ],
    }  # fmt: skip
    return chart(
        panel.spectra,
        *("figure", "frequency_hz", "power"),
        params=choice.params,
        layer=[
            *([marks] if panel.periods else []),
            {
                "transform": [
                    *choice.transform,
                    {"flatten": ["frequency_hz", "power"]},
                    {"filter": "datum.power > 0.1"},
                ],
                "mark": {"type": "line", "strokeWidth": 1},
                "encoding": {
                    "x": x,
                    "y": y,
                    "tooltip": tooltip(frequency_hz="frequency (Hz)", power="power"),
                },
            },
        ],
    )


PLOT = Plot(
    name="spectrum",
    order=66,
    title="How often detours come",
    shows=(
        "Power of the begins of detours by frequency, both axes logarithmic, over what detours at "
        "random would have: the strongest of each narrow band, as the mean over ranks and "
        "launches. Dashed lines stand at the periods that were found; a period also shows at "
        "multiples of its frequency. Where there are several figures, one can be chosen."
    ),
    applies=lambda panel: any(row["power"] for row in panel.spectra),
    specification=_specification,
)
