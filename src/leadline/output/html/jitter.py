"""Calls over tasks, thinned for a page without losing the slowest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from leadline.analysis.jitter.causes import CAUSES
from leadline.analysis.jitter.jitter import Attributed, attributed, machine_noise
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, Jitter, PointSummary
from leadline.output.html.panels import Panel, Row, place_row

if TYPE_CHECKING:
    from leadline.analysis.stats.calls import Numbers

# What keeps a page near a megabyte: figures of a panel, calls of a figure, cells of a map.
_FIGURES = 2
_CALLS = 200
_RANKS, _BLOCKS = 24, 40

# The cause of a call in which no task was an outlier.
NO_OUTLIER = "no outlier"


def with_jitter(
    run: Run, analysis: Analysis, drawn: Sequence[Panel], source: SampleSource
) -> tuple[Panel, ...]:
    """Return the panels with the calls of those figures whose maximum is furthest above average.

    Only figures with predictions: their tasks wait for named neighbours, or for nobody.
    """
    jitter = {each.point: each for each in analysis.jitter if each.predictions}
    if not jitter:
        return tuple(drawn)
    noise = machine_noise(run, source)
    points = {point.index: point for point in run.points}
    panels = []
    for panel in drawn:
        rows: list[tuple[Row, Row]] = []
        names = figure_names(panel, analysis.points)
        chosen = [index for index in panel.figures if index in jitter]
        chosen.sort(key=lambda index: -jitter[index].maximum_over_average)
        for index in chosen[:_FIGURES]:
            figure = analysis.points[index]
            if figure.point is None:
                continue
            launches = attributed(run, points[figure.point], source, noise)
            rows.append(_calls_and_map(names[index], launches[figure.series]))
        panels.append(
            msgspec.structs.replace(
                panel,
                calls=tuple(calls for calls, _ in rows),
                map=tuple(one for _, one in rows),
                tasks=tuple(_tasks(analysis, jitter, names, chosen[:_FIGURES])),
            )
        )
    return tuple(panels)


def figure_names(panel: Panel, points: Sequence[PointSummary]) -> dict[int, str]:
    """Return the text that tells a figure from the others of its panel."""
    found = {}
    for index, row in zip(panel.figures, panel.points, strict=True):
        size = place_row("", points[index])["size"]
        found[index] = ", ".join(filter(None, (row["curve"], size)))
    return found


def _calls_and_map(name: str, launches: Sequence[Attributed]) -> tuple[Row, Row]:
    import numpy as np

    seconds = np.concatenate([part.seconds for part in launches])
    slowest = seconds.argmax(axis=1)
    every = np.arange(len(seconds))
    cause = np.concatenate([part.causes.cause for part in launches])[every, slowest]
    typical = np.concatenate(
        [np.broadcast_to(np.median(part.seconds, axis=0), part.seconds.shape) for part in launches]
    )
    return _calls(name, seconds, slowest, cause, launches[0].ranks), _map(
        name, seconds / typical, launches[0].ranks
    )


def _calls(
    name: str, seconds: Numbers, slowest: Numbers, cause: Numbers, ranks: Sequence[int]
) -> Row:
    """Return a row of lists: of each stretch of calls the slowest one, and the average."""
    import numpy as np

    maximum = seconds.max(axis=1)
    stretches = np.array_split(np.arange(len(seconds)), min(_CALLS, len(seconds)))
    shown = [int(stretch[maximum[stretch].argmax()]) for stretch in stretches]
    return {
        "figure": name,
        "of_calls": len(seconds),
        "call": shown,
        "maximum_us": short(maximum[shown] * 1e6),
        "average_us": short([seconds[stretch].mean() * 1e6 for stretch in stretches]),
        "rank": [ranks[int(slowest[call])] for call in shown],
        "cause": [CAUSES[cause[call]] if cause[call] >= 0 else NO_OUTLIER for call in shown],
    }


def _map(name: str, relative: Numbers, ranks: Sequence[int]) -> Row:
    """Return a row of lists: the longest time over its rank's median, of ranks and calls."""
    import numpy as np

    blocks = np.array_split(np.arange(len(relative)), min(_BLOCKS, len(relative)))
    shared = np.array_split(np.arange(len(ranks)), min(_RANKS, len(ranks)))
    cells = [
        (ranks[int(some[0])], int(block[0]), relative[block][:, some].max())
        for some in shared
        for block in blocks
    ]
    rank, call, value = zip(*cells, strict=True)
    return {"figure": name, "rank": list(rank), "call": list(call), "relative": short(value)}


def _tasks(
    analysis: Analysis, jitter: dict[int, Jitter], names: dict[int, str], chosen: Sequence[int]
) -> list[Row]:
    """Return MAX and AVG by number of tasks: measured on all placements, and predicted."""
    rows = []
    for index in chosen:
        alike = [one for one in jitter.values() if _alike(analysis.points, index, one.point)]
        for one in sorted(alike, key=lambda each: each.tasks):
            rows.append(
                {
                    "figure": names[index], "kind": "measured", "tasks": one.tasks,
                    "maximum_us": one.maximum_s * 1e6, "average_us": one.average_s * 1e6,
                    "low_us": None, "high_us": None,
                }
            )  # fmt: skip
        for each in jitter[index].predictions:
            rows.append(
                {
                    "figure": names[index], "kind": "predicted", "tasks": each.tasks,
                    "maximum_us": each.maximum_s * 1e6, "average_us": None,
                    "low_us": each.ci95_low_s * 1e6, "high_us": each.ci95_high_s * 1e6,
                }
            )  # fmt: skip
    return rows


def _alike(points: Sequence[PointSummary], first: int, second: int) -> bool:
    """Tell whether two figures differ in their placement alone."""
    one, other = points[first], points[second]
    return (one.benchmark, one.series, one.axes, one.conditions, one.mpi) == (
        other.benchmark, other.series, other.axes, other.conditions, other.mpi,
    )  # fmt: skip


def short(values: Sequence[float] | Numbers) -> list[float]:
    """Return values with three significant digits: more only weighs."""
    return [float(f"{value:.3g}") for value in values]
