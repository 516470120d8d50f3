"""Times that rise or fall all through a launch."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import number
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "A figure that drifts depends on how long it is measured. Rising times come with heat or "
    "memory that fills up, falling ones with caches and clock frequency: `leadline doctor` says"
    " what is variable here."
)

_MATTERS = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice about the figure that drifts most within launches, and how many others do."""
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
            text=f"{name_of(evidence, worst)} drifts: at the end of a launch it takes "
            f"{number(factor)} times what it takes at the start.{worst_of(list(factors))}",
            effect=factor,
            evidence={"drift_factor": factor},
            advice=ADVICE,
            points=tuple(factors),
        )


def _size(factor: float) -> float:
    return max(factor, 1 / factor)
