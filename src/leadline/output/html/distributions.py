"""Samples of figures, thinned for a page without losing their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from leadline.analysis.figures.summary import Repetitions
from leadline.model.summary import PointSummary
from leadline.output.html.measured import Measured
from leadline.output.html.panels import Panel, Row, place_row

if TYPE_CHECKING:
    from leadline.analysis.stats.statistics import Array

# What keeps a page of many benchmarks near a megabyte, however many samples are behind it.
TOTAL_RANKS = 6000
TOTAL_STRIPS = 12000
SIZES_A_CURVE = 6
_STRIPS_A_PANEL = 4


def with_samples(
    points: Sequence[PointSummary], drawn: Sequence[Panel], measured: Measured
) -> tuple[Panel, ...]:
    """Return the panels with the distributions of up to `SIZES_A_CURVE` sizes of each curve.

    Those of them that scatter most are drawn in the order measured too. All distributions of a
    page share `TOTAL_RANKS` samples drawn, and all strips `TOTAL_STRIPS`.
    """
    chosen = [_chosen(panel) for panel in drawn]
    ranks = min(200, max(16, TOTAL_RANKS // max(1, sum(map(len, chosen)))))
    share = TOTAL_STRIPS // max(1, len(drawn))
    strips = min(_STRIPS_A_PANEL, max(1, share // 150))
    stretches = min(300, max(40, share // strips // 2))
    return tuple(
        _with_samples(panel, _read(panel, positions, points, measured), ranks, strips, stretches)
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
    if count <= wanted:
        return list(range(count))
    even = np.linspace(0, count - 1, (wanted + 1) // 2)
    tail = count - np.geomspace(1, count, wanted // 2)
    return [int(rank) for rank in np.unique(np.rint(np.concatenate([even, tail])))]


def thinned_series(values: Array | Sequence[float], stretches: int) -> list[int]:
    """Return the positions of the smallest and the largest value of each of so many stretches.

    >>> thinned_series([3, 1, 2, 5, 4, 6], 2)
    [0, 1, 4, 5]
    """
    every = np.asarray(values)
    if len(every) <= 2 * stretches:
        return list(range(len(every)))
    kept = set()
    for stretch in np.array_split(np.arange(len(every)), stretches):
        kept |= {int(stretch[every[stretch].argmin()]), int(stretch[every[stretch].argmax()])}
    return sorted(kept)


def _chosen(panel: Panel) -> list[int]:
    """Return the positions in the panel's points whose distributions are drawn."""
    positions = []
    for curve in panel.curves:
        own = [index for index, row in enumerate(panel.points) if row["curve"] == curve]
        own.sort(key=lambda index: panel.points[index]["bytes"] or 0)
        positions += [own[index] for index in spread_out(len(own), SIZES_A_CURVE)]
    return positions


_Sampled = tuple[Row, Repetitions]


def _read(
    panel: Panel, positions: Sequence[int], points: Sequence[PointSummary], measured: Measured
) -> list[_Sampled]:
    found = []
    for position in positions:
        figure = points[panel.figures[position]]
        own = measured.repetitions(figure)
        if own is not None and len(own.seconds):
            row = place_row(panel.points[position]["curve"], figure)
            found.append((row | {"median_us": figure.median_s * 1e6}, own))
    return found


def _with_samples(
    panel: Panel, sampled: Sequence[_Sampled], ranks: int, strips: int, stretches: int
) -> Panel:
    scattered = sorted(sampled, key=lambda each: -each[1].seconds.max() / each[0]["median_us"])
    return msgspec.structs.replace(
        panel,
        samples=tuple(_distribution(row, own, ranks) for row, own in sampled),
        strips=tuple(_strip(row, own, stretches) for row, own in scattered[:strips]),
    )


def _distribution(row: Row, own: Repetitions, wanted: int) -> Row:
    times = np.sort(own.seconds)
    ranks = thinned_ranks(len(times), wanted)
    return {
        **row,
        "samples": len(times),
        "drawn": len(ranks),
        "time_us": (times[ranks] * 1e6).tolist(),
        "share": [(rank + 0.5) / len(times) for rank in ranks],
    }


def _strip(row: Row, own: Repetitions, stretches: int) -> Row:
    kept = thinned_series(own.seconds, stretches)
    launches = {launch: number for number, launch in enumerate(dict.fromkeys(own.launch.tolist()))}
    return {
        **row,
        "figure": ", ".join(filter(None, (row["curve"], row["size"]))),
        "samples": len(own.seconds),
        "drawn": len(kept),
        "repetition": [position + 1 for position in kept],
        "launch": [launches[launch] + 1 for launch in own.launch[kept].tolist()],
        "time_us": (own.seconds[kept] * 1e6).tolist(),
    }
