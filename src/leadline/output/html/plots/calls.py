"""MAX and AVG over the tasks, call by call."""

from leadline.analysis.jitter.causes import CAUSES
from leadline.output.html.jitter import NO_OUTLIER
from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, chooser, log_axis, tooltip

_COLUMNS = ("figure", "of_calls", "call", "maximum_us", "average_us", "rank", "cause")


def _specification(panel: Panel) -> Specification:
    met = {cause for row in panel.calls for cause in row["cause"]}
    causes = [cause for cause in (NO_OUTLIER, *CAUSES) if cause in met]
    choice = chooser("figure", [row["figure"] for row in panel.calls])
    x = {
        "field": "call",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False},
        "axis": {"title": "call, all launches in a row", "format": "d"},
    }
    y = log_axis("maximum_us", "time (µs)")
    by_cause = {"field": "cause", "type": "nominal", "scale": {"domain": causes}}
    return chart(
        panel.calls,
        *_COLUMNS,
        params=choice.params,
        transform=[
            *choice.transform,
            {"flatten": ["call", "maximum_us", "average_us", "rank", "cause"]},
            {"filter": "datum.maximum_us > 0 && datum.average_us > 0"},
        ],
        layer=[
            {
                "mark": {"type": "line", "strokeWidth": 1.5},
                "encoding": {"x": x, "y": {**y, "field": "average_us"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.85},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": {**by_cause, "legend": {"title": None, "orient": "top"}},
                    "shape": {**by_cause, "legend": {"title": None, "orient": "top"}},
                    "tooltip": [
                        *tooltip(call="call", maximum_us="MAX (µs)", average_us="AVG (µs)"),
                        {"field": "rank", "title": "slowest rank", "type": "nominal"},
                        {"field": "cause", "title": "goes back to", "type": "nominal"},
                    ],
                },
            },
        ],
    )


PLOT = Plot(
    name="calls",
    order=60,
    title="Slowest and average task, call by call",
    shows=(
        "Time of the slowest task of a call (symbol), by what it goes back to, and the average "
        "over tasks (line), in microseconds on a logarithmic axis. Of many calls the slowest of "
        "each stretch is drawn, and the average of the stretch; the two figures of the panel "
        "whose slowest tasks are furthest above average can be chosen."
    ),
    applies=lambda panel: bool(panel.calls),
    specification=_specification,
)
