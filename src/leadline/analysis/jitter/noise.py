"""The noise of a machine: what ranks that repeat a call lose to it, and how regularly.

Noise costs a program whose ranks compute, then wait for the slowest: a phase takes as long as the
longest of its ranks (Petrini, Kerbyson & Pakin, "The Case of the Missing Supercomputer
Performance", SC'03). Phases are sums of calls in succession, so that what is alike among neighbours
stays so; of shorter ones each call is several, one of which has its excess.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leadline.analysis.jitter.detours import Detours, Row, coincident, detours_of, rows_of
from leadline.analysis.jitter.jitter import only_works
from leadline.analysis.jitter.periods import (
    FALSE_ALARM,
    LONGEST_PART,
    SHORTEST_SLOTS,
    Train,
    trains,
)
from leadline.analysis.stats import launches as over_launches
from leadline.analysis.stats.calls import arrange
from leadline.analysis.stats.extremes import mean_interval, predict_maximum
from leadline.analysis.stats.statistics import Interval, Matrix, nearest_rank
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise
from leadline.model.plan import Point
from leadline.model.run import Run
from leadline.model.samples import excluding_bits
from leadline.model.summary import PointSummary

if TYPE_CHECKING:
    from leadline.model.samples import Columns

Source = Literal["timer tick", "timer ticks", "hypervisor tick", "daemon"]

# Calls that follow each other at once, as many as the benchmark asks for; fewer say nothing.
_AT_ONCE, _ASKED_FOR, _FEWEST_CALLS = "back_to_back", "repetitions", 200
# Ranks that are shown, and in which periods are looked for: those that lost most.
_MOST_RANKS, _MOST_LAUNCHES = 16, 6
# Detours of ranks are hit together where this part of them is, beyond chance.
_TOGETHER = 0.5
# The rates that kernels are built with, how near a period is to that of a tick, and to as many.
_RATES_HZ, _NEAR, _MOST_TICKS = (100.0, 250.0, 300.0, 1000.0), 0.005, 16
# What programs sleep for, in seconds, and what they need to wake up and work besides.
_SLEEPS_S = (0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 15.0, 30.0, 60.0)
_WORK = 0.02


class Heard(NamedTuple):
    """The calls of one figure, a row for each rank of each launch, and their detours."""

    rows: tuple[Row, ...]
    detours: tuple[Detours, ...]

    def of_launch(self) -> Iterator[list[int]]:
        """Yield the indices of the rows of each launch."""
        for _, group in itertools.groupby(range(len(self.rows)), lambda i: self.rows[i].launch):
            yield list(group)


def noise_of_point(
    run: Run, point: Point, figures: Sequence[PointSummary], heard: Mapping[int, Heard]
) -> Iterator[Noise]:
    """Yield the noise of those `figures` of a point whose calls came one after the other.

    `heard` is what `listen` returns. A `Noise` names its figure by the index in `figures`.
    """
    for index, figure in enumerate(figures):
        if figure.series_index in heard:
            yield _noise(run, index, heard[figure.series_index], only_works(run, point))


def listen(run: Run, point: Point, columns: Columns) -> dict[int, Heard]:
    """Return the calls of each series of the point, by its index, of which enough came in a row."""
    if not _in_a_row(run, point):
        return {}
    calls = list(arrange(columns, excluding_bits(run.flags), fewest_ranks=1))
    found = {}
    for index in sorted({index for each in calls for index in each.series.tolist()}):
        rows = tuple(row for each in calls for row in rows_of(each, index))
        if rows and min(len(row.seconds) for row in rows) >= _FEWEST_CALLS:
            found[index] = Heard(rows, tuple(detours_of(row) for row in rows))
    return found


def median_spacing(heard: Heard) -> float:
    """Return the median time in seconds from call to call."""
    return float(np.median([row.spacing for row in heard.rows]))


def _in_a_row(run: Run, point: Point) -> bool:
    results = [r for launch in run.launches for r in launch.points if r.point == point.index]
    return bool(results) and all(
        r.batch == 1 and r.start == _AT_ONCE and r.stopped_by == _ASKED_FOR for r in results
    )


def _noise(run: Run, index: int, heard: Heard, works: bool) -> Noise:
    rows = heard.rows
    observed = sum(row.observed for row in rows)
    lost = sum(row.lost for row in rows) / observed
    low, high = _interval(heard, lost)
    spacing = median_spacing(heard)
    longest = max(float(row.begin[-1] - row.begin[0]) for row in rows)
    every = sorted(_of_ranks(heard), key=lambda one: (-one.lost_fraction, one.rank))
    chosen = _choose_rows(heard, {one.rank for one in every[:_MOST_RANKS]})
    periods = [
        _period(run, chosen, train)
        for train in trains(chosen.detours, [_span(row) for row in chosen.rows], spacing)
    ]
    return Noise(
        point=index,
        observed_s=observed,
        quantum_s=float(np.median([row.quiet for row in rows])),
        lost_fraction=lost,
        ci95_low=low,
        ci95_high=high,
        detours_fraction=sum(float(each.duration.sum()) for each in heard.detours) / observed,
        detours_per_s=sum(len(each.begin) for each in heard.detours) / observed,
        together_fraction=_together(chosen, chosen.detours, spacing),
        shortest_period_s=SHORTEST_SLOTS * spacing,
        longest_period_s=longest * LONGEST_PART,
        false_alarm_fraction=FALSE_ALARM,
        ranks=tuple(every[:_MOST_RANKS]),
        periods=tuple(sorted(periods, key=lambda one: -one.lost_fraction)),
        costs=_costs(heard) if works else (),
    )


def _span(row: Row) -> float:
    return float(row.begin[-1] - row.begin[0])


def _interval(heard: Heard, lost: float) -> Interval:
    """Return the 95 % interval of the share lost: over launches, or blocks of calls of one."""
    fractions, by_call = [], []
    for group in heard.of_launch():
        rows = [heard.rows[i] for i in group]
        observed = sum(row.observed for row in rows)
        fractions.append(np.array([sum(row.lost for row in rows) / observed]))
        excess = np.sum([row.seconds - row.quiet for row in rows], axis=0)
        by_call.append(excess * len(excess) / observed)
    if len(fractions) > 1:
        found = over_launches.estimate(fractions).interval or Interval(0.0, 1.0)
        low, high = found.hull(Interval(lost, lost))
    else:
        low, high = mean_interval(by_call)[0]
    return Interval(max(0.0, low), high)


def _of_ranks(heard: Heard) -> Iterator[RankNoise]:
    for rank in sorted({row.rank for row in heard.rows}):
        rows = [i for i, row in enumerate(heard.rows) if row.rank == rank]
        observed = sum(heard.rows[i].observed for i in rows)
        durations = np.sort(np.concatenate([heard.detours[i].duration for i in rows]))
        some = len(durations) > 0
        yield RankNoise(
            rank=rank,
            quantum_s=float(np.median([heard.rows[i].quiet for i in rows])),
            lost_fraction=sum(heard.rows[i].lost for i in rows) / observed,
            detours_fraction=float(durations.sum()) / observed,
            detours_per_s=len(durations) / observed,
            detour_median_s=nearest_rank(durations, 0.5) if some else None,
            detour_p99_s=nearest_rank(durations, 0.99) if some else None,
            detour_max_s=float(durations[-1]) if some else None,
        )


def _choose_rows(heard: Heard, ranks: set[int]) -> Heard:
    launches = sorted({row.launch for row in heard.rows})[:_MOST_LAUNCHES]
    rows = [i for i, row in enumerate(heard.rows) if row.rank in ranks and row.launch in launches]
    return Heard(tuple(heard.rows[i] for i in rows), tuple(heard.detours[i] for i in rows))


def _period(run: Run, heard: Heard, train: Train) -> Period:
    members = [d.only(m) for d, m in zip(heard.detours, train.members, strict=True)]
    rows = [i for i, there in enumerate(train.present) if there]
    observed = sum(heard.rows[i].observed for i in rows)
    duration = np.concatenate([members[i].duration for i in rows])
    flags = np.concatenate([members[i].flags for i in rows])
    bit = 1 << run.flags.index("preempted") if "preempted" in run.flags else 0
    present = Heard(tuple(heard.rows[i] for i in rows), tuple(members[i] for i in rows))
    together = _together(present, present.detours, train.tolerance)
    source, rate = source_of(train.period, 1.96 * train.error, run.machine)
    return Period(
        period_s=train.period,
        ci95_low_s=train.period - 1.96 * train.error,
        ci95_high_s=train.period + 1.96 * train.error,
        duration_s=float(np.median(duration)),
        detours_per_period=len(duration) * train.period / sum(_span(heard.rows[i]) for i in rows),
        lost_fraction=float(duration.sum()) / observed,
        preempted_fraction=float(((flags & bit) != 0).mean()),
        ranks=tuple(sorted({heard.rows[i].rank for i in rows})),
        together=None if together is None else together > _TOGETHER,
        source=source,
        rate_hz=rate,
    )


def _together(heard: Heard, detours: Sequence[Detours], within: float) -> float | None:
    """Return which part of detours hit another rank too, beyond chance; None for single ranks."""
    found = [
        coincident(detours[one], detours[other], within, _span(heard.rows[other]))
        for group in heard.of_launch()
        for one, other in zip(group, [*group[1:], group[0]], strict=True)
        if one != other
    ]
    return sum(found) / len(found) if found else None


def source_of(
    period_s: float, margin_s: float, machine: Mapping[str, Any]
) -> tuple[Source | None, float | None]:
    """Return what is known to have such a period, and the rate of its tick in Hz.

    `machine` holds the facts of a run: `timer_hz` where the kernel tells it, and `hypervisor`.

    >>> source_of(0.004, 1e-6, {"timer_hz": 250})
    ('timer tick', 250.0)
    >>> source_of(1.004, 1e-3, {})
    ('daemon', None)
    """
    known = machine.get("timer_hz")
    rates = (float(known),) if known else _RATES_HZ
    for rate in rates:
        if abs(period_s * rate - 1) <= _NEAR:
            return "timer tick", rate
    for rate in rates if known else ():
        ticks = round(period_s * rate)
        close = abs(period_s * rate - ticks) <= _NEAR * ticks and margin_s * rate < 0.25
        if 1 < ticks <= _MOST_TICKS and close:
            return "timer ticks", rate
    if machine.get("hypervisor"):
        for rate in _RATES_HZ:
            if abs(period_s * rate - 1) <= _NEAR:
                return "hypervisor tick", rate
    sleeps = any(0 <= period_s / sleep - 1 + _NEAR <= _WORK + _NEAR for sleep in _SLEEPS_S)
    return ("daemon", None) if sleeps else (None, None)


def _costs(heard: Heard) -> tuple[NoiseCost, ...]:
    excess: list[Matrix] = []
    for group in heard.of_launch():
        rows = [heard.rows[i] for i in group]
        excess.append(np.stack([np.maximum(row.seconds - row.quiet, 0) for row in rows], axis=1))
    return tuple(costs(excess, float(np.median([row.quiet for row in heard.rows]))))


PHASES_S = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
TASKS = (2, 10, 100, 1000, 10_000, 100_000, 1_000_000)
# A call is cut into so many phases at most, and so many phases of a launch say something.
_MOST_PARTS, _FEWEST_PHASES = 32, 20
# A fitted tail says something of so many times as many tasks as phases were seen.
_BEYOND_SAMPLES = 10


def costs(excess: Sequence[Matrix], quiet_s: float) -> Iterator[NoiseCost]:
    """Yield what phases of each length cost on each number of tasks, as far as can be said.

    Each of `excess` holds what the calls of a launch, shape (calls, ranks), took beyond `quiet_s`
    seconds, in the order made.
    """
    for phase_s in PHASES_S:
        phases = [_phases(each, quiet_s, phase_s) for each in excess]
        if any(len(each) < _FEWEST_PHASES for each in phases):
            continue
        seen = sum(each.size for each in phases)
        most = _BEYOND_SAMPLES * seen
        together = sum(float(each.sum()) for each in phases) / seen / phase_s
        found = predict_maximum(phases, [min(tasks, most) for tasks in TASKS])
        for tasks, maximum in zip(TASKS, found, strict=True):
            yield NoiseCost(
                phase_s=phase_s,
                tasks=tasks,
                slowdown=(maximum.low if tasks > most else maximum.value) / phase_s,
                ci95_low=maximum.low / phase_s,
                ci95_high=None if tasks > most else maximum.high / phase_s,
                together_slowdown=together,
                reach="samples" if tasks <= seen else "tail" if tasks <= most else "beyond",
            )


def _phases(excess: Matrix, quiet_s: float, phase_s: float) -> Matrix:
    """Return the times of phases, shape (phases, ranks); none where calls are far too long."""
    calls, ranks = excess.shape
    together = max(1, round(phase_s / quiet_s))
    parts = max(1, round(quiet_s / phase_s))
    if parts > _MOST_PARTS:
        return np.zeros((0, ranks))
    whole = excess[: calls // together * together].reshape(-1, together, ranks).sum(axis=1)
    # What is left of rounding to whole calls.
    found = np.full((len(whole) * parts, ranks), phase_s)
    found[::parts] += whole * (phase_s * parts / (together * quiet_s))
    return found
