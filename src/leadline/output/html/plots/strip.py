"""Samples in the order in which they were measured."""

from leadline.output.html.panels import MAXIMUM_CURVES, Panel
from leadline.output.html.plot import Plot, Specification, chart, chooser, log_axis, tooltip


def _specification(panel: Panel) -> Specification:
    choice = chooser("figure", [row["figure"] for row in panel.strips])
    x = {
        "field": "repetition",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False, "padding": 6},
        "axis": {"title": "repetition, all launches in a row", "format": "d"},
    }
    y = log_axis("time_us", "time (µs)")
    return chart(
        panel.strips,
        *("figure", "samples", "drawn", "median_us", "repetition", "launch", "time_us"),
        params=choice.params,
        transform=[
            *choice.transform,
            {"flatten": ["repetition", "launch", "time_us"]},
            {"filter": "datum.time_us > 0"},
            {"calculate": f"datum.launch % {MAXIMUM_CURVES}", "as": "hue"},
        ],
        layer=[
            {
                "mark": {"type": "rule", "style": "reference"},
                "encoding": {"y": {"aggregate": "min", **y, "field": "median_us"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.75},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": {
                        "field": "hue",
                        "type": "nominal",
                        "scale": {"domain": [*range(1, MAXIMUM_CURVES), 0]},
                        "legend": None,
                    },
                    "tooltip": tooltip(
                        repetition="repetition", launch="launch", time_us="time (µs)",
                        samples="samples in all", drawn="of them drawn",
                    ),
                },
            },
        ],
    )  # fmt: skip


PLOT = Plot(
    name="strip",
    order=42,
    title="Samples in the order measured",
    shows=(
        "Every repetition in the order measured, launch after launch (colours change with the "
        "launch), in microseconds on a logarithmic axis; the dashed line is the figure's median. "
        "Of many, the fastest and the slowest of each stretch are drawn, so that no extreme is "
        "lost. The figures of the panel that scatter most can be chosen."
    ),
    applies=lambda panel: bool(panel.strips),
    specification=_specification,
)
