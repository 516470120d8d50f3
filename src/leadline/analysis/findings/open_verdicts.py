"""Open verdicts: pairs neither different nor the same, wide intervals, and what settles them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from leadline.analysis.findings.contest import PairRatios
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, ratio_text
from leadline.analysis.stats.comparison import Ratio, clearly_longer
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import percent
from leadline.model.comparison import Compared, Comparison
from leadline.model.run import Run
from leadline.model.summary import PointSummary


class OpenVerdict(NamedTuple):
    """A verdict that launches more would settle: on which points of the run, and in words.

    `launches` of each, about, would do, as errors of means fall with their root.
    """

    points: frozenset[int]
    text: str
    launches: int


def open_verdicts(
    evidence: Evidence, ratios: PairRatios, same_within: float, widest: float | None = None
) -> Iterator[OpenVerdict]:
    """Yield each open verdict of the run.

    A comparison is settled where two figures differ for sure, or their ratio's whole interval is
    within `same_within`. An interval is too wide where its half exceeds `widest`, a part of the
    median.
    """
    by_launches = {point.launch_medians_s: i for i, point in enumerate(evidence.points)}
    for (one, other), ratio in ratios.judged.items():
        if one in by_launches and other in by_launches and not _settled(ratio, same_within):
            both = by_launches[one], by_launches[other]
            names = (name_of(evidence, index) for index in both)
            yield OpenVerdict(
                _points(evidence, *both),
                f"{' against '.join(names)}: {ratio_text(ratio)}",
                _needed(ratio, min(len(one), len(other)), same_within),
            )
    for index, point in enumerate(evidence.points):
        if widest is None or not point.interval or point.median_s <= 0:
            continue
        half = (point.interval[1] - point.interval[0]) / 2 / point.median_s
        if half > widest:
            yield OpenVerdict(
                _points(evidence, index),
                f"{name_of(evidence, index)}: known within {percent(half)}",
                math.ceil(point.launches * (half / max(widest, 1e-6)) ** 2),
            )


def _points(evidence: Evidence, *figures: int) -> frozenset[int]:
    points = (evidence.points[index].point for index in figures)
    return frozenset(point for point in points if point is not None)


def _settled(ratio: Ratio, same_within: float) -> bool:
    if clearly_longer(ratio) or clearly_longer(ratio.inverse()):
        return True
    return ratio.interval is not None and _reach(ratio.interval) <= math.log1p(same_within)


def _reach(interval: Interval) -> float:
    return max(abs(math.log(end)) for end in interval)


def _needed(ratio: Ratio, launches: int, same_within: float) -> int:
    """Return how many launches would show the ratio to be another than 1, or within the bound."""
    assert ratio.interval is not None
    half = math.log(ratio.interval.high / ratio.interval.low) / 2
    size = abs(math.log(ratio.median))
    distance = max(size, math.log1p(same_within) - size, 1e-6)
    return max(launches + 1, math.ceil(launches * (half / distance) ** 2))


# What needs more launches is too close to be worth them.
SETTLED_WITHIN = 100
_BUDGET = "5m"


def settling_commands(comparison: Comparison, base: Run, other: Run) -> Iterator[str]:
    """Yield a command for each benchmark with a figure that some more launches would tell.

    What differs in a choice that a command takes is measured in one run, in turn, until it is sure.
    Two states of a machine or of its software cannot be: the command is for each of them.
    """
    if base.imported or other.imported:
        return
    groups: dict[tuple[object, ...], list[Compared]] = {}
    for figure in comparison.figures:
        if figure.launches_needed and figure.launches_needed <= SETTLED_WITHIN:
            key = (figure.base.benchmark, tuple(figure.base.knobs), _chosen(figure))
            groups.setdefault(key, []).append(figure)
    for (*_, chosen), figures in groups.items():
        points = [point for each in figures for point in (each.base, each.other)]
        evidence = Evidence(run=base, points=tuple(points), sweeps=())
        if chosen:
            yield command(evidence, range(len(points)), launches=3, until_sure=_BUDGET)
        else:
            needed = max(each.launches_needed or 0 for each in figures)
            yield command(evidence, range(len(points)), launches=needed)


def _chosen(figure: Compared) -> bool:
    return _choices(figure.base) != _choices(figure.other)


def _choices(point: PointSummary) -> object:
    place = (point.nodes, point.processes_per_node)
    return (point.mpi, point.axes, point.settings, point.knobs, place)
