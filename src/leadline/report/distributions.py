"""Distributions of samples, thinned for a page without losing their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from leadline.analyse.summary import excluding_bits, repetitions
from leadline.model.run import Run, variant
from leadline.model.samples import SampleSource
from leadline.model.summary import PointSummary
from leadline.report.panels import Panel, Row, place_row

if TYPE_CHECKING:
    from leadline.analyse.statistics import Array

# What keeps a page of many benchmarks near a megabyte.
TOTAL_RANKS = 6000
SIZES_A_CURVE = 6


def with_samples(
    run: Run, points: Sequence[PointSummary], drawn: Sequence[Panel], source: SampleSource
) -> tuple[Panel, ...]:
    """Return the panels with the distributions of up to `SIZES_A_CURVE` sizes of each curve.

    All distributions of a page share `TOTAL_RANKS` samples drawn.
    """
    chosen = [_chosen(panel) for panel in drawn]
    share = TOTAL_RANKS // max(1, sum(map(len, chosen)))
    ranks_each = min(200, max(16, share))
    return tuple(
        msgspec.structs.replace(
            panel,
            samples=tuple(
                _row(
                    run,
                    panel.points[position]["curve"],
                    points[panel.figures[position]],
                    source,
                    ranks_each,
                )
                for position in positions
            ),
        )
        for panel, positions in zip(drawn, chosen, strict=True)
    )


def spread_out(count: int, wanted: int) -> list[int]:
    """Return at most `wanted` of the indices below `count`, evenly, the first and last kept.

    >>> spread_out(10, 4)
    [0, 3, 6, 9]
    """
    if count <= wanted:
        return list(range(count))
    return [round(step * (count - 1) / (wanted - 1)) for step in range(wanted)]


def thinned_ranks(count: int, wanted: int) -> list[int]:
    """Return at most `wanted` ranks of `count` sorted samples, the smallest and largest kept.

    Half of them are spread evenly, the other half grow denser towards the slowest samples:
    a tail is made of few samples, and an even choice would not show it.
    """
    import numpy as np

    if count <= wanted:
        return list(range(count))
    even = np.linspace(0, count - 1, (wanted + 1) // 2)
    tail = count - np.geomspace(1, count, wanted // 2)
    return [int(rank) for rank in np.unique(np.rint(np.concatenate([even, tail])))]


def repetition_times(run: Run, summary: PointSummary, source: SampleSource) -> Array:
    """Return the times in seconds of the repetitions that a figure is made of, unsorted.

    Empty where the run does not know the figure's point or series.
    """
    import numpy as np

    point = _point_index(run, summary)
    if point is None:
        return np.empty(0)
    excluding = excluding_bits(run.flags)
    found = repetitions(source.columns(point), excluding)
    own = found.get(_series_index(run, summary))
    return np.empty(0) if own is None else own.seconds[own.usable]


def _point_index(run: Run, summary: PointSummary) -> int | None:
    def key(axes: dict[str, int | float | str], settings: dict[str, int | float | str]) -> str:
        return f"{axes.get('bytes')},{variant(axes, settings)}"

    wanted = key(summary.axes, summary.conditions)
    for point in run.points:
        where = (point.placement.nodes, point.placement.processes_per_node)
        if (
            (point.benchmark, point.mpi) == (summary.benchmark, summary.mpi)
            and where == (summary.nodes, summary.processes_per_node)
            and key(point.axes, point.conditions) == wanted
        ):
            return point.index
    return None


def _series_index(run: Run, summary: PointSummary) -> int:
    """Return the index that the samples of the figure carry, -1 where the run does not say."""
    names = [
        series.name
        for benchmark in run.benchmarks
        if benchmark.name == summary.benchmark
        for series in benchmark.series
    ]
    return names.index(summary.series) if summary.series in names else -1


def _chosen(panel: Panel) -> list[int]:
    """Return the positions in the panel's points whose distributions are drawn."""
    positions = []
    for curve in panel.curves:
        own = [index for index, row in enumerate(panel.points) if row["curve"] == curve]
        own.sort(key=lambda index: panel.points[index]["bytes"] or 0)
        positions += [own[index] for index in spread_out(len(own), SIZES_A_CURVE)]
    return positions


def _row(run: Run, curve: str, summary: PointSummary, source: SampleSource, wanted: int) -> Row:
    times = repetition_times(run, summary, source)
    times.sort()
    ranks = thinned_ranks(len(times), wanted)
    return {
        **place_row(curve, summary),
        "median_us": summary.median_s * 1e6,
        "samples": len(times),
        "drawn": len(ranks),
        "time_us": (times[ranks] * 1e6).tolist(),
        "share": [(rank + 0.5) / len(times) for rank in ranks],
    }
