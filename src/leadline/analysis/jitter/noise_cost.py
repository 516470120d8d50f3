"""The cost of noise to a program whose ranks compute, then wait for the slowest.

A phase takes as long as the longest of its ranks (Petrini, Kerbyson & Pakin, "The Case of the
Missing Supercomputer Performance", SC'03). Phases are sums of calls in succession, so that what is
alike among neighbours stays so; of shorter ones each call is several, one of which has its excess.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from leadline.analysis.stats.calls import Numbers
from leadline.analysis.stats.extremes import predict_maximum
from leadline.model.noise import NoiseCost

PHASES_S = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
TASKS = (2, 10, 100, 1000, 10_000, 100_000, 1_000_000)
# A call is cut into so many phases at most, and so many phases of a launch say something.
_MOST_PARTS, _FEWEST_PHASES = 32, 20
# A fitted tail says something of so many times as many tasks as phases were seen.
_BEYOND_SAMPLES = 10


def costs(excess: Sequence[Numbers], quiet_s: float) -> Iterator[NoiseCost]:
    """Yield what phases of each length cost on each number of tasks, as far as can be said.

    Each of `excess` holds what the calls of a launch, shape (calls, ranks), took beyond `quiet_s`
    seconds, in the order made.
    """
    for phase_s in PHASES_S:
        phases = [_phases(each, quiet_s, phase_s) for each in excess]
        if any(len(each) < _FEWEST_PHASES for each in phases):
            continue
        seen = sum(each.size for each in phases)
        most = _BEYOND_SAMPLES * seen
        together = sum(float(each.sum()) for each in phases) / seen / phase_s
        found = predict_maximum(phases, [min(tasks, most) for tasks in TASKS])
        for tasks, maximum in zip(TASKS, found, strict=True):
            yield NoiseCost(
                phase_s=phase_s,
                tasks=tasks,
                slowdown=(maximum.low if tasks > most else maximum.value) / phase_s,
                ci95_low=maximum.low / phase_s,
                ci95_high=None if tasks > most else maximum.high / phase_s,
                together_slowdown=together,
                reach="samples" if tasks <= seen else "tail" if tasks <= most else "beyond",
            )


def _phases(excess: Numbers, quiet_s: float, phase_s: float) -> Numbers:
    """Return the times of phases, shape (phases, ranks); none where calls are far too long."""
    calls, ranks = excess.shape
    together = max(1, round(phase_s / quiet_s))
    parts = max(1, round(quiet_s / phase_s))
    if parts > _MOST_PARTS:
        return np.zeros((0, ranks))
    whole = excess[: calls // together * together].reshape(-1, together, ranks).sum(axis=1)
    # What is left of rounding to whole calls.
    found = np.full((len(whole) * parts, ranks), phase_s)
    found[::parts] += whole * (phase_s * parts / (together * quiet_s))
    return found
