"""The impact of neighbours that were made to disturb a run.

The impact factor is that of a disturbed victim over it alone. It is GPCNeT's congestion impact, the
congested over the isolated figure (Chunduri et al., "GPCNeT: Designing a Benchmark Suite for
Inducing and Measuring Contention in HPC Networks", SC 2019). There it is of the mean and of the
99th percentile of one long run of either; here it is of the median and of the 99th percentile,
taken launch by launch from points that are interleaved, with an interval over launches.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.results.summary import Repetitions
from leadline.analysis.stats.comparison import Ratio, over_launches, time_ratio
from leadline.analysis.stats.statistics import (
    Interval,
    effective_count,
    nearest_rank,
    quantile_interval,
    ratio_interval,
)
from leadline.model.interference import (
    BESIDE,
    CONDITIONS,
    NEIGHBOUR,
    SPACER,
    disturbance,
    disturbed,
)
from leadline.model.plan import Value
from leadline.model.run import Run, variant
from leadline.model.summary import Impact, PointSummary

_TAIL = 0.99
# So many independent samples of each launch lie beyond a quantile that is asked of it.
_BEYOND = 2.0


class Tail(NamedTuple):
    """The 99th percentile of a figure in seconds.

    `launches_s` is that of each launch, None where too few samples lie beyond it, and `first` the
    interval of the first launch's.
    """

    seconds: float
    launches_s: tuple[float | None, ...]
    first: Interval | None


def has_neighbours(conditions: Mapping[str, Value]) -> bool:
    """Tell whether something was measured beside others, or alone to be held against that."""
    return bool({NEIGHBOUR, BESIDE} & conditions.keys())


def impacts(
    run: Run, points: Sequence[PointSummary], tails: Mapping[int, Tail]
) -> tuple[Impact, ...]:
    """Return what each neighbour costs each figure that was measured alone too, in their order.

    `tails` are those of the figures for which `has_neighbours`, by their index.
    """
    found: dict[object, dict[bool, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, point in enumerate(points):
        if has_neighbours(point.conditions) and point.verified:
            found[_victim(point)][disturbed(point.conditions)].append(index)
    pairs = [(alone[0], i) for both in found.values() if (alone := both[False]) for i in both[True]]
    return tuple(
        impact for alone, other in pairs for impact in _impact(run, points, tails, alone, other)
    )


def _victim(point: PointSummary) -> object:
    conditions = {name: value for name, value in point.conditions.items() if name not in CONDITIONS}
    place = (point.nodes, point.processes_per_node)
    axes = variant(point.axes, conditions)
    return (point.benchmark, point.series, axes, point.axes.get("bytes"), point.mpi, place)


def _impact(
    run: Run, points: Sequence[PointSummary], tails: Mapping[int, Tail], alone: int, other: int
) -> Iterator[Impact]:
    victim, point = points[alone], points[other]
    median = time_ratio(point, victim)
    if median is None:
        return
    tail = _tail_ratio(tails.get(other), tails.get(alone))
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
        launch.background.rate_MBps * 1e6
        for launch in run.launches
        if launch.background and launch.knobs == point.knobs and launch.mpi == point.mpi
    ]
    return statistics.median(rates) if rates else None


def tail_of(found: Repetitions) -> Tail:
    """Return the 99th percentile of a figure: over all of its times, and of each launch."""
    by_launch = [
        found.seconds[found.usable & (found.launch == launch)]
        for launch in np.unique(found.launch[found.usable]).tolist()
    ]
    first = by_launch[0]
    return Tail(
        seconds=nearest_rank(np.sort(np.concatenate(by_launch)), _TAIL),
        launches_s=tuple(
            None
            if effective_count(values) * (1 - _TAIL) < _BEYOND
            else float(np.quantile(values, _TAIL, method="median_unbiased"))
            for values in by_launch
        ),
        first=quantile_interval(np.sort(first), _TAIL, effective=effective_count(first)),
    )


def _tail_ratio(over: Tail | None, under: Tail | None) -> Ratio | None:
    """Return the ratio of the 99th percentiles of two figures; None without samples."""
    if over is None or under is None or min(over.seconds, under.seconds) <= 0:
        return None
    pooled = over.seconds / under.seconds
    # A second job has launches of its own, which take turns with those alone.
    pairs = list(zip(over.launches_s, under.launches_s, strict=False))
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(known) < len(pairs):
        return Ratio(pooled, None, "too few samples beyond the percentile")
    if len(known) > 1:
        return over_launches([a / b for a, b in known])
    both = (
        ratio_interval(over.seconds, over.first, under.seconds, under.first)
        if over.first and under.first
        else None
    )
    return Ratio(pooled, both, "order statistics within one launch")
