"""Figures that differ between launches far more than the samples within one launch do.

Not noise: the machine or the library has several states, of which each launch meets one.
"""

from collections.abc import Iterator

import numpy as np

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job, worst_of
from leadline.analysis.stats.statistics import coefficient_of_variation
from leadline.core.units import count, format_seconds, percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "trust"
ADVICE = "Measure 10 launches or more, and report the interval, not the best launch."
EVIDENCE = {
    "launch_variation": "standard deviation of the launches' medians over their mean",
    "lowest_launch_s": "median of the fastest launch",
    "highest_launch_s": "median of the slowest launch",
    "launches": "launches",
    "within_launch_precision": "half width of the median's interval in a launch, over the median",
}
SOURCE = (
    "S. Hunold, A. Carpen-Amarie: Reproducible MPI Benchmarking is Still Not as Easy as You "
    "Think, IEEE TPDS 27, 2016"
)

_SMALL = 0.05
# Of another program's figures nobody knows how much a single launch scatters.
_SMALL_UNSURE = 0.1
_FAR_LARGER = 5.0
_ENOUGH_LAUNCHES = 10


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figures that depend on the launch."""
    variation = {i: _variation(evidence, i) for i in range(len(evidence.points))}
    unstable = [
        index
        for index, value in variation.items()
        if value > _small(evidence.points[index]) and _beyond_samples(evidence.points[index], value)
    ]
    if group := unstable:
        worst = max(group, key=lambda index: variation[index])
        point = evidence.points[worst]
        low, high = min(point.launch_medians_s), max(point.launch_medians_s)
        launches = max(_ENOUGH_LAUNCHES, 2 * evidence.run.plan.launches)
        precision = point.within_launch_precision
        inside = "" if precision is None else ", though steady within each"
        pinned = evidence.run.plan.bind or evidence.run.imported
        more = "Measure more launches." if pinned else "Pin the ranks, and measure more launches."
        job = same_job(evidence, group, worst)
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} varies between {count(point.launches, 'launch')}: "
            f"{format_seconds(low)} to {format_seconds(high)} ({percent(variation[worst])})"
            f"{inside}.{worst_of(group)}",
            evidence={
                "launch_variation": variation[worst],
                "lowest_launch_s": low,
                "highest_launch_s": high,
                "launches": float(point.launches),
            }
            | ({} if precision is None else {"within_launch_precision": precision}),
            advice=more,
            command=None if evidence.run.imported else command(evidence, job, launches=launches),
            points=tuple(group),
        )


def _beyond_samples(point: PointSummary, variation: float) -> bool:
    """Tell whether launches vary more than their own samples can explain."""
    if not point.samples:
        return True
    precision = point.within_launch_precision
    return precision is not None and variation > _FAR_LARGER * precision


def _small(point: PointSummary) -> float:
    return _SMALL if point.samples else _SMALL_UNSURE


def _variation(evidence: Evidence, index: int) -> float:
    return coefficient_of_variation(np.array(evidence.points[index].launch_medians_s)) or 0.0
