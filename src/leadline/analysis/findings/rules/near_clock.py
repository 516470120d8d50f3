"""Figures of which the clock and the harness are a visible part."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Take the figure as an upper bound: nothing is subtracted."
EVIDENCE = {
    "clock_and_harness_s": "step of the clock and time of the harness, for one operation",
    "median_s": "the figure",
}

_SMALL = 0.05


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice where clock step and harness are not small against what was timed."""
    added = {index: _overhead_s(evidence, index) for index in range(len(evidence.points))}
    near = [i for i, point in enumerate(evidence.points) if added[i] > _SMALL * point.median_s > 0]
    if group := near:
        worst = max(group, key=lambda index: added[index] / evidence.points[index].median_s)
        median_s = evidence.points[worst].median_s
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} takes {format_seconds(median_s)}, of which up to "
            f"{format_seconds(added[worst])} ({percent(added[worst] / median_s)}) are measurement "
            f"overhead.{worst_of(group)}",
            evidence={"clock_and_harness_s": added[worst], "median_s": median_s},
            advice=ADVICE,
            points=tuple(group),
        )


def _overhead_s(evidence: Evidence, index: int) -> float:
    """Return what clock step and harness add to one operation: those of a sample share them."""
    return max(
        (
            (launch.clock.resolution_s + launch.clock.harness_in_figure_s) / result.operations
            for launch, result in evidence.reports(index)
            if launch.clock
        ),
        default=0.0,
    )
