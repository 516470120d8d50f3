"""The jitter of calls over tasks that work side by side: how much, why, and on more tasks.

Per call the maximum and the average over tasks, then both averaged over calls (J. Hague, "Switch
Jitter", ECMWF, 2008). A program in step runs at the maximum.
He draws both against the number of nodes, once for each way to run, such as an eager limit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.jitter.causes import CAUSES, Causes, Noise, attribute
from leadline.analysis.stats import launches as over_launches
from leadline.analysis.stats.calls import Calls
from leadline.analysis.stats.extremes import maximum_if_independent, mean_interval, predict_maximum
from leadline.analysis.stats.statistics import Interval, Mask, Matrix
from leadline.model.plan import Point
from leadline.model.run import Run, variant
from leadline.model.summary import Jitter, PassedDelay, PointSummary, PredictedMaximum, RankJitter

# Fewer calls say nothing of a tail.
_FEWEST_CALLS = 50
# What tasks have in common counts where it moves the mean maximum by this part of it.
_DEPENDENT = 0.05
_FACTORS = tuple(2**power for power in range(1, 11))
_MOST_RANKS, _MOST_PASSED = 16, 8


class Attributed(NamedTuple):
    """One series of a point in one launch: times in seconds, shape (calls, ranks), and causes."""

    ranks: tuple[int, ...]
    seconds: Matrix
    span: Matrix  # from the first begin to the last end of each call
    causes: Causes


def jitter_of_point(
    run: Run,
    point: Point,
    figures: Sequence[PointSummary],
    launches: Mapping[int, Sequence[Attributed]],
) -> Iterator[Jitter]:
    """Yield the jitter of those `figures` of a point that enough calls on several ranks made.

    `launches` are those of `attributed`. A `Jitter` names its figure by the index in `figures`.
    """
    for index, figure in enumerate(figures):
        parts = launches.get(figure.series_index, ())
        if sum(len(part.seconds) for part in parts) >= _FEWEST_CALLS:
            yield _jitter(index, figure, parts, is_steady(run, point))


def batched_points(run: Run) -> set[int]:
    """Return the points of which no launch timed single calls: they have no jitter."""
    results = [result for launch in run.launches for result in launch.points]
    single = {result.point for result in results if result.batch == 1}
    return {result.point for result in results} - single


def attributed(
    run: Run, point: Point, launches: Iterable[Calls], noise: Noise | None
) -> dict[int, list[Attributed]]:
    """Return the launches of each series, by its index, with the causes of their outliers.

    `noise` is what delays ranks of the same MPI and placement that only compute.
    """
    waits, errors = _neighbours(run, point), _clock_errors(run)
    found: dict[int, list[Attributed]] = defaultdict(list)
    for calls in launches:
        causes = attribute(
            calls,
            run.flags,
            None if only_works(run, point) else waits.get(calls.launch, ()),
            noise,
            errors.get(calls.launch, 0.0),
        )
        for index in np.unique(calls.series[calls.usable]).tolist():
            rows = calls.usable & (calls.series == index)
            found[index].append(_of_series(calls, causes, rows))
    return found


def _of_series(calls: Calls, causes: Causes, rows: Mask) -> Attributed:
    seconds, begin = calls.seconds[rows], calls.begin[rows]
    return Attributed(
        ranks=tuple(calls.ranks.tolist()),
        seconds=seconds,
        span=(begin + seconds).max(axis=1) - begin.min(axis=1),
        causes=causes.of(rows),
    )


def _jitter(index: int, figure: PointSummary, parts: Sequence[Attributed], steady: bool) -> Jitter:
    average = float(np.mean([part.seconds.mean() for part in parts]))
    maxima = [part.seconds.max(axis=1) for part in parts]
    maximum = float(np.mean([values.mean() for values in maxima]))
    ratio = _ratio_interval(parts, maxima, maximum / average)
    span = np.concatenate([part.span for part in parts])
    moved = (figure.bandwidth_MBps or 0.0) * 1e6 * figure.median_s
    alone = float(np.mean([maximum_if_independent(part.seconds) for part in parts]))
    independent = abs(alone - maximum) <= _DEPENDENT * maximum
    outliers = sum(int(part.causes.outlier.sum()) for part in parts)
    shares = _Shares(parts)
    return Jitter(
        point=index,
        tasks=len(parts[0].ranks),
        calls=sum(len(part.seconds) for part in parts),
        average_s=average,
        maximum_s=maximum,
        maximum_over_average=maximum / average,
        ci95_low=ratio.low,
        ci95_high=ratio.high,
        single_s=float(np.median(np.concatenate([part.seconds.ravel() for part in parts]))),
        all_tasks_s=float(span.mean()) if np.isfinite(span).all() else None,
        average_GBps=moved / average / 1e9 if moved else None,
        maximum_GBps=moved / maximum / 1e9 if moved else None,
        outliers=outliers,
        excess_fraction=shares.total / sum(float(part.seconds.sum()) for part in parts),
        causes=shares.causes(),
        passed_on_fraction=shares.passed_on(),
        longest_chain=max(int(part.causes.hops.max(initial=0)) for part in parts),
        ranks=shares.ranks(),
        passed=shares.passed(),
        independent_maximum_s=alone,
        independent=independent,
        predictions=_predictions(parts, maxima, independent) if steady else (),
    )


def _ratio_interval(
    parts: Sequence[Attributed], maxima: Sequence[Matrix], ratio: float
) -> Interval:
    """Return the 95 % interval of MAX over AVG, which is never below 1: over launches, or blocks
    of calls of one.
    """
    averages = [float(part.seconds.mean()) for part in parts]
    if len(parts) > 1:
        each = [np.array([m.mean() / a]) for m, a in zip(maxima, averages, strict=True)]
        # The longest of so many times is at most their sum.
        possible = Interval(1.0, float(len(parts[0].ranks)))
        found = over_launches.estimate(each).interval or possible
        low, high = found.hull(Interval(ratio, ratio))
    else:
        low, high = (end / averages[0] for end in mean_interval(maxima)[0])
    return Interval(max(low, 1.0), high)


def _predictions(
    parts: Sequence[Attributed], maxima: Sequence[Matrix], independent: bool
) -> tuple[PredictedMaximum, ...]:
    """Return the maximum on more tasks: of single tasks where these are independent, otherwise of
    groups of as many tasks as were measured, which keep what they have in common.
    """
    tasks = len(parts[0].ranks)
    if independent:
        found = predict_maximum([part.seconds for part in parts], [tasks * f for f in _FACTORS])
    else:
        found = predict_maximum([values[:, None] for values in maxima], _FACTORS)
    return tuple(
        PredictedMaximum(
            tasks=tasks * factor, maximum_s=each.value, ci95_low_s=each.low, ci95_high_s=each.high
        )
        for factor, each in zip(_FACTORS, found, strict=True)
    )


class _Shares:
    """The excess time of all outliers: who suffered it, who caused it, and why."""

    def __init__(self, parts: Sequence[Attributed]) -> None:
        ranks = np.array(parts[0].ranks)
        seconds, suffered, caused, why = [], [], [], []
        for part in parts:
            call, rank = np.nonzero(part.causes.outlier)
            seconds.append(part.causes.excess[call, rank])
            suffered.append(ranks[rank])
            caused.append(ranks[part.causes.root[call, rank]])
            why.append(part.causes.cause[call, rank])
        self._seconds = np.concatenate(seconds)
        self._suffered, self._caused = np.concatenate(suffered), np.concatenate(caused)
        self._why = np.concatenate(why)
        self.total = float(self._seconds.sum())

    def causes(self) -> dict[str, float]:
        """Return the fraction of each cause, the largest first."""
        return self._by_cause(self._seconds > 0)

    def passed_on(self) -> float:
        """Return the fraction that was suffered on another rank than it began on."""
        return self._fraction(self._suffered != self._caused)

    def ranks(self) -> tuple[RankJitter, ...]:
        """Return the ranks that caused most, then those that suffered most."""
        every = [
            RankJitter(
                rank=rank,
                suffered_fraction=self._fraction(self._suffered == rank),
                caused_fraction=self._fraction(self._caused == rank),
                causes=self._by_cause(self._caused == rank),
            )
            for rank in np.union1d(self._suffered, self._caused).tolist()
        ]
        every.sort(key=lambda one: (-one.caused_fraction, -one.suffered_fraction, one.rank))
        return tuple(every[:_MOST_RANKS])

    def passed(self) -> tuple[PassedDelay, ...]:
        """Return what ranks lost by waiting for others, the largest part first."""
        away = self._suffered != self._caused
        triples = np.stack([self._suffered, self._caused, self._why])[:, away]
        found, place = np.unique(triples, axis=1, return_inverse=True)
        lost = np.bincount(place.ravel(), weights=self._seconds[away], minlength=found.shape[1])
        order = np.argsort(-lost, kind="stable")[:_MOST_PASSED]
        return tuple(
            PassedDelay(
                rank=int(found[0, one]),
                from_rank=int(found[1, one]),
                cause=CAUSES[int(found[2, one])],
                fraction=float(lost[one]) / self.total,
            )
            for one in order.tolist()
        )

    def _by_cause(self, chosen: Mask) -> dict[str, float]:
        parts = {name: self._fraction(chosen & (self._why == i)) for i, name in enumerate(CAUSES)}
        return {name: part for name, part in sorted(parts.items(), key=lambda p: -p[1]) if part}

    def _fraction(self, chosen: Mask) -> float:
        return float(self._seconds[chosen].sum()) / self.total if self.total else 0.0


def only_works(run: Run, point: Point) -> bool:
    """Tell whether ranks compute in the point and nothing else: what delays them is the machine."""
    return any(each.name == point.benchmark and each.only_works for each in run.benchmarks)


def _neighbours(run: Run, point: Point) -> dict[int, tuple[tuple[int, ...], ...]]:
    return {
        launch.launch: result.neighbours
        for launch in run.launches
        for result in launch.points
        if result.point == point.index
    }


def is_steady(run: Run, point: Point) -> bool:
    """Tell whether what a task does in a call stays the same when there are more tasks."""
    return only_works(run, point) or any(_neighbours(run, point).values())


def _clock_errors(run: Run) -> dict[int, float]:
    return {
        launch.launch: launch.clock.sync_error_s
        for launch in run.launches
        if launch.clock is not None and not launch.clock.shared
    }


class NodeCurve(NamedTuple):
    """Calls that differ in the number of nodes alone, ascending: their figures and their jitter."""

    figures: tuple[PointSummary, ...]
    jitter: tuple[Jitter, ...]


def node_curves(points: Sequence[PointSummary], jitter: Sequence[Jitter]) -> tuple[NodeCurve, ...]:
    """Return the curves of at least two numbers of nodes, of tasks that wait for known others.

    `jitter` names its figures by their indices in `points`.
    """
    found: dict[object, dict[int, Jitter]] = defaultdict(dict)
    for one in jitter:
        if one.predictions:
            point = points[one.point]
            choices = variant(point.axes, point.conditions)
            place = (point.mpi, point.processes_per_node)
            key = (point.benchmark, point.series, point.bytes, choices, *place)
            found[key].setdefault(point.nodes, one)
    curves = [[one for _, one in sorted(by_nodes.items())] for by_nodes in found.values()]
    return tuple(
        NodeCurve(tuple(points[one.point] for one in curve), tuple(curve))
        for curve in curves
        if len(curve) > 1
    )
