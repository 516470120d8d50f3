"""The summary of a run: one result for each series of each point, from the raw samples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.analysis.results.rates import with_bounds
from leadline.analysis.results.shape import shape_of
from leadline.analysis.results.states import States, all_readings, readings_by_point, usual_state
from leadline.analysis.stats import launches as over_launches
from leadline.analysis.stats.statistics import Array, effective_count, median_of, nearest_rank
from leadline.core.errors import UserError
from leadline.model.description import Series
from leadline.model.plan import Point
from leadline.model.run import Launch, PointResult, Run
from leadline.model.samples import SampleSource, excluding_bits
from leadline.model.summary import LaunchReadings, PointSummary, StateFigure
from leadline.topology.rank_order.order import find_misplaced

if TYPE_CHECKING:
    from leadline.model.samples import Columns


class Repetitions(NamedTuple):
    """One series of a point, a row for each repetition of each launch, in the order measured.

    `seconds` is the largest time over the ranks, `flags` the union of their bits; `usable` is
    false where any rank of any series of the repetition carries a flag that excludes it.
    All of shape (repetitions,).
    """

    launch: np.ndarray[Any, np.dtype[np.int64]]
    seconds: Array
    flags: np.ndarray[Any, np.dtype[np.int64]]
    usable: np.ndarray[Any, np.dtype[np.bool_]]


def summarise(run: Run, source: SampleSource) -> tuple[PointSummary, ...]:
    """Return the figures of each series of each point of `run`, in the order of `run.points`.

    Those of an import are as imported. Points without a usable sample are left out. Memory holds
    the samples of one point.
    Raises `UserError` where a point's benchmark is not among `run.benchmarks`.
    """
    if run.imported:
        return run.imported.figures
    facts = LaunchFacts(run)
    excluding = excluding_bits(run.flags)
    return with_bounds(
        tuple(
            figure
            for point in run.points
            for figure in summarise_point(
                run, point, repetitions(source.columns(point.index), excluding), facts
            )
        ),
        run.benchmarks,
    )


class LaunchFacts:
    """What launches say of points beside samples, looked up once for all figures of a run.

    `misplaced` are the launches whose ranks ran elsewhere than the order asked for. `results` and
    `readings` are by point, and by the launch's number.
    """

    def __init__(self, run: Run) -> None:
        self.misplaced = frozenset(each.launch for each in run.launches if find_misplaced(each))
        self.states = States(all_readings(launch) for launch in run.launches)
        self.results: dict[int, dict[int, PointResult]] = defaultdict(dict)
        self.readings: dict[int, dict[int, LaunchReadings]] = defaultdict(dict)
        for launch in run.launches:
            for result in launch.points:
                self.results[result.point][launch.launch] = result
            if launch.readings:
                for point, around in readings_by_point(launch).items():
                    self.readings[point][launch.launch] = around


def repetitions(columns: Columns, excluding: int) -> dict[int, Repetitions]:
    """Return the repetitions of each series index in the samples of one point.

    `columns` are those of `SampleSource.columns`. A collective ends when its last rank does, so
    a repetition takes the largest time over its ranks. `excluding` is the set of flag bits that
    take the whole repetition, every series of it, out of the statistics.
    """
    seconds = np.asarray(columns["seconds"], dtype=np.float64)
    if not len(seconds):
        return {}
    series = np.asarray(columns["series"], dtype=np.int64)
    launch = np.asarray(columns["launch"], dtype=np.int64)
    flags = np.asarray(columns["flags"], dtype=np.int64)
    repetition = np.asarray(columns["repetition"], dtype=np.int64)
    key = launch * (int(repetition.max()) + 1) + repetition
    bad = np.unique(key[((flags & excluding) != 0) | ~np.isfinite(seconds)])
    found = {}
    for index in np.unique(series).tolist():
        rows = np.flatnonzero(series == index)
        # Stable: rows of one rank are in order already, and sorted stretches merge fast.
        rows = rows[np.argsort(key[rows], kind="stable")]
        ordered = key[rows]
        first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        found[index] = Repetitions(
            launch=launch[rows[first]],
            seconds=np.maximum.reduceat(seconds[rows], first),
            flags=np.bitwise_or.reduceat(flags[rows], first),
            usable=~np.isin(ordered[first], bad),
        )
    return found


def summarise_point(
    run: Run, point: Point, every: Mapping[int, Repetitions], facts: LaunchFacts
) -> Iterator[PointSummary]:
    """Yield the figure of each series of a point; its repetitions are by the series' index."""
    names = _series_of(run, point)
    for index, found in every.items():
        if found.usable.any() and index < len(names):
            yield _figure(run, point, index, names[index].name, found, facts)


def _series_of(run: Run, point: Point) -> Sequence[Series]:
    for benchmark in run.benchmarks:
        if benchmark.name == point.benchmark:
            return benchmark.series
    raise UserError(
        f"run {run.run} has samples of {point.benchmark!r} but no description of it: "
        "its run.json is not whole; measure again"
    )


def _figure(
    run: Run, point: Point, index: int, series: str, found: Repetitions, facts: LaunchFacts
) -> PointSummary:
    launches = set(found.launch[found.usable].tolist())
    reported = facts.results[point.index]
    results = list(reported.values())
    around = facts.readings[point.index]
    met = _Met(
        facts.states,
        [around.get(number, LaunchReadings()) for number in sorted(launches)],
    )
    times = _times(found, _resolution(run.launches, results), met)
    if run.is_exact:
        times |= dict.fromkeys(("ci95_low_s", "ci95_high_s"), times["median_s"])
        times["ci95_method"] = "simulated: exact"
    return PointSummary(
        benchmark=point.benchmark,
        series=series,
        axes=point.axes,
        settings=point.settings,
        knobs=point.knobs,
        bytes=_bytes(point, results),
        processes=point.placement.processes,
        nodes=point.placement.nodes,
        processes_per_node=point.placement.processes_per_node,
        mpi=point.mpi,
        verified=launches <= reported.keys() and all(result.verified for result in results),
        stopped_by=_commonest([result.stopped_by for result in results]),
        oversubscribed=any(one.oversubscribed for one in run.launches if one.launch in launches),
        simulated=run.platform is not None,
        starts=tuple(sorted({result.start for result in results if result.start})),
        flags=_flag_counts(run.flags, found),
        metrics=_metrics(results, series),
        misplaced=bool(launches & facts.misplaced),
        failed_trials=tuple(dict.fromkeys(name for r in results for name in r.failed_trials)),
        point=point.index,
        series_index=index,
        **times,
        **_rates(results, times["median_s"]),
    )


class _Met(NamedTuple):
    """What is known of the machine's states, and the readings around a point in each launch."""

    states: States
    readings: Sequence[LaunchReadings]

    @property
    def by_launch(self) -> Sequence[int | None]:
        """The state that each launch met; none where all met one."""
        met = [self.states.of(each) for each in self.readings] if self.states.are_several else []
        return met if len(set(met)) > 1 else []


def _times(found: Repetitions, resolution_s: float, met: _Met) -> dict[str, Any]:
    kept, launch = found.seconds[found.usable], found.launch[found.usable]
    numbers, first = np.unique(launch, return_index=True)
    by_launch = np.split(kept, np.sort(first)[1:])
    worth = [effective_count(values) for values in by_launch]
    states = _of_states(by_launch, numbers.tolist(), met)
    used = [n for n, one in enumerate(numbers.tolist()) if not states or one in states[0].launches]
    estimate = over_launches.estimate([by_launch[n] for n in used], [worth[n] for n in used])
    ordered = np.sort(kept)
    shape = shape_of(by_launch, numbers.tolist(), ordered, sum(worth), resolution_s)
    return {
        "launches": len(by_launch),
        "samples": len(kept),
        "excluded": len(found.seconds) - len(kept),
        "median_s": estimate.median,
        "ci95_low_s": estimate.interval and estimate.interval.low,
        "ci95_high_s": estimate.interval and estimate.interval.high,
        "ci95_method": estimate.method,
        "p90_s": nearest_rank(ordered, 0.90) if shape.p90_low_s is not None else None,
        "p99_s": nearest_rank(ordered, 0.99) if shape.p99_low_s is not None else None,
        "max_s": float(ordered[-1]),
        "min_s": float(ordered[0]),
        "mean_s": float(kept.mean()),
        "launch_medians_s": tuple(median_of(values) for values in by_launch),
        "within_launch_precision": _precision(by_launch, worth),
        "shape": shape,
        "readings": tuple(met.readings) if any(each.round_trips_s for each in met.readings) else (),
        "states": states,
    }


def _of_states(
    by_launch: Sequence[Array], numbers: Sequence[int], met: _Met
) -> tuple[StateFigure, ...]:
    """Return the figure in each state that its launches met, first the state that it is of."""
    usual = usual_state(met.by_launch)
    if usual is None:
        return ()
    members: dict[int | None, list[int]] = {usual: []}
    for position, state in enumerate(met.by_launch):
        members.setdefault(state, []).append(position)
    return tuple(
        StateFigure(
            state=state,
            times=None if state is None else met.states.times(state),
            launches=tuple(numbers[position] for position in positions),
            median_s=median_of([median_of(by_launch[position]) for position in positions]),
        )
        for state, positions in members.items()
    )


def _rates(results: Sequence[PointResult], median_s: float) -> dict[str, Any]:
    """Return what one operation moves, sends and computes in a second, where it is known."""

    def rate(name: str, unit: float = 1.0) -> float | None:
        amount = next((value for one in results if (value := getattr(one, name))), 0.0)
        return amount / median_s / unit if amount > 0 and median_s > 0 else None

    return {
        "bandwidth_MBps": rate("moved_bytes", 1e6),
        "message_rate_per_s": rate("messages"),
        "flops_per_s": rate("flops"),
    }


def _precision(launches: Sequence[Array], worth: Sequence[float]) -> float | None:
    """Return half the width of a typical launch's interval over its median, or None."""
    found = []
    for values, count in zip(launches, worth, strict=True):
        interval = over_launches.within_launch_interval(values, count)
        median = median_of(values)
        if interval and median > 0:
            found.append((interval.high - interval.low) / 2 / median)
    return median_of(found) if found else None


def _resolution(launches: Sequence[Launch], results: Sequence[PointResult]) -> float:
    """Return the step in seconds that a clock leaves in the time of one operation."""
    steps = [launch.clock.resolution_s for launch in launches if launch.clock]
    operations = min((result.operations for result in results), default=1)
    return max(steps, default=0.0) / operations


def _bytes(point: Point, results: Sequence[PointResult]) -> int | None:
    reported = next((result.bytes for result in results if result.bytes is not None), None)
    requested = point.axes.get("bytes")
    return reported if reported is not None else requested if isinstance(requested, int) else None


def _commonest(words: Sequence[str]) -> str:
    return Counter(words).most_common(1)[0][0] if words else ""


def _flag_counts(names: Sequence[str], found: Repetitions) -> dict[str, int]:
    counts = {name: int(((found.flags >> bit) & 1).sum()) for bit, name in enumerate(names)}
    return {name: count for name, count in counts.items() if count}


def _metrics(results: Sequence[PointResult], series: str) -> dict[str, float]:
    """Return the medians over launches; what a benchmark calls `SERIES.NAME` is of one series."""
    found = {}
    for name in dict.fromkeys(name for result in results for name in result.metrics):
        of, _, metric = name.rpartition(".")
        if of in ("", series):
            values = [result.metrics[name] for result in results if name in result.metrics]
            found[metric] = median_of(values)
    return found
