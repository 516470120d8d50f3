"""Sorting by samples: an mpi4py program.

    mpi4py_sort.py NUMBERS ROUNDS

Each round sorts NUMBERS on each rank: an allgather of samples, an alltoall of counts, an alltoallv
of numbers, and an allreduce that proves the order. Rank 0 prints one JSON object: the seconds of
the slowest rank, and whether all was sorted.
"""

import itertools
import json
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
count, rounds = int(sys.argv[1]), int(sys.argv[2])
random = np.random.default_rng(world.rank)


def sort(numbers):
    """Return this rank's part of the numbers of all ranks in order."""
    numbers = np.sort(numbers)
    samples = np.empty((world.size, world.size))
    places = np.arange(world.size) * len(numbers) // world.size
    world.Allgather(numbers[places], samples)
    borders = np.sort(samples, axis=None)[world.size :: world.size]
    starts = np.concatenate([[0], np.searchsorted(numbers, borders), [len(numbers)]])
    sent = np.diff(starts).astype(np.intc)
    received = np.empty_like(sent)
    world.Alltoall(sent, received)
    mine = np.empty(received.sum())
    world.Alltoallv([numbers, sent], [mine, received])
    return np.sort(mine)


def is_sorted(mine, total):
    """Tell on all ranks whether the parts follow one another, and nothing is lost."""
    ends = world.allgather((mine[0], mine[-1]) if len(mine) else None)
    ends = [each for each in ends if each]
    ordered = bool(np.all(mine[:-1] <= mine[1:]))
    joined = all(one[1] <= other[0] for one, other in itertools.pairwise(ends))
    kept = np.isclose(world.allreduce(float(mine.sum())), total)
    everywhere = world.allreduce(len(mine)) == count * world.size
    return world.allreduce(ordered and joined and bool(kept) and everywhere, op=MPI.LAND)


right = True
world.Barrier()
begin = MPI.Wtime()
for _ in range(rounds):
    numbers = random.random(count)
    mine = sort(numbers)
    right = is_sorted(mine, world.allreduce(float(numbers.sum()))) and right
seconds = world.allreduce(MPI.Wtime() - begin, op=MPI.MAX)
if world.rank == 0:
    print(json.dumps({"seconds": seconds, "sorted": bool(right)}))
