"""Launches that differ far more than the samples within one of them."""

from collections.abc import Iterator

import numpy as np

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, worst_of
from leadline.analysis.stats.statistics import coefficient_of_variation
from leadline.core.units import count, format_seconds, percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "trust"
ADVICE = (
    "Not noise: the machine or the library has several states. More launches (10 or more) show "
    "how many; report the interval, not the best launch."
)

_SMALL = 0.05
# Of another program's figures nobody knows how much a single launch scatters.
_SMALL_UNSURE = 0.1
_FAR_LARGER = 5.0
_ENOUGH_LAUNCHES = 10


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI whose figure depends on the launch."""
    variation = {i: _variation(evidence, i) for i in range(len(evidence.points))}
    unstable = [
        index
        for index, value in variation.items()
        if value > _small(evidence.points[index]) and _beyond_samples(evidence.points[index], value)
    ]
    for group in evidence.groups(unstable):
        worst = max(group, key=lambda index: variation[index])
        point = evidence.points[worst]
        low, high = min(point.launch_medians_s), max(point.launch_medians_s)
        launches = max(_ENOUGH_LAUNCHES, 2 * evidence.run.plan.launches)
        pin = "" if evidence.run.plan.bind else "Let leadline pin the ranks, and "
        precision = point.within_launch_precision
        inside = (
            ""
            if precision is None
            else f", while each launch knows its own median within {percent(precision)}"
        )
        more = f"{pin or ''}{'measure' if pin else 'Measure'} with more launches"
        if not evidence.run.imported:
            more += f": `{command(evidence, group, launches=launches)}`"
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} depends on the launch: {format_seconds(low)} to "
            f"{format_seconds(high)} over {count(point.launches, 'launch')}, a coefficient of "
            f"variation of {percent(variation[worst])}{inside}.{worst_of(group)}",
            evidence={
                "launch_variation": variation[worst],
                "lowest_launch_s": low,
                "highest_launch_s": high,
                "launches": float(point.launches),
            }
            | ({} if precision is None else {"within_launch_precision": precision}),
            advice=f"{more}.",
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
