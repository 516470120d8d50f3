"""Ranks that give different counts to the same collective."""

from collections import Counter
from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, Rank, capital, described, named, numbers
from leadline.stuck.steps import overtaken

GRAVITY = 24
# All ranks give the same number of bytes. In those with two buffers MPI_IN_PLACE hides it.
_SAME = (
    "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan",
    "MPI_Reduce_scatter_block",
)  # fmt: skip
_SAME_OR_IN_PLACE = ("MPI_Allgather", "MPI_Alltoall")
_SAME_BUT_FOR_THE_ROOT = ("MPI_Gather", "MPI_Scatter")


def find(job: Job) -> Iterator[Hang]:
    """Tell of different bytes in one call, and of a call that a rank left with other bytes."""
    for ranks in job.collectives().values():
        if len({rank.call.function for rank in ranks}) > 1:
            continue
        compared = [rank for rank in ranks if _is_compared(rank)]
        sizes = Counter(rank.call.bytes for rank in compared)
        if len(sizes) > 1:
            yield _different(compared, sizes)
    for behind, ahead in overtaken(job):
        name, size = behind[0].call.function, behind[0].call.bytes
        if name not in (*_SAME, *_SAME_OR_IN_PLACE):
            continue
        other = [
            rank
            for rank in ahead
            if name in rank.called and size.bit_length() not in rank.called[name]
        ]
        if other:
            yield _left(behind, other)


def _is_compared(rank: Rank) -> bool:
    name = rank.call.function
    if name in _SAME_BUT_FOR_THE_ROOT:
        return rank.call.root != rank.rank and rank.call.bytes > 0
    return name in _SAME or (name in _SAME_OR_IN_PLACE and rank.call.bytes > 0)


def _different(ranks: list[Rank], sizes: Counter[int]) -> Hang:
    ordered = [size for size, _ in sizes.most_common()]
    said = ", ".join(
        f"{named(rank for rank in ranks if rank.call.bytes == size)} {size} B" for size in ordered
    )
    fewest = sizes[ordered[-1]]
    name = ranks[0].call.function
    return Hang(
        ranks=numbers(rank for rank in ranks if sizes[rank.call.bytes] == fewest),
        text=f"{name} has different sizes: {said}.",
        evidence=described(ranks),
        fix=f"Give {name} the same count and datatype on all ranks.",
    )


def _left(behind: list[Rank], other: list[Rank]) -> Hang:
    call = behind[0].call
    have = "has" if len(other) == 1 else "have"
    return Hang(
        ranks=numbers(other),
        text=f"{capital(named(behind))} {'waits' if len(behind) == 1 else 'wait'} in "
        f"{call.function} of {call.bytes} B, which {named(other)} {have} left with another size.",
        evidence=described([*behind, *other]),
        fix=f"Give {call.function} the same count and datatype on all ranks.",
    )
