"""Limits that figures exceed: the figure, or the limit, is wrong."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import excess
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import again, name_of, worst_of
from leadline.analysis.results.rates import beaten_roofs
from leadline.core.units import count, format_seconds, rate_text, times
from leadline.model.imported import Bound
from leadline.model.summary import Finding, PointSummary


@rule(
    "trust",
    cure=(
        "Do not use the figures. Time more operations in one sample, or check the definition and "
        "the limit."
    ),
    evidence={
        "min_s": "shortest time",
        "median_s": "the figure",
        "clock_step_s": "step of the clock, for one operation",
        "beyond_factor": "figure over limit, or limit over figure for a time",
        "limit": "the limit, in the unit of the figure",
        "figures": "figures beyond the limit",
    },
)
def impossible(evidence: Evidence) -> Iterator[Finding]:
    """Figures that cannot be right."""
    step = {index: _step_s(evidence, index) for index in range(len(evidence.points))}
    group = [
        index
        for index, point in enumerate(evidence.points)
        if _least_s(point) <= 0 or point.median_s < step[index]
    ]
    if group:
        worst = min(group, key=lambda index: _least_s(evidence.points[index]))
        point = evidence.points[worst]
        clock = f" (one step of the clock: {format_seconds(step[worst])})"
        yield Finding(
            severity="problem",
            text=f"{name_of(evidence, worst)} cannot be right: the shortest time is "
            f"{format_seconds(_least_s(point))}, the median {format_seconds(point.median_s)}"
            f"{clock if step[worst] else ''}.{worst_of(group)}",
            evidence={
                "min_s": _least_s(point),
                "median_s": point.median_s,
                "clock_step_s": step[worst],
                "figures": float(len(group)),
            },
            advice=Advise.CLOCK(),
            command="leadline check",
            points=tuple(group),
        )
    yield from _beyond(evidence)


def _beyond(evidence: Evidence) -> Iterator[Finding]:
    beyond: dict[int, tuple[float, Bound]] = {}
    for index, point in enumerate(evidence.points):
        if found := excess(evidence, point):
            beyond[index] = found
    if group := list(beyond):
        worst = max(group, key=lambda index: beyond[index][0])
        factor, bound = beyond[worst]
        point = evidence.points[worst]
        excess_text = (
            f"{format_seconds(point.median_s)} is less than the least possible, "
            f"{format_seconds(bound.value)}"
        )
        if bound.quantity == "bandwidth_MBps":
            rate = rate_text(point.bandwidth_MBps or 0.0)
            excess_text = f"{rate} is {times(factor)} the limit of {rate_text(bound.value)}"
        yield Finding(
            severity="problem",
            text=f"{name_of(evidence, worst)} cannot be right: {excess_text} "
            f"({bound.source or 'given'}).{worst_of(group)}",
            effect=factor,
            evidence={
                "beyond_factor": factor,
                "limit": bound.value,
                "median_s": point.median_s,
                "figures": float(len(group)),
            },
            advice=Advise.PATH(),
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


@rule(
    "hardware",
    cure="Measure the limit again on a quiet machine.",
    evidence={"factor": "how far the limit is exceeded", "figures": "figures that are no limit"},
)
def roof_beaten(evidence: Evidence) -> Iterator[Finding]:
    """Hardware limits that a correct figure of the run exceeds: they are no limits."""
    beaten = beaten_roofs(evidence.points, evidence.run.benchmarks)
    by_benchmark: dict[str, list[int]] = defaultdict(list)
    for index in beaten:
        by_benchmark[evidence.points[index].benchmark].append(index)
    for name, found in by_benchmark.items():
        worst = max(found, key=lambda index: beaten[index][1])
        faster, factor = beaten[worst]
        yield Finding(
            severity="problem",
            text=f"{evidence.title(name)} is no limit in {count(len(found), 'figure')}: "
            f"{name_of(evidence, faster)} is {times(factor)} faster than "
            f"{name_of(evidence, worst)} allows.",
            effect=factor,
            evidence={"factor": factor, "figures": float(len(found))},
            advice=Advise.MORE_LAUNCHES(),
            command=again(evidence, found, launches=10),
            points=(*found, faster),
        )
