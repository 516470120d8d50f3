"""Scaling laws: how the time of a program changes with the number of its processes.

Counts are those of processes, times seconds, both above zero. Where the smallest count is not 1 the
laws hold for multiples of it: so many processes together are then the unit.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Scalability(NamedTuple):
    """The universal scalability law: `contention` (sigma) and `coherency` (kappa), 0 or more.

    `most` is the number of processes beyond which more of them are slower, infinite where there is
    none.
    """

    contention: float
    coherency: float
    most: float


def speed_up(base_s: float, seconds: float) -> float:
    """Return how many times as fast as the base something is.

    >>> speed_up(10.0, 4.0)
    2.5
    """
    return base_s / seconds


def efficiency(speed: float, base: int, processes: int) -> float:
    """Return the speed-up over that of perfect scaling from `base` to `processes`.

    >>> efficiency(3.0, 2, 8)
    0.75
    """
    return speed * base / processes


def karp_flatt(speed: float, processes: float) -> float:
    """Return the serial fraction that one measured speed-up on `processes` (above 1) stands for.

    Rising with the processes it is overhead, constant it is serial work (Karp & Flatt, "Measuring
    Parallel Processor Performance", CACM 33(5), 1990). Below zero where the speed-up is more than
    the processes.
    """
    return (1 / speed - 1 / processes) / (1 - 1 / processes)


def amdahl(serial_fraction: float, processes: float) -> float:
    """Return the speed-up at a constant size (Amdahl, AFIPS 30, 1967).

    >>> amdahl(0.1, 10) == 1 / 0.19
    True
    """
    return 1 / (serial_fraction + (1 - serial_fraction) / processes)


def gustafson(serial_fraction: float, processes: float) -> float:
    """Return the scaled speed-up, where the work grows with the processes.

    `serial_fraction` is of the time on `processes` (Gustafson, "Reevaluating Amdahl's Law", CACM
    31(5), 1988).

    >>> round(gustafson(0.004, 1024))
    1020
    """
    return processes - serial_fraction * (processes - 1)


def serial_fraction(processes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the serial fraction, 0 to 1, of Amdahl's law that fits the times best.

    Least squares of the times over the first one, which are linear in the fraction. Both of shape
    (n,), n >= 2, ascending counts.
    """
    above = below = 0.0
    for count, time in zip(processes[1:], seconds[1:], strict=True):
        parallel = processes[0] / count
        above += (time / seconds[0] - parallel) * (1 - parallel)
        below += (1 - parallel) ** 2
    return min(1.0, max(0.0, above / below))


def universal(processes: Sequence[float], capacity: Sequence[float]) -> Scalability:
    """Return the universal scalability law that fits the capacities best.

    `capacity` is throughput or 1 / time; both of shape (n,), n >= 3, ascending counts. With C the
    capacity over the first one and N the count over the first one, N / C - 1 is sigma (N - 1) +
    kappa N (N - 1): least squares, both coefficients 0 or more (Gunther, "Guerrilla Capacity
    Planning", 2007, chapter 5).
    """
    count = [one / processes[0] for one in processes[1:]]
    excess = [n * capacity[0] / one - 1 for n, one in zip(count, capacity[1:], strict=True)]
    linear = [n - 1 for n in count]
    square = [n * (n - 1) for n in count]
    sigma, kappa = _fit(linear, square, excess)
    most = math.sqrt((1 - sigma) / kappa) if kappa > 0 and sigma < 1 else math.inf
    return Scalability(sigma, kappa, most * processes[0] if sigma < 1 else float(processes[0]))


def _fit(one: Sequence[float], two: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return the coefficients, 0 or more, with the least sum of squares."""
    aa, bb, ab = _dot(one, one), _dot(two, two), _dot(one, two)
    ay, by = _dot(one, y), _dot(two, y)
    determinant = aa * bb - ab * ab
    if determinant > 1e-12 * aa * bb:
        both = ((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant)
        if min(both) >= 0:
            return both
    # With one of them at its limit: whichever leaves less.
    alone = [(max(0.0, ay / aa), 0.0), (0.0, max(0.0, by / bb))]
    return min(
        alone,
        key=lambda each: sum(
            (v - each[0] * a - each[1] * b) ** 2 for a, b, v in zip(one, two, y, strict=True)
        ),
    )


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
