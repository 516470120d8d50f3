"""The causes of outliers: why a call took far longer than is typical, and where that began.

What the kernel counted on the rank itself explains a delay first; otherwise it is followed through
the ranks that it passed through (`leadline.analysis.jitter.chains`) to the one that it began on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.jitter.chains import (
    EXPLAINS,
    UNEXPLAINED,
    Delays,
    parents,
    roots_of,
    waited_for,
)
from leadline.analysis.stats.calls import Calls
from leadline.analysis.stats.statistics import Integers, Mask, Matrix

# In the order of evidence; `late_neighbour` is a rank that was late by itself, for no cause that
# the kernel counts, `network` what is left.
CAUSES = (
    "preempted",
    "hypervisor",
    "page_faults",
    "migrated",
    "late_neighbour",
    "machine_noise",
    "network",
)
_PREEMPTED, _HYPERVISOR, _PAGE_FAULTS, _MIGRATED, _LATE, _NOISE, _NETWORK = range(len(CAUSES))

# An outlier is this many standard deviations (from the median absolute deviation) above the
# median of its rank, and at least this part of it, and this time, which a clock can tell apart.
OUTLIER_DEVIATIONS = 5.0
OUTLIER_FRACTION = 0.25
OUTLIER_SECONDS = 1e-7
_DEVIATION = 1.4826  # of a normal distribution, over its median absolute deviation

# Fewer delays than these tell nothing of a rank.
_FEWEST_DELAYS = 10
# The most that one page fault costs, and one migration, whose caches are filled anew.
_FAULT_SECONDS = 1e-5
_MIGRATION_SECONDS = 1e-3


class Noise(NamedTuple):
    """What delays a rank that only computes: excess seconds, ascending, seen in `observed` s."""

    excess: Matrix
    observed: float


class Causes(NamedTuple):
    """The outliers of one launch, and what each goes back to. Shape (calls, ranks).

    `excess` is the time in seconds above the rank's typical one. `cause` is an index into `CAUSES`
    and `root` the column of the rank that it began on, both -1 but for outliers. `hops` counts the
    ranks that the delay passed through.
    """

    excess: Matrix
    outlier: Mask
    cause: Integers
    root: Integers
    hops: Integers

    def of(self, rows: Mask) -> Causes:
        """Return those of some of the calls."""
        return Causes(
            self.excess[rows],
            self.outlier[rows],
            self.cause[rows],
            self.root[rows],
            self.hops[rows],
        )


def attribute(
    calls: Calls,
    names: Sequence[str],
    neighbours: Sequence[Sequence[int]] | None = (),
    noise: Noise | None = None,
    clock_error_s: float = 0.0,
    least_fraction: float = OUTLIER_FRACTION,
) -> Causes:
    """Return the outliers of a launch with their causes.

    `names` are those of the flag bits. `neighbours` are, for each rank, the ranks that it waits
    for: empty for all of them, None where ranks wait for nobody. A rank that began less than
    `clock_error_s` after another is not called late. An outlier is at least `least_fraction` above
    its rank's typical time.
    """
    typical, spread = _typical(calls, calls.seconds)
    excess = np.nan_to_num(calls.seconds - typical)
    least = np.maximum(OUTLIER_DEVIATIONS * spread, least_fraction * typical)
    outlier = calls.usable[:, None] & (excess > np.maximum(least, OUTLIER_SECONDS))
    delays = _delays(calls, excess)
    counted = _count(calls, names)
    in_call = _own_causes(calls, counted, excess, np.maximum(delays.gap, 0.0))
    before = _own_causes(calls, counted, delays.gap, 0.0)
    if neighbours is None:
        root = np.arange(2 * excess.size)
        hops = np.zeros(2 * excess.size, dtype=int)
    else:
        waits = list(waited_for(calls.ranks, neighbours, delays, in_call))
        parent = parents(delays, in_call, outlier, waits, clock_error_s)
        root, hops = roots_of(parent, excess.shape[1])
    causes = np.concatenate([in_call.ravel(), before.ravel()])
    chosen = np.flatnonzero(outlier.ravel())
    open_roots = np.unique(root[chosen][causes[root[chosen]] == UNEXPLAINED])
    size = np.concatenate([excess.ravel(), delays.gap.ravel()])[open_roots]
    if neighbours is None:
        causes[open_roots] = _NETWORK
    else:
        between = open_roots >= excess.size
        alone = between | _of_one_rank(size, open_roots % excess.shape[1], excess.shape[1])
        causes[open_roots] = np.where(alone, _LATE, _NETWORK)
    if noise is not None:
        observed = float(calls.seconds[calls.usable].sum())
        causes[open_roots[_like_noise(size, noise, observed)]] = _NOISE
    return Causes(
        excess=excess,
        outlier=outlier,
        cause=_spread(causes[root[chosen]], chosen, excess.shape),
        root=_spread(root[chosen] % excess.shape[1], chosen, excess.shape),
        hops=_spread(hops[chosen], chosen, excess.shape),
    )


def noise_of(calls: Sequence[Calls], names: Sequence[str]) -> Noise | None:
    """Return the noise in launches whose ranks only compute, or None without any call.

    What the kernel explains is left out: it is recognised for itself.
    """
    found, observed = [], 0.0
    for each in calls:
        causes = attribute(each, names, None, least_fraction=0.0)
        found.append(causes.excess[causes.cause == _NETWORK])
        observed += float(each.seconds[each.usable].sum())
    return Noise(np.sort(np.concatenate(found)), observed) if observed > 0 else None


def _typical(calls: Calls, values: Matrix) -> tuple[Matrix, Matrix]:
    """Return median and standard deviation of each rank's values, by series, for every call."""
    middle = _middle(calls, values)
    return middle, _DEVIATION * _middle(calls, np.abs(values - middle))


def _middle(calls: Calls, values: Matrix) -> Matrix:
    if not values.any():
        return values
    middle = np.zeros_like(values)
    for index in np.unique(calls.series).tolist():
        rows = calls.series == index
        known = values[rows & calls.usable]
        middle[rows] = np.median(known if len(known) else values[rows], axis=0)
    return middle


def _delays(calls: Calls, excess: Matrix) -> Delays:
    zero = np.zeros_like(excess)
    if not np.isfinite(calls.begin).all():
        return Delays(excess, zero, np.nan_to_num(calls.seconds), zero)
    # A rank that always begins later than the others is not late.
    relative = calls.begin - np.median(calls.begin, axis=1, keepdims=True)
    begin = calls.begin - _middle(calls, relative)
    end = begin + np.nan_to_num(calls.seconds)
    gap = zero.copy()
    gap[1:] = begin[1:] - end[:-1]
    gap -= _middle(calls, gap)
    gap[0] = 0.0
    # Where all ranks paused together, as between two rows, nobody was late.
    gap -= gap.min(axis=1, keepdims=True)
    return Delays(excess, begin, end, gap)


class _Counted(NamedTuple):
    """What the kernel counted of each call: flags, and the page faults above typical ones."""

    migrated: Mask
    stolen: Mask
    preempted: Mask
    faults: Matrix
    many: Mask


def _count(calls: Calls, names: Sequence[str]) -> _Counted:
    def flagged(name: str) -> Mask:
        bit = 1 << names.index(name) if name in names else 0
        found: Mask = calls.flags & bit != 0
        return found

    typical, spread = _typical(calls, calls.page_faults)
    faults = calls.page_faults - typical
    return _Counted(
        migrated=flagged("migrated"),
        stolen=flagged("stolen"),
        preempted=flagged("preempted"),
        faults=faults,
        many=faults > np.maximum(OUTLIER_DEVIATIONS * spread, 0.5),
    )


def _own_causes(
    calls: Calls, counted: _Counted, delay: Matrix, spent_before: Matrix | float
) -> Integers:
    """Return the cause of each delay that the kernel counted on this very rank, -1 for none.

    `spent_before` are seconds of waiting for a core that another delay has used up.
    """
    # A kernel that does not tell how long counts zero: then the flag alone must do.
    untold = ~(calls.waited > 0)
    waited = untold | (calls.waited - spent_before >= EXPLAINS * delay)
    found = np.full(delay.shape, UNEXPLAINED)
    found[counted.migrated & (delay <= _MIGRATION_SECONDS)] = _MIGRATED
    found[counted.many & (delay <= counted.faults * _FAULT_SECONDS)] = _PAGE_FAULTS
    found[counted.stolen] = _HYPERVISOR
    found[counted.preempted & waited] = _PREEMPTED
    return found


def _of_one_rank(size: Matrix, rank: Integers, ranks: int) -> Mask:
    """Tell which of these unexplained delays, in seconds and by rank, are that rank's own.

    A network delays now one rank, now another. Where half of the time or more was lost first on one
    rank, and three standard deviations more than if each rank were as likely, it is its own doing.
    """
    lost = np.bincount(rank, weights=size, minlength=ranks)
    total, squares, likely = size.sum(), (size**2).sum(), 1 / ranks
    # So many delays of one size scatter as much.
    if total**2 < _FEWEST_DELAYS * squares:
        return np.zeros(len(rank), dtype=bool)
    chance = total * likely + 3 * np.sqrt(squares * likely * (1 - likely))
    local: Mask = (lost >= max(chance, total / 2))[rank]
    return local


def _like_noise(size: Matrix, noise: Noise, observed: float) -> Mask:
    """Tell which unexplained delays are no larger and no more frequent than the machine's noise.

    A delay counts as noise while at least half of those as large are to be expected from how often
    noise delayed ranks that only computed.
    """
    seen = len(size) - np.searchsorted(np.sort(size), size, side="left")
    noisy = len(noise.excess) - np.searchsorted(noise.excess, size, side="left")
    like: Mask = (noisy > 0) & (noisy * observed / noise.observed >= EXPLAINS * seen)
    return like


def _spread(values: Integers, where: Integers, shape: tuple[int, ...]) -> Integers:
    table = np.full(shape, -1)
    table.ravel()[where] = values
    return table
