"""What neighbours cost: the figures of a victim that is disturbed over those of it alone.

The impact factor is GPCNeT's congestion impact, the congested over the isolated figure (Chunduri et
al., "GPCNeT: Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks", SC
2019). There it is of the mean and of the 99th percentile of one long run of either; here it is of
the median and of the 99th percentile, taken launch by launch from points that are interleaved, with
an interval over launches.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from leadline.analysis.figures.summary import (
    excluding_bits,
    repetitions,
)
from leadline.analysis.stats import launches
from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.analysis.stats.statistics import (
    Array,
    effective_count,
    nearest_rank,
    quantile_interval,
    ratio_interval,
)
from leadline.model.neighbours import BESIDE, CONDITIONS, NEIGHBOUR, SPACER, disturbance, disturbed
from leadline.model.run import Run, variant
from leadline.model.samples import SampleSource
from leadline.model.summary import Impact, PointSummary

_TAIL = 0.99
# So many independent samples of each launch lie beyond a quantile that is asked of it.
_BEYOND = 2.0


def impacts(run: Run, source: SampleSource, points: Sequence[PointSummary]) -> tuple[Impact, ...]:
    """Return what each neighbour costs each figure that was measured alone too, in their order."""
    found: dict[object, dict[bool, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, point in enumerate(points):
        if {NEIGHBOUR, BESIDE} & point.conditions.keys() and point.verified:
            found[_victim(point)][disturbed(point.conditions)].append(index)
    pairs = [(alone[0], i) for both in found.values() if (alone := both[False]) for i in both[True]]
    if not pairs:
        return ()
    tails = _Tails(run, source, points)
    return tuple(
        impact for alone, other in pairs for impact in _impact(run, points, tails, alone, other)
    )


def _victim(point: PointSummary) -> object:
    """Return what a figure has in common with the same one beside other neighbours."""
    own = {name: value for name, value in point.conditions.items() if name not in CONDITIONS}
    place = (point.nodes, point.processes_per_node)
    axes = variant(point.axes, own)
    return (point.benchmark, point.series, axes, point.axes.get("bytes"), point.mpi, place)


def _impact(
    run: Run, points: Sequence[PointSummary], tails: _Tails, alone: int, other: int
) -> Iterator[Impact]:
    victim, point = points[alone], points[other]
    median = time_ratio(point, victim)
    if median is None:
        return
    tail = tails.ratio(other, alone)
    rate = _rate(run, point)
    yield Impact(
        alone=alone,
        disturbed=other,
        neighbour=disturbance(point.conditions),
        spacer=int(point.conditions.get(SPACER, 0)),
        median_ratio=median.median,
        median_low=median.interval.low if median.interval else None,
        median_high=median.interval.high if median.interval else None,
        p99_ratio=tail.median if tail else None,
        p99_low=tail.interval.low if tail and tail.interval else None,
        p99_high=tail.interval.high if tail and tail.interval else None,
        neighbour_MBps=None if rate is None else rate / 1e6,
    )


def _rate(run: Run, point: PointSummary) -> float | None:
    """Return what the neighbour moved in a second, in bytes, by its own count."""
    if (rate := point.metrics.get("neighbour_bytes_per_s")) is not None:
        return rate
    rates = [
        launch.beside.rate_MBps * 1e6
        for launch in run.launches
        if launch.beside and launch.knobs == point.knobs and launch.mpi == point.mpi
    ]
    return statistics.median(rates) if rates else None


class _Tails:
    """The 99th percentiles of figures, by launch."""

    def __init__(self, run: Run, source: SampleSource, points: Sequence[PointSummary]) -> None:
        self._run = run
        self._source = source
        self._points = points
        self._kept: dict[int, dict[int, Array]] = {}

    def ratio(self, above: int, below: int) -> Ratio | None:
        """Return the ratio of the 99th percentiles of two figures; None without samples."""
        over, under = self._launches(above), self._launches(below)
        if not over or not under:
            return None
        pooled = [
            nearest_rank(np.sort(np.concatenate(list(each.values()))), _TAIL)
            for each in (over, under)
        ]
        if min(pooled) <= 0:
            return None
        # A second job has launches of its own, which take turns with those alone.
        pairs = list(zip(over.values(), under.values(), strict=False))
        if any(_too_few(values) for pair in pairs for values in pair):
            return Ratio(pooled[0] / pooled[1], None, "too few samples beyond the percentile")
        if len(pairs) > 1:
            return Ratio(*launches.estimate([np.array([_of(a) / _of(b)]) for a, b in pairs]))
        ends = [
            quantile_interval(np.sort(values), _TAIL, effective=effective_count(values))
            for values in pairs[0]
        ]
        both = (
            ratio_interval(pooled[0], ends[0], pooled[1], ends[1]) if ends[0] and ends[1] else None
        )
        return Ratio(pooled[0] / pooled[1], both, "order statistics within one launch")

    def _launches(self, index: int) -> dict[int, Array]:
        """Return the usable times of a figure by launch."""
        if index not in self._kept:
            point = self._points[index]
            if point.point is None:
                return {}
            columns = self._source.columns(point.point)
            every = repetitions(columns, excluding_bits(self._run.flags))
            found = every[point.series_index]
            self._kept[index] = {
                launch: found.seconds[found.usable & (found.launch == launch)]
                for launch in np.unique(found.launch[found.usable]).tolist()
            }
        return self._kept[index]


def _too_few(values: Array) -> bool:
    return effective_count(values) * (1 - _TAIL) < _BEYOND


def _of(values: Array) -> float:
    return float(np.quantile(values, _TAIL, method="median_unbiased"))
