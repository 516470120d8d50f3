"""Launches in which nearly every figure was slower: the machine was disturbed, not a benchmark.

Reasons are processors that the hypervisor moved, clocks that fell, or a busy neighbour.
"""

from collections import defaultdict
from collections.abc import Iterator

import msgspec
import numpy as np

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import place_of, whole_run
from leadline.core.units import count, times
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Measure more launches, such as `--launches 10`: the median over launches leaves out a rare "
    "state."
)
EVIDENCE = {
    "slow_launches": "launches that were slow throughout",
    "launches": "launches",
    "slowdown_ratio": "typical figure of the slowest launch over that of the best launch",
    "slower_figures_fraction": "figures that were slower in the slowest launch",
}

_FEWEST_FIGURES = 5
_ENOUGH_LAUNCHES = 10
# A launch counts as slow when the median of its figures is this much above their best launch.
_SLOWER = 1.25


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the MPI and placement with the slowest launch, if any was slow."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if point.launches == evidence.run.plan.launches and min(point.launch_medians_s) > 0:
            groups[point.mpi, place_of(point)].append(index)
    found = [
        one
        for (mpi, place), indices in groups.items()
        if evidence.run.plan.launches > 1 and len(indices) >= _FEWEST_FIGURES
        for one in _slow_launches(evidence, mpi, place, indices)
    ]
    if found:
        worst = max(found, key=lambda one: one.effect or 0.0)
        every = tuple(index for one in found for index in one.points)
        yield msgspec.structs.replace(worst, points=every)


def _slow_launches(
    evidence: Evidence, mpi: str, place: str, indices: list[int]
) -> Iterator[Finding]:
    medians = np.array([evidence.points[index].launch_medians_s for index in indices])
    slower = medians / medians.min(axis=1, keepdims=True)
    of_launch = np.median(slower, axis=0)
    slow = np.flatnonzero(of_launch > _SLOWER)
    if not slow.size:
        return
    worst = int(of_launch.argmax())
    share = float(np.mean(slower[:, worst] > _SLOWER))
    launches = count(len(of_launch), "launch")
    several = len({(point.mpi, place_of(point)) for point in evidence.points}) > 1
    of = f" with {mpi} on {place}" if several else ""
    yield Finding(
        severity="notice",
        text=f"{len(slow)} of {launches}{of} {'was' if len(slow) == 1 else 'were'} slow "
        f"throughout ({times(float(of_launch[worst]))}): the machine was disturbed, not one "
        "benchmark.",
        effect=float(of_launch[worst]),
        evidence={
            "slow_launches": float(len(slow)),
            "launches": float(len(of_launch)),
            "slowdown_ratio": float(of_launch[worst]),
            "slower_figures_fraction": share,
        },
        advice="Measure more launches: the median over them leaves out a rare state.",
        command=whole_run(evidence, launches=max(_ENOUGH_LAUNCHES, 2 * len(of_launch))),
        points=tuple(indices),
    )
