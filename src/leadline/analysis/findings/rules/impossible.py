"""Figures that cannot be right."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import excess
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, number, rate_text
from leadline.model.imported import Bound
from leadline.model.summary import Finding, PointSummary

TOPIC = "trust"
ADVICE = (
    "Do not use the figures: time more operations in one sample, or look at the definition and "
    "the limit."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for times of zero or less, below the clock's step, or beyond a limit."""
    step = {index: _step_s(evidence, index) for index in range(len(evidence.points))}
    wrong = [
        index
        for index, point in enumerate(evidence.points)
        if _least_s(point) <= 0 or point.median_s < step[index]
    ]
    for group in evidence.groups(wrong):
        worst = min(group, key=lambda index: _least_s(evidence.points[index]))
        point = evidence.points[worst]
        clock = f", where one step of the clock is {format_seconds(step[worst])} of an operation"
        yield Finding(
            severity="problem",
            text=f"{name_of(evidence, worst)} cannot be right: its times begin at "
            f"{format_seconds(_least_s(point))} with a median of {format_seconds(point.median_s)}"
            f"{clock if step[worst] else ''}.{worst_of(group)}",
            evidence={
                "min_s": _least_s(point),
                "median_s": point.median_s,
                "clock_step_s": step[worst],
                "figures": float(len(group)),
            },
            advice="Look at the clocks first: `leadline doctor` names the clock source.",
            points=tuple(group),
        )
    yield from _beyond(evidence)


def _beyond(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each benchmark and MPI with figures that no hardware allows."""
    beyond: dict[int, tuple[float, Bound]] = {}
    for index, point in enumerate(evidence.points):
        if found := excess(evidence, point):
            beyond[index] = found
    for group in evidence.groups(beyond):
        worst = max(group, key=lambda index: beyond[index][0])
        factor, bound = beyond[worst]
        point = evidence.points[worst]
        figure = format_seconds(point.median_s)
        limit = format_seconds(bound.value)
        if bound.quantity == "bandwidth_MBps":
            figure, limit = rate_text(point.bandwidth_MBps or 0.0), rate_text(bound.value)
        yield Finding(
            severity="problem",
            text=f"{name_of(evidence, worst)} cannot be right: {figure} are beyond what is "
            f"possible ({limit}, {bound.source or 'given'}), {number(factor)} times."
            f"{worst_of(group)}",
            effect=factor,
            evidence={
                "beyond_factor": factor,
                "limit": bound.value,
                "median_s": point.median_s,
                "figures": float(len(group)),
            },
            advice="Either the data took another way than that limit is of, such as memory instead "
            "of the link, or the time does not cover the whole transfer: look at the definition.",
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
