"""Figures that cannot be right."""

from collections.abc import Iterator

from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import name_of, worst_of
from leadline.model.summary import Finding, PointSummary
from leadline.units import format_seconds


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for times of zero or less, or shorter than the clock's smallest step."""
    step = {index: _step_s(evidence, index) for index in range(len(evidence.points))}
    wrong = [
        index
        for index, point in enumerate(evidence.points)
        if _least_s(point) <= 0 or point.median_s < step[index]
    ]
    for group in evidence.groups(wrong):
        worst = min(group, key=lambda index: _least_s(evidence.points[index]))
        point = evidence.points[worst]
        yield Finding(
            kind=kind_of(__name__),
            severity="problem",
            text=f"{name_of(evidence, worst)} cannot be right: its times begin at "
            f"{format_seconds(_least_s(point))} with a median of {format_seconds(point.median_s)}, "
            f"where one step of the clock is {format_seconds(step[worst])} of an operation."
            f"{worst_of(group)}",
            evidence={
                "min_s": _least_s(point),
                "median_s": point.median_s,
                "clock_step_s": step[worst],
                "figures": float(len(group)),
            },
            advice="Look at the clocks first: `leadline doctor` names the clock source.",
            points=tuple(group),
        )


def _least_s(point: PointSummary) -> float:
    return point.median_s if point.min_s is None else point.min_s


def _step_s(evidence: Evidence, index: int) -> float:
    """Return the share of one operation in a clock step; those of a sample share it."""
    return max(
        (
            launch.clock.resolution_s / result.operations
            for launch, result in evidence.reports(index)
            if launch.clock
        ),
        default=0.0,
    )
