"""Conjugate gradients for the Laplacian on a square, rows of it on each rank: an mpi4py program.

    mpi4py_cg.py POINTS TOLERANCE

Two allreduces of a number and one exchange of rows an iteration, a gather at the end. Rank 0 prints
one JSON object: the seconds of the solve on the slowest rank, iterations, and the true residual.
"""

import json
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
points, tolerance = int(sys.argv[1]), float(sys.argv[2])
above = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
below = world.rank + 1 if world.rank + 1 < world.size else MPI.PROC_NULL
rows = points // world.size + (world.rank < points % world.size)


def laplacian(inner):
    """Return the five-point Laplacian of rows whose neighbours are on other ranks."""
    field = np.zeros((rows + 2, points + 2))
    field[1:-1, 1:-1] = inner
    world.Sendrecv(field[1].copy(), above, recvbuf=field[-1], source=below)
    world.Sendrecv(field[-2].copy(), below, recvbuf=field[0], source=above)
    sides = field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
    return 4 * inner - sides


def dot(one, other):
    """Return the scalar product over all ranks."""
    return world.allreduce(float(np.vdot(one, other)))


def solve(load):
    """Return the solution and the iterations."""
    solution, residual = np.zeros_like(load), load.copy()
    direction, norm = residual.copy(), dot(residual, residual)
    wanted, iterations = norm * tolerance**2, 0
    while norm > wanted:
        product = laplacian(direction)
        step = norm / dot(direction, product)
        solution += step * direction
        residual -= step * product
        former, norm = norm, dot(residual, residual)
        direction = residual + norm / former * direction
        iterations += 1
    return solution, iterations


load = np.ones((rows, points))
world.Barrier()
begin = MPI.Wtime()
solution, iterations = solve(load)
seconds = world.allreduce(MPI.Wtime() - begin, op=MPI.MAX)
left = load - laplacian(solution)
residual = (dot(left, left) / dot(load, load)) ** 0.5
whole = world.gather(solution.sum())
if world.rank == 0:
    said = {"seconds": seconds, "iterations": iterations, "residual": residual, "sum": sum(whole)}
    print(json.dumps(said))
