"""How much longer programs take on more ranks for the noise of their processors."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import (
    Plot,
    Specification,
    chart,
    chooser,
    colour,
    log_axis,
    shape,
    tooltip,
)


def _specification(panel: Panel) -> Specification:
    choice = chooser("figure", list(dict.fromkeys(row["figure"] for row in panel.costs)))
    phases = list(dict.fromkeys(row["phase"] for row in panel.costs))
    x = {
        "field": "tasks",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"title": "ranks", "values": [2, *(10**n for n in range(1, 7))], "format": "~s"},
    }
    y = log_axis("slowdown", "times as long as without noise")
    hue = colour(phases, "phase")
    known = {"filter": "datum.reach != 'beyond'"}
    words = tooltip(
        tasks="ranks", slowdown="times as long", low="95 % from", high="95 % to",
        together="if all were hit at once",
    )  # fmt: skip
    words = [
        {"field": "phase", "title": "compute for", "type": "nominal"},
        *words,
        {"field": "reach", "title": "rests on", "type": "nominal"},
    ]
    return chart(
        panel.costs,
        *("figure", "phase", "tasks", "slowdown", "low", "high", "together", "reach"),
        params=choice.params,
        transform=choice.transform,
        layer=[
            {
                "transform": [known],
                "mark": {"type": "area", "opacity": 0.18},
                "encoding": {
                    "x": x, "color": hue, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                },
            },
            {
                "transform": [known],
                "mark": {"type": "line", "strokeWidth": 1.75},
                "encoding": {"x": x, "y": y, "color": hue},
            },
            {
                "transform": [{"filter": "datum.reach == 'samples'"}],
                "mark": {"type": "point", "filled": True, "size": 46, "opacity": 1},
                "encoding": {
                    "x": x, "y": y, "color": hue, "shape": shape(phases, "phase"), "tooltip": words,
                },
            },
            {
                "transform": [{"filter": "datum.reach == 'tail'"}],
                "mark": {"type": "point", "filled": False, "size": 46, "opacity": 1},
                "encoding": {
                    "x": x, "y": y, "color": hue, "shape": shape(phases, "phase"), "tooltip": words,
                },
            },
        ],
    )  # fmt: skip


PLOT = Plot(
    name="noise_cost",
    order=67,
    title="What noise costs on more ranks",
    shows=(
        "How many times as long phases of computation take whose ranks then wait for the slowest, "
        "against the number of ranks, both axes logarithmic, with 95 % bands: for phases of "
        "several lengths, and ranks that are hit independently. Filled symbols rest on as many "
        "phases as were seen, hollow ones on a tail that is fitted to them; curves end where "
        "neither says anything. Where there are several figures, one can be chosen."
    ),
    applies=lambda panel: bool(panel.costs),
    specification=_specification,
)
