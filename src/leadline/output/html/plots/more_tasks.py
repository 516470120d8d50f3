"""MAX and AVG against the number of tasks, measured and predicted."""

from leadline.model.summary import PointSummary
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.calls import jitter_of_figures, slowest_figures
from leadline.output.html.report_data import ReportData

_NOTHING = {"average_us": None, "low_us": None, "high_us": None}


def _data(panel: Panel, data: ReportData) -> list[Row]:
    """Return MAX and AVG by number of tasks: measured on all placements, and predicted."""
    jitter, points = data.once(jitter_of_figures), data.analysis.points
    names = panel.names()
    rows: list[Row] = []
    for index in slowest_figures(panel, data):
        own = {"figure": names[index], **_NOTHING}
        alike = [one for one in jitter.values() if _alike(points[index], points[one.point])]
        for one in sorted(alike, key=lambda each: each.tasks):
            maximum, average = one.maximum_s * 1e6, one.average_s * 1e6
            rows.append(
                {**own, "kind": "measured", "tasks": one.tasks, "maximum_us": maximum,
                 "average_us": average}
            )  # fmt: skip
        for each in jitter[index].predictions:
            maximum, low, high = (
                seconds * 1e6 for seconds in (each.maximum_s, each.ci95_low_s, each.ci95_high_s)
            )
            rows.append(
                {**own, "kind": "predicted", "tasks": each.tasks, "maximum_us": maximum,
                 "low_us": low, "high_us": high}
            )  # fmt: skip
    return rows


def _alike(one: PointSummary, other: PointSummary) -> bool:
    """Tell whether two figures differ in their placement alone."""
    return (one.benchmark, one.series, one.axes, one.conditions, one.mpi) == (
        other.benchmark, other.series, other.axes, other.conditions, other.mpi,
    )  # fmt: skip


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = list(dict.fromkeys(row["figure"] for row in rows))
    counts = {"type": "log", "base": 2, "nice": False, "padding": 12}
    own = {
        "x": vl.axis("tasks", "tasks", counts, format="d"),
        "y": vl.log_axis("maximum_us", "time (µs)"),
        "color": vl.colour(names, "figure"),
    }
    predicted = "datum.kind == 'predicted'"
    words = vl.tooltip(
        tasks="tasks", maximum_us="MAX predicted (µs)", low_us="95 % from (µs)",
        high_us="95 % to (µs)",
    )  # fmt: skip
    return vl.chart(
        rows,
        *("figure", "kind", "tasks", "maximum_us", "average_us", "low_us", "high_us"),
        layer=[
            vl.spread("area", own, "low_us", "high_us", predicted, opacity=0.2),
            vl.layer("line", {**own, "tooltip": words}, predicted, strokeDash=[5, 4], point=True),
            _plot_measured(own, "maximum_us", "MAX measured (µs)", filled=True),
            _plot_measured(own, "average_us", "AVG measured (µs)", filled=False),
        ],
    )


def _plot_measured(own: vl.Specification, field: str, title: str, filled: bool) -> vl.Specification:
    words = vl.tooltip(**{"tasks": "tasks", field: title})
    drawn = {**own, "y": {**own["y"], "field": field}, "tooltip": words}
    return vl.layer("line", drawn, "datum.kind == 'measured'", point={"filled": filled, "size": 60})


PLOT = Plot(
    name="more_tasks",
    order=64,
    title="Slowest and average task against the number of tasks",
    steadiness=True,
    shows=(
        "Mean over calls of the slowest task's time (filled) and of the average over tasks "
        "(hollow), as measured on the run's placements, and what the slowest would take on more "
        "tasks (dashed, with its 95 % band), if each had the same work and disturbances."
    ),
    data=_data,
    draw=_draw,
)
