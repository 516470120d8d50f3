"""Ranks that compute while known things take their cores away."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.jitter.detours import Row


class Pulse(NamedTuple):
    """Takes `seconds` every `period`, by about `jitter` early or late, from `first` or anywhere."""

    period: float
    seconds: float
    jitter: float = 0.0
    first: float | None = None


def quanta(
    random: np.random.Generator,
    pulses: Sequence[Pulse] = (),
    calls: int = 6000,
    quantum: float = 1e-4,
    per_second: float = 30.0,
    drift: float = 0.0,
    rank: int = 0,
    launch: int = 0,
) -> Row:
    """Return calls of a fixed amount of work, with pulses and random detours of some 30 us.

    `drift` is by what part the pace slows down until the end.
    """
    span = calls * quantum
    arrivals = [random.uniform(0, span, random.poisson(per_second * span))]
    lasting = [random.exponential(3e-5, len(arrivals[0]))]
    for pulse in pulses:
        first = random.uniform(0, pulse.period) if pulse.first is None else pulse.first
        times = np.arange(first, span, pulse.period)
        arrivals.append(np.abs(times + random.normal(0, pulse.jitter, len(times))))
        lasting.append(pulse.seconds * random.lognormal(0, 0.1, len(times)))
    order = np.argsort(np.concatenate(arrivals))
    at, taken = np.concatenate(arrivals)[order], np.concatenate(lasting)[order]
    begin, seconds = np.zeros(calls), np.zeros(calls)
    work = quantum * (1 + 1e-4 * np.abs(random.standard_normal(calls)))
    work *= 1 + drift * np.linspace(0, 1, calls)
    now, done = 0.0, 0
    for call in range(calls):
        end = now + work[call]
        while done < len(at) and at[done] < end:
            end += taken[done]
            done += 1
        begin[call], seconds[call] = now, end - now
        now = end + 5e-7
    return Row(launch, rank, begin, seconds, np.zeros(calls, dtype=int))
