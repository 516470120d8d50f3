"""Detours: stretches of calls that took longer than their surroundings.

Whatever a fixed amount of work takes longer than it can is a detour of the processor's (Sottile &
Minnich, "Analysis of Microbenchmarks for Performance Tuning of Clusters", CLUSTER 2004; Hoefler,
Schneider & Lumsdaine, "Characterizing the Influence of System Noise on Large-Scale Applications by
Simulation", SC'10).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.calls import Calls
from leadline.analysis.stats.statistics import Integers, Matrix, median_of

# A call that nothing disturbed: so many of a hundred are shorter, by chance of the clock.
_QUIET_PERCENT = 1.0
# A detour is this many standard deviations (from the median absolute deviation) above the median
# of so many calls around it, which follows a slower pace, and this time.
_DEVIATIONS, _SURROUNDINGS, _LEAST_SECONDS = 5.0, 256, 2e-7
_DEVIATION = 1.4826  # of a normal distribution, over its median absolute deviation


class Row(NamedTuple):
    """The calls of one rank in one launch, shape (calls,): when each began, and how long it took.

    Seconds; begins count from the launch's start, on one clock for all ranks.
    """

    launch: int
    rank: int
    begin: Matrix
    seconds: Matrix
    flags: Integers

    @property
    def spacing(self) -> float:
        """The typical time from one begin to the next."""
        return median_of(np.diff(self.begin))

    @property
    def observed(self) -> float:
        """The time that was spent in calls.

        A call that fills a window of time and says what it lost has more seconds than it lasted.
        """
        spaced = np.append(np.diff(self.begin), self.seconds[-1])
        return float(np.minimum(self.seconds, spaced).sum())

    @property
    def quiet(self) -> float:
        """The time of a call that nothing disturbed."""
        return float(np.percentile(self.seconds, _QUIET_PERCENT))

    @property
    def lost(self) -> float:
        """What all calls took beyond that."""
        return float(self.seconds.sum()) - len(self.seconds) * self.quiet


class Detours(NamedTuple):
    """The detours of a row, in order, shape (detours,): begin and duration in seconds, flags."""

    begin: Matrix
    duration: Matrix
    flags: Integers

    def only(self, which: Integers) -> Detours:
        """Return those with these indices."""
        return Detours(self.begin[which], self.duration[which], self.flags[which])


def rows_of(calls: Calls, series: int) -> Iterator[Row]:
    """Yield the rows of one series of a launch; those without recorded begins have none."""
    used = calls.usable & (calls.series == series)
    for column, rank in enumerate(calls.ranks.tolist()):
        begin = calls.begin[used, column]
        if len(begin) > 1 and np.isfinite(begin).all() and np.all(np.diff(begin) > 0):
            seconds, flags = calls.seconds[used, column], calls.flags[used, column]
            yield Row(calls.launch, rank, begin, seconds, flags)


def detours_of(row: Row) -> Detours:
    """Return the detours of a row. Calls in succession that are long together are one."""
    count = len(row.seconds)
    blocks = np.array_split(np.arange(count), max(1, count // _SURROUNDINGS))
    excess = row.seconds - np.concatenate(
        [np.full(len(block), median_of(row.seconds[block])) for block in blocks]
    )
    spread = _DEVIATION * median_of(np.abs(excess))
    long = excess > max(_DEVIATIONS * spread, _LEAST_SECONDS)
    first = np.flatnonzero(long & ~np.concatenate(([False], long[:-1])))
    if not len(first):
        return Detours(np.zeros(0), np.zeros(0), np.zeros(0, dtype=int))
    kept = np.where(long, excess, 0.0)
    flags = np.where(long, row.flags, 0)
    return Detours(
        row.begin[first], np.add.reduceat(kept, first), np.bitwise_or.reduceat(flags, first)
    )


def coincident(one: Detours, other: Detours, within: float, observed: float) -> float:
    """Return which part of `one` begins within so many seconds of `other`, beyond chance.

    0 is as by chance, 1 is always; `observed` is the time in seconds that both were looked for.
    """
    if not len(one.begin) or not len(other.begin):
        return 0.0
    at = np.searchsorted(other.begin, one.begin)
    before = one.begin - other.begin[np.maximum(at - 1, 0)]
    after = other.begin[np.minimum(at, len(other.begin) - 1)] - one.begin
    near = np.minimum(np.abs(before), np.abs(after)) <= within
    chance = float(-np.expm1(-2 * within * len(other.begin) / observed))
    return (float(near.mean()) - chance) / max(1 - chance, 1e-9)
