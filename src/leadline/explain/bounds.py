"""What the machine has been measured to do: the time of a call, by function, ranks and size.

Which benchmark stands for which function the benchmarks say themselves. One that is titled as the
function, with the library's own algorithm, is that function's. A message has the time of the
benchmark that declares the delivery of two-sided messages: one way, from the send to its arrival.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping

import msgspec

from leadline.explain.recording import COLLECTIVES, MESSAGES, Row
from leadline.model.description import Benchmark
from leadline.model.profile import LIBRARY, Rule

# What stands for any call that moves messages between two ranks.
MESSAGE = "message"
# Beyond so many times the largest measured size, nothing is known.
_BEYOND = 16
_PAIR = 2


class Shape(msgspec.Struct, frozen=True):
    """What a curve is of: a function or `MESSAGE`, the ranks of the communicator, its nodes."""

    function: str
    ranks: int
    nodes: int


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Measured seconds of one call by its bytes; of what moves no data the one size is 0."""

    seconds: Mapping[int, float]

    def at(self, size: float) -> float | None:
        """Return the time at a size, None for one that is far larger than the measured ones.

        Between two sizes it is on the straight line of their logarithms; below the smallest it is
        that one's; above the largest it grows with the size.

        >>> curve = Curve(seconds={8: 1e-6, 800: 1e-5})
        >>> f"{curve.at(80):.2e}", curve.at(0), f"{curve.at(1600):.0e}", curve.at(10**6)
        ('3.16e-06', 1e-06, '2e-05', None)
        """
        sizes = sorted(self.seconds)
        least, largest = sizes[0], sizes[-1]
        if size <= least or largest == 0:
            return self.seconds[least]
        if size >= largest:
            return self.seconds[largest] * size / largest if size <= _BEYOND * largest else None
        above = bisect.bisect_left(sizes, size)
        below, beyond = sizes[above - 1], sizes[above]
        first, last = self.seconds[below], self.seconds[beyond]
        # Size 0 has no logarithm: from there to the next size the line is straight.
        if below == 0:
            return first + (last - first) * size / beyond
        return float(first * (last / first) ** (math.log(size / below) / math.log(beyond / below)))


class Saving(msgspec.Struct, frozen=True):
    """Seconds that a call saves with another algorithm, with the ends of their interval."""

    seconds: float
    least: float
    most: float


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Measured curves, and the tuned rules for the same MPI on the same machine.

    Where the program was `accelerated` the rules were in use: then nothing more is to be saved, and
    a bound is the time of the rule's algorithm.
    """

    curves: Mapping[Shape, Curve] = {}
    rules: tuple[Rule, ...] = ()
    accelerated: bool = False

    def seconds_of(self, row: Row) -> float | None:
        """Return the measured time of one of the row's calls, None where it is not known."""
        rule = self._rule(row)
        if self.accelerated and rule:
            return _measured(rule, row.mean_bytes)[1]
        shape = shape_of(row)
        curve = self.curves.get(shape) if shape else None
        found = curve.at(row.mean_bytes) if curve else None
        if found is None and rule:
            found = _measured(rule, row.mean_bytes)[0]
        return found

    def saving_of(self, row: Row) -> Saving | None:
        """Return what a tuned algorithm saves of one of the row's calls, None without a rule.

        The part 1 - 1 / gain of what a call took beyond waiting. At least that of the measured time
        is saved, by the lower end of the gain's interval; at most all beyond the algorithm's
        measured time, or the part by the interval's upper end.
        """
        if self.accelerated or not (rule := self._rule(row)):
            return None
        library, algorithm, least = _measured(rule, row.mean_bytes)
        recorded = row.own_s / row.calls
        gain = library / algorithm if algorithm > 0 else 1.0
        most = max(gain, gain * gain / least if least > 0 else gain)
        return Saving(
            seconds=recorded * _saved(gain),
            least=min(recorded, library) * _saved(min(least, gain)),
            most=max(recorded * _saved(most), recorded - algorithm if gain > 1 else 0.0),
        )

    def _rule(self, row: Row) -> Rule | None:
        if row.function.kind not in COLLECTIVES:
            return None
        name, size = collective_of(row.function.name), row.mean_bytes
        for rule in self.rules:
            if (
                rule.collective == name
                and rule.nodes in (None, row.nodes)
                and rule.processes in (None, row.comm_ranks)
                and rule.from_bytes <= size
                and (rule.to_bytes is None or size <= rule.to_bytes)
            ):
                return rule if rule.algorithm != LIBRARY and rule.measured else None
        return None


def collective_of(function: str) -> str:
    """Return the name that profiles have for a function.

    >>> collective_of("MPI_Reduce_scatter")
    'reduce_scatter'
    >>> collective_of("shmem_broadcast64"), collective_of("shmem_double_sum_to_all")
    ('shmem_broadcast', 'shmem_reduce')
    """
    if function.endswith("_to_all"):
        return "shmem_reduce"
    return function.removeprefix("MPI_").lower().rstrip("0123456789")


def shape_of(row: Row) -> Shape | None:
    """Return of what a curve would bound the row's calls; None where none can.

    A benchmark of OpenSHMEM stands for no call yet.
    """
    if not row.function.name.startswith("MPI_"):
        return None
    if row.function.kind in MESSAGES:
        return Shape(MESSAGE, _PAIR, min(row.nodes, _PAIR))
    if row.function.kind in COLLECTIVES and row.comm_ranks > 1:
        return Shape(row.function.name, row.comm_ranks, row.nodes)
    return None


def usual_axes(benchmark: Benchmark) -> dict[str, str]:
    """Return the values of the axes, without sizes, with which the benchmark stands for a call."""
    known = benchmark.delivery.where if benchmark.delivery else {}
    return {
        axis.name: known[axis.name][0]
        if axis.name in known
        else LIBRARY
        if LIBRARY in axis.choices
        else axis.default.split(",")[0]
        for axis in benchmark.axes
        if axis.kind != "bytes"
    }


def stands_for(benchmark: Benchmark, series: str, axes: Mapping[str, object]) -> str:
    """Return what a figure of the benchmark with these values of its axes is the time of.

    A function, `MESSAGE`, or empty where it is neither: of another algorithm than the library's
    own, of another value than the usual one of an axis.
    """
    delivery = benchmark.delivery
    is_message = delivery and delivery.sides == "two-sided" and series == delivery.series
    allowed = delivery.where if delivery and is_message else {}
    for name, usual in usual_axes(benchmark).items():
        if str(axes.get(name, usual)) not in allowed.get(name, (usual,)):
            return ""
    if is_message:
        return MESSAGE
    is_function = benchmark.title.startswith("MPI_") and len(benchmark.series) == 1
    return benchmark.title if is_function else ""


def _saved(gain: float) -> float:
    """Return the part of a time that is saved by what is so many times as fast."""
    return 1 - 1 / gain if gain > 1 else 0.0


def _measured(rule: Rule, size: float) -> tuple[float, float, float]:
    """Return the library's and the algorithm's time at a size, and the least gain there."""
    library = Curve(seconds={row.bytes: row.library_us * 1e-6 for row in rule.measured})
    algorithm = Curve(seconds={row.bytes: row.algorithm_us * 1e-6 for row in rule.measured})
    nearest = min(rule.measured, key=lambda row: abs(row.bytes - size))
    last = max(rule.measured, key=lambda row: row.bytes)
    # A rule may be for larger sizes than were measured: there it is known by its last one.
    known = min(size, float(_BEYOND * last.bytes)) if last.bytes else 0.0
    return library.at(known) or 0.0, algorithm.at(known) or 0.0, nearest.least_gain
