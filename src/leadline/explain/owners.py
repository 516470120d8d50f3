"""Whose each second of a rank is: computing, waiting, transfer, excess, tunable.

Computing is the time outside of MPI, waiting that for another rank. The rest of the time in MPI is
split by what the machine has been measured to do: `tunable` is what the best measured algorithm
would save, and of what would be left `excess` is what is above the measured time, `transfer` all
else. Where nothing was measured, all of it is transfer. The five add up to the rank's wall time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from leadline.explain.bounds import Bounds
from leadline.explain.recording import BEGIN_AND_END, Rank, Recording, Row


class RankTime(msgspec.Struct, frozen=True, kw_only=True):
    """The owners of a rank's seconds."""

    rank: int
    computing_s: float
    waiting_s: float = 0.0
    transfer_s: float = 0.0
    excess_s: float = 0.0
    tunable_s: float = 0.0

    @property
    def seconds(self) -> float:
        """The wall time, which is the sum of the five."""
        return self.computing_s + self.mpi_s

    @property
    def mpi_s(self) -> float:
        """The time in MPI, whatever for."""
        return self.waiting_s + self.own_s

    @property
    def own_s(self) -> float:
        """The time in MPI that was no waiting."""
        return self.transfer_s + self.excess_s + self.tunable_s


class Split(NamedTuple):
    """Seconds in MPI that were no waiting, by owner; `known_s` are those with a measured bound."""

    transfer_s: float = 0.0
    excess_s: float = 0.0
    tunable_s: float = 0.0
    known_s: float = 0.0


def split(row: Row, bounds: Bounds) -> Split:
    """Return the owners of what a row's calls took beyond waiting."""
    communication = row.own_s
    bound = bounds.seconds_of(row)
    if bound is None:
        return Split(transfer_s=communication)
    saved = bounds.saving_of(row)
    tunable = min(communication, saved.seconds * row.calls) if saved else 0.0
    left = communication - tunable
    transfer = left * min(1.0, bound * row.calls / communication) if communication > 0 else 0.0
    return Split(transfer, left - transfer, tunable, communication)


def split_all(rows: Iterable[Row], bounds: Bounds) -> Split:
    """Return the owners of what all rows' calls took beyond waiting."""
    parts = [Split(), *(split(row, bounds) for row in rows)]
    return Split(*(sum(seconds) for seconds in zip(*parts, strict=True)))


def owners_of(rank: Rank, bounds: Bounds) -> tuple[RankTime, float]:
    """Return the owners of a rank's seconds, and for how many of them a bound was known.

    Rows hold the calls of all threads, the sums of a rank those of its main thread: the rows' split
    is applied to these. What found no room in a row is transfer.
    """
    waiting, mpi = rank.waiting_s, rank.mpi_s
    if rank.unfinished:
        mpi += rank.unfinished.seconds
        waiting += rank.unfinished.seconds if rank.unfinished.waits else 0.0
    mpi = min(mpi, rank.seconds)
    waiting = min(waiting, mpi)
    communication = mpi - waiting
    rows = split_all(rank.rows, bounds) if bounds.curves or bounds.rules else Split()
    seen = sum(rows[:3])
    share = min(1.0, communication / seen) if seen > 0 else 0.0
    found = RankTime(
        rank=rank.rank,
        computing_s=rank.seconds - mpi,
        waiting_s=waiting,
        transfer_s=max(communication - share * (rows.excess_s + rows.tunable_s), 0.0),
        excess_s=share * rows.excess_s,
        tunable_s=share * rows.tunable_s,
    )
    return found, share * rows.known_s


def between_begin_and_end(rank: Rank, time: RankTime) -> RankTime:
    """Return the owners of what a rank did between MPI_Init's end and MPI_Finalize's call.

    It is all of its time where these are not known. POP's factors are of this part, in which the
    program works: starting a process takes as long for any program.
    """
    rows = [row for row in rank.rows if row.function.name in BEGIN_AND_END]
    calls_s = sum(row.seconds for row in rows)
    waiting_s = sum(min(row.waiting_s, row.seconds) for row in rows)
    outside_s = rank.before_s + rank.after_s
    if not outside_s:
        return time
    return msgspec.structs.replace(
        time,
        computing_s=max(time.computing_s - max(outside_s - calls_s, 0.0), 0.0),
        waiting_s=max(time.waiting_s - waiting_s, 0.0),
        transfer_s=max(time.transfer_s - (calls_s - waiting_s), 0.0),
    )


class Efficiency(msgspec.Struct, frozen=True, kw_only=True):
    """The factors by which POP, the centre of excellence, rates a program; each is 1 at best.

    From "POP Standard Metrics for Parallel Performance Analysis" (pop-coe.eu), where the ideal
    network is the longest rank's wall time less its own transfer. Serialisation and transfer are
    not known where waiting is not.
    """

    parallel: float
    load_balance: float
    serialisation: float | None
    transfer: float | None


def efficiency_of(ranks: Sequence[RankTime], *, waiting_known: bool = True) -> Efficiency:
    """Return POP's factors of these ranks."""
    computing = [rank.computing_s for rank in ranks]
    longest = max(computing)
    wall = max(rank.seconds for rank in ranks)
    if wall <= 0 or longest <= 0:
        return Efficiency(parallel=0.0, load_balance=0.0, serialisation=0.0, transfer=0.0)
    ideal = max(longest, *(rank.computing_s + rank.waiting_s for rank in ranks))
    balance = sum(computing) / len(computing) / longest
    return Efficiency(
        parallel=balance * longest / wall,
        load_balance=balance,
        serialisation=longest / ideal if waiting_known else None,
        transfer=ideal / wall if waiting_known else None,
    )


def total(ranks: Sequence[RankTime]) -> RankTime:
    """Return the owners of all ranks' seconds together; the rank is -1."""
    sums = [sum(seconds) for seconds in zip(*map(msgspec.structs.astuple, ranks), strict=True)]
    return RankTime(**dict(zip(RankTime.__struct_fields__, [-1, *sums[1:]], strict=True)))


def owners(recording: Recording, bounds: Bounds) -> tuple[tuple[RankTime, ...], float]:
    """Return the owners of each rank's seconds, and the seconds in MPI with a measured bound."""
    found = [owners_of(rank, bounds) for rank in recording.ranks]
    return tuple(each for each, _ in found), sum(known for _, known in found)
