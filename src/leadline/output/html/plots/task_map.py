"""Which task was slow when."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, chooser, tooltip


def _specification(panel: Panel) -> Specification:
    ranks = max(len(set(row["rank"])) for row in panel.map)
    choice = chooser("figure", [row["figure"] for row in panel.map])
    return chart(
        panel.map,
        *("figure", "rank", "call", "relative"),
        height=max(60, 16 * ranks),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "call", "relative"]}],
        mark={"type": "rect"},
        encoding={
            "x": {
                "field": "call",
                "type": "ordinal",
                "axis": {
                    "title": "from call, all launches in a row",
                    "labelOverlap": "greedy",
                    "labelAngle": 0,
                    "grid": False,
                },
            },
            "y": {
                "field": "rank",
                "type": "ordinal",
                "axis": {"title": "rank", "labelOverlap": "greedy", "grid": False},
            },
            "color": {
                "field": "relative",
                "type": "quantitative",
                "scale": {"type": "log", "scheme": "viridis"},
                "legend": {"title": "over its median", "orient": "top", "format": "~g"},
            },
            "tooltip": [
                {"field": "rank", "title": "from rank", "type": "nominal"},
                *tooltip(call="from call", relative="longest over the rank's median"),
            ],
        },
    )


PLOT = Plot(
    name="task_map",
    order=62,
    title="Which task was slow when",
    shows=(
        "For each rank (or a few neighbouring ones) and stretch of calls, the longest time over "
        "the rank's median. A bright row is a slow rank, a bright column a disturbance of all, a "
        "slanted line a delay that neighbours pass on."
    ),
    applies=lambda panel: bool(panel.map),
    specification=_specification,
)
