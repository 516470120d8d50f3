"""A halo exchange on paper: what ranks in a row or a ring wait for, with delays put in by hand."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.calls import Calls

FLAGS = [
    "preempted", "page_fault", "migrated", "late_start", "clock_uncertain", "failed_verification",
    "blocked", "stolen",
]  # fmt: skip
GAP = 1e-6
LATENCY = 1e-6


class Delay(NamedTuple):
    """`seconds` more on a rank, before the call begins or in it before or after it sends."""

    call: int
    rank: int
    seconds: float
    where: str = "sending"  # gap, sending, sent, or network: only what it receives is late
    flag: str = ""
    waited: float = 0.0
    page_faults: int = 0


def ring(ranks: int) -> tuple[tuple[int, ...], ...]:
    """The two neighbours of each rank of a ring."""
    return tuple(tuple(sorted({(r - 1) % ranks, (r + 1) % ranks} - {r})) for r in range(ranks))


def exchange(
    ranks: int, calls: int, delays: Iterable[Delay] = (), own_s: float = 10e-6, seed: int = 1
) -> Calls:
    """Return the calls of a ring: a rank ends when its own work is done and what its neighbours
    sent has come. Times scatter by 1 %.
    """
    random = np.random.default_rng(seed)
    shape = (calls, ranks)
    extra = {where: np.zeros(shape) for where in ("gap", "sending", "sent", "network")}
    waited, faults, flags = np.zeros(shape), np.zeros(shape), np.zeros(shape, int)
    for delay in delays:
        place = (delay.call, delay.rank)
        extra[delay.where][place] += delay.seconds
        waited[place] += delay.waited
        faults[place] += delay.page_faults
        if delay.flag:
            flags[place] |= 1 << FLAGS.index(delay.flag)
    begin, seconds = np.zeros(shape), np.zeros(shape)
    free = np.zeros(ranks)
    neighbours = ring(ranks)
    for call in range(calls):
        begin[call] = free + GAP + extra["gap"][call]
        sent = begin[call] + 0.3 * own_s + extra["sending"][call]
        come = LATENCY + np.array([max(sent[n] for n in neighbours[r]) for r in range(ranks)])
        work = own_s * random.normal(1.0, 0.01, ranks)
        own = sent + 0.7 * work + extra["sent"][call]
        ends = np.maximum(own, come + 0.7 * work + extra["network"][call])
        seconds[call] = ends - begin[call]
        free = ends
    return Calls(
        launch=0,
        ranks=np.arange(ranks),
        series=np.zeros(calls, int),
        usable=np.ones(calls, bool),
        seconds=seconds,
        begin=begin,
        waited=waited,
        page_faults=faults,
        flags=flags,
    )
