"""Times that rise or fall all through a launch.

Rising times point to heat, or memory that fills up; falling ones to caches and the clock frequency.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import times
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Find out with `leadline doctor` what varies here. A figure that drifts depends on how long it "
    "is measured."
)
EVIDENCE = {"drift_factor": "time at the end of a launch over time at the start, on a line"}

_MATTERS = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice about the figure that drifts most within launches, and their number."""
    factors = {
        index: point.shape.drift_factor
        for index, point in enumerate(evidence.points)
        if point.shape and point.shape.drift_factor and _size(point.shape.drift_factor) >= _MATTERS
    }
    if factors:
        worst = max(factors, key=lambda index: _size(factors[index] or 1.0))
        factor = factors[worst] or 1.0
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} gets {times(_size(factor))} "
            f"{'slower' if factor > 1 else 'faster'} during each launch.{worst_of(list(factors))}",
            effect=factor,
            evidence={"drift_factor": factor},
            advice="Find out what varies: temperature, clock frequency or memory.",
            command="leadline doctor",
            points=tuple(factors),
        )


def _size(factor: float) -> float:
    return max(factor, 1 / factor)
