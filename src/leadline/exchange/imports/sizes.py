"""What a program may do with the sizes of an operation that another program timed."""

from typing import Literal

# Words in the names of operations of all processes: what they need at one moment cannot be had with
# what they need at the next.
_COLLECTIVE = ("reduce", "gather", "scatter", "bcast", "broadcast", "alltoall", "scan")


def sizes_of(benchmark: str) -> tuple[Literal["join", "split", "pad"], ...]:
    """Return what may be done with the sizes of a benchmark, by its name.

    >>> sizes_of("nccl/all_reduce"), sizes_of("mpi/pingpong")
    (('split', 'pad'), ('join', 'split', 'pad'))
    """
    operation = benchmark.rpartition("/")[2].lower()
    if any(word in operation for word in _COLLECTIVE):
        return ("split", "pad")
    return ("join", "split", "pad")
