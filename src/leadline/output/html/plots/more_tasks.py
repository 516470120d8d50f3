"""MAX and AVG against the number of tasks, measured and predicted."""

from leadline.output.html.panels import Panel
from leadline.output.html.plot import Plot, Specification, chart, colour, log_axis, tooltip


def _specification(panel: Panel) -> Specification:
    names = list(dict.fromkeys(row["figure"] for row in panel.tasks))
    x = {
        "field": "tasks",
        "type": "quantitative",
        "scale": {"type": "log", "base": 2, "nice": False, "padding": 12},
        "axis": {"title": "tasks", "format": "d"},
    }
    y = log_axis("maximum_us", "time (µs)")
    own = {"x": x, "color": colour(names, "figure")}
    predicted = {"filter": "datum.kind == 'predicted'"}
    return chart(
        panel.tasks,
        *("figure", "kind", "tasks", "maximum_us", "average_us", "low_us", "high_us"),
        layer=[
            {
                "transform": [predicted],
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {**own, "y": {**y, "field": "low_us"}, "y2": {"field": "high_us"}},
            },
            {
                "transform": [predicted],
                "mark": {"type": "line", "strokeDash": [5, 4], "point": True},
                "encoding": {
                    **own,
                    "y": y,
                    "tooltip": tooltip(
                        tasks="tasks", maximum_us="MAX predicted (µs)", low_us="95 % from (µs)",
                        high_us="95 % to (µs)",
                    ),
                },
            },
            _measured(own, {**y, "field": "maximum_us"}, "MAX measured (µs)", filled=True),
            _measured(own, {**y, "field": "average_us"}, "AVG measured (µs)", filled=False),
        ],
    )  # fmt: skip


def _measured(own: Specification, y: Specification, title: str, filled: bool) -> Specification:
    return {
        "transform": [{"filter": "datum.kind == 'measured'"}],
        "mark": {"type": "line", "point": {"filled": filled, "size": 60}},
        "encoding": {**own, "y": y, "tooltip": tooltip(**{"tasks": "tasks", y["field"]: title})},
    }


PLOT = Plot(
    name="more_tasks",
    order=64,
    title="Slowest and average task against the number of tasks",
    shows=(
        "Mean over calls of the slowest task's time (filled) and of the average over tasks "
        "(hollow), as measured on the run's placements, and what the slowest would take on more "
        "tasks (dashed, with its 95 % band), if each had the same work and disturbances."
    ),
    applies=lambda panel: bool(panel.tasks),
    specification=_specification,
)
