"""Plots of the slowest and the average task of calls."""

from collections.abc import Iterator

import numpy as np

from leadline.analysis.jitter.causes import CAUSES
from leadline.analysis.jitter.jitter import is_steady
from leadline.analysis.samples import PointSamples
from leadline.model.summary import Jitter
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
