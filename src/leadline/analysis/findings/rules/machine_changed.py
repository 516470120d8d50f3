"""Launches in which nearly everything was slower: the machine changed, not one benchmark."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import place_of
from leadline.core.units import count, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Measure with more launches, such as `--launches 10`: the median over them leaves out a "
    "state that is rare, and the report shows the launches side by side."
)

_FEWEST_FIGURES = 5
# A launch counts as slow when the median of its figures is this much above their best launch.
_SLOWER = 1.25


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each MPI and placement of which some launches were slow as a whole."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if point.launches == evidence.run.plan.launches and min(point.launch_medians_s) > 0:
            groups[point.mpi, place_of(point)].append(index)
    for (mpi, place), indices in groups.items():
        if evidence.run.plan.launches > 1 and len(indices) >= _FEWEST_FIGURES:
            yield from _slow_launches(evidence, mpi, place, indices)


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
    yield Finding(
        severity="notice",
        text=f"{len(slow)} of {launches} with {mpi} on {place} were slow as a whole: the slowest "
        f"took {of_launch[worst]:.3g} times as long in the median of all figures, and "
        f"{percent(share)} of them were slower. The machine was in another state then (processors "
        "that the hypervisor moved, clocks that fell, a neighbour), not one benchmark.",
        effect=float(of_launch[worst]),
        evidence={
            "slow_launches": float(len(slow)),
            "launches": float(len(of_launch)),
            "slowdown_ratio": float(of_launch[worst]),
            "slower_figures_fraction": share,
        },
        advice=ADVICE,
        points=tuple(indices),
    )
