"""Models fitted to curves: LogGP of messages, and the scaling of programs.

A message of n bytes takes L + 2 o + (n - 1) G on its way, and messages follow each other no closer
than g (Alexandrov, Ionescu, Schauser & Scheiman, "LogGP: Incorporating Long Messages into the LogP
Model", SPAA 1995). A ping-pong has L + 2 o and G, a stream of small messages g, and what a send
adds to a computation beside it is o (Culler, Liu, Martin & Yoshikawa, "Assessing Fast Network
Interfaces", IEEE Micro 16, 1996).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats import launches
from leadline.analysis.stats.comparison import Timed
from leadline.model.summary import Regime


class Parameter(NamedTuple):
    """A value with its 95 % interval, where there is one."""

    value: float
    interval: tuple[float, float] | None

    def evidence(self, name: str, unit: str) -> dict[str, float]:
        """Return the numbers by name, such as `g_s`, `g_low_s` and `g_high_s`."""
        low_high = zip(("low", "high"), self.interval or (), strict=False)
        return {f"{name}_{unit}": self.value} | {f"{name}_{end}_{unit}": at for end, at in low_high}


class LogGP(NamedTuple):
    """`start` is L + 2 o, `gap` g and `overhead` o of a send in seconds, `per_byte` G in s/byte.

    `gap` and `overhead` are None where nothing timed them. `residual` is by which part of the time
    the lines of the ping-pong miss it on average.
    """

    start: Parameter
    per_byte: Parameter
    gap: Parameter | None
    overhead: Parameter | None
    residual: float

    @property
    def latency_s(self) -> float | None:
        """L: what is left of a small message's time without the work of both processors."""
        return max(0.0, self.start.value - 2 * self.overhead.value) if self.overhead else None

    @property
    def on_the_way(self) -> float | None:
        """How many small messages can be on the way at once."""
        return self.start.value / self.gap.value if self.gap and self.gap.value > 0 else None


def loggp(
    ping_pong: Sequence[Regime],
    stream: Timed | None = None,
    computation: Timed | None = None,
    together: Timed | None = None,
) -> LogGP | None:
    """Return the parameters, None without a ping-pong.

    `ping_pong` are the straight pieces of one-way times, ascending: the first has L + 2 o, the last
    G. `stream` is the time per message of a stream of small messages, `computation` that of work
    alone, and `together` of the same work between the start and the end of sending a small one.
    """
    if not ping_pong:
        return None
    first, last = ping_pong[0], ping_pong[-1]
    return LogGP(
        start=_parameter(first.latency_s, first.latency_low_s, first.latency_high_s),
        per_byte=_parameter(
            last.seconds_per_byte, last.seconds_per_byte_low, last.seconds_per_byte_high
        ),
        gap=Parameter(stream.median_s, stream.interval) if stream else None,
        overhead=_overhead(computation, together) if computation and together else None,
        residual=sum(piece.mean_residual for piece in ping_pong) / len(ping_pong),
    )


def _parameter(value: float, low: float | None, high: float | None) -> Parameter:
    return Parameter(value, None if low is None or high is None else (low, high))


def _overhead(computation: Timed, together: Timed) -> Parameter | None:
    """Return what sending adds, launch by launch; None where it is lost in the computation."""
    pairs = zip(together.launch_medians_s, computation.launch_medians_s, strict=False)
    added = [np.array([both - alone]) for both, alone in pairs]
    if not added:
        return None
    found = launches.estimate(added)
    interval = found.interval if len(added) > 1 else None
    return Parameter(found.median, interval) if found.median > 0 else None


def karp_flatt(speed: float, processes: float) -> float:
    """Return the serial fraction that one measured speed-up on `processes` (above 1) stands for.

    Rising with the processes it is overhead, constant it is serial work (Karp & Flatt, "Measuring
    Parallel Processor Performance", CACM 33(5), 1990). Below zero where the speed-up is more than
    the processes.
    """
    return (1 / speed - 1 / processes) / (1 - 1 / processes)
