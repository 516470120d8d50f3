"""Plots of the slowest and the average task of calls."""

from collections.abc import Iterator

import numpy as np

from leadline.analysis.jitter.causes import CAUSES
from leadline.analysis.jitter.jitter import is_steady
from leadline.analysis.samples import PointSamples
from leadline.model.summary import Jitter, PointSummary
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData, short

# What keeps a page near a megabyte: figures of a panel, calls of a figure.
_FIGURES = 2
_CALLS = 200

_LISTS = ("call", "maximum_us", "average_us", "rank", "cause")

# The cause of a call in which no task was an outlier.
NO_OUTLIER = "no outlier"


def jitter_of_figures(data: ReportData) -> dict[int, Jitter]:
    """Return the jitter of figures with predictions: their tasks wait for named neighbours only."""
    return {each.point: each for each in data.analysis.jitter if each.predictions}


def slowest_figures(panel: Panel, data: ReportData) -> list[int]:
    """Return the figures of a panel whose maximum over the tasks is furthest above the average."""
    jitter = data.once(jitter_of_figures)
    chosen = [index for index in panel.figures if index in jitter]
    return sorted(chosen, key=lambda index: -jitter[index].maximum_over_average)[:_FIGURES]


def kept_rows(plot: str, panel: Panel, data: ReportData) -> list[Row]:
    """Return what a plot has kept of the slowest figures of a panel, with their names."""
    names = panel.names()
    return [
        {"figure": names[index], **kept}
        for index in slowest_figures(panel, data)
        if (kept := data.kept.of(plot, data.analysis.points[index]))
    ]


def _slowest_calls(samples: PointSamples) -> Iterator[tuple[int, Row]]:
    """Yield a row of lists: of each stretch of calls the slowest one, and the average."""
    if not is_steady(samples.run, samples.point):
        return
    for index, launches in samples.attributed.items():
        seconds = np.concatenate([part.seconds for part in launches])
        cause = np.concatenate([part.causes.cause for part in launches])
        ranks, slowest, maximum = launches[0].ranks, seconds.argmax(axis=1), seconds.max(axis=1)
        stretches = np.array_split(np.arange(len(seconds)), min(_CALLS, len(seconds)))
        shown = [int(stretch[maximum[stretch].argmax()]) for stretch in stretches]
        causes = [int(cause[call, slowest[call]]) for call in shown]
        yield (
            index,
            {
                "of_calls": len(seconds),
                "call": shown,
                "maximum_us": short(maximum[shown] * 1e6),
                "average_us": short([seconds[stretch].mean() * 1e6 for stretch in stretches]),
                "rank": [ranks[int(slowest[call])] for call in shown],
                "cause": [CAUSES[each] if each >= 0 else NO_OUTLIER for each in causes],
            },
        )


def _draw_calls(panel: Panel, rows: list[Row]) -> vl.Specification:
    met = {cause for row in rows for cause in row["cause"]}
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    cause = {
        "field": "cause",
        "type": "nominal",
        "scale": {"domain": [cause for cause in (NO_OUTLIER, *CAUSES) if cause in met]},
        "legend": {"title": None, "orient": "top"},
    }
    across = {"nice": False, "zero": False}
    x = vl.axis("call", "call, all launches in a row", across, format="d")
    y = vl.log_axis("maximum_us", "time (µs)")
    words = vl.tooltip(
        call="call", maximum_us="MAX (µs)", average_us="AVG (µs)", rank="slowest rank",
        cause="goes back to",
    )  # fmt: skip
    slowest = {"x": x, "y": y, "color": cause, "shape": cause, "tooltip": words}
    return vl.chart(
        rows,
        *("figure", "of_calls", *_LISTS),
        params=choice.params,
        transform=[
            *choice.transform,
            {"flatten": list(_LISTS)},
            {"filter": "datum.maximum_us > 0 && datum.average_us > 0"},
        ],
        layer=[
            vl.layer("line", {"x": x, "y": {**y, "field": "average_us"}}, strokeWidth=1.5),
            vl.layer("point", slowest, filled=True, size=34, opacity=0.85),
        ],
    )


CALLS = Plot(
    name="calls",
    title="Slowest and average task, call by call",
    steadiness=True,
    shows=(
        "Time of the slowest task of a call (symbol), by what it goes back to, and the average "
        "over tasks (line), in microseconds on a logarithmic axis. Of many calls the slowest of "
        "each stretch is drawn, and the average of the stretch; the two figures of the panel "
        "whose slowest tasks are furthest above average can be chosen."
    ),
    data=lambda panel, data: kept_rows("calls", panel, data),
    draw=_draw_calls,
    keep=lambda run, whole_page: _slowest_calls,
)


_NOTHING = {"average_us": None, "low_us": None, "high_us": None}


def _more_tasks_data(panel: Panel, data: ReportData) -> list[Row]:
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
    return (one.benchmark, one.series, one.axes, one.conditions, one.mpi) == (
        other.benchmark, other.series, other.axes, other.conditions, other.mpi,
    )  # fmt: skip


def _draw_more_tasks(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = list(dict.fromkeys(row["figure"] for row in rows))
    counts = {"type": "log", "base": 2, "nice": False, "padding": 12}
    encoding = {
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
            vl.spread("area", encoding, "low_us", "high_us", predicted, opacity=0.2),
            vl.layer(
                "line", {**encoding, "tooltip": words}, predicted, strokeDash=[5, 4], point=True
            ),
            _plot_measured(encoding, "maximum_us", "MAX measured (µs)", filled=True),
            _plot_measured(encoding, "average_us", "AVG measured (µs)", filled=False),
        ],
    )


def _plot_measured(
    encoding: vl.Specification, field: str, title: str, filled: bool
) -> vl.Specification:
    words = vl.tooltip(**{"tasks": "tasks", field: title})
    drawn = {**encoding, "y": {**encoding["y"], "field": field}, "tooltip": words}
    return vl.layer("line", drawn, "datum.kind == 'measured'", point={"filled": filled, "size": 60})


MORE_TASKS = Plot(
    name="more_tasks",
    title="Slowest and average task against the number of tasks",
    steadiness=True,
    shows=(
        "Mean over calls of the slowest task's time (filled) and of the average over tasks "
        "(hollow), as measured on the run's placements, and what the slowest would take on more "
        "tasks (dashed, with its 95 % band), if each had the same work and disturbances."
    ),
    data=_more_tasks_data,
    draw=_draw_more_tasks,
)
