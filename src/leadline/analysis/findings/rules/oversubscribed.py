"""More processes than cores."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import place_of
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "For figures of the interconnect take a placement with at most one process a core."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for all figures of oversubscribed launches."""
    marked = [index for index, point in enumerate(evidence.points) if point.oversubscribed]
    if not marked:
        return
    places = ", ".join(dict.fromkeys(place_of(evidence.points[index]) for index in marked))
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} (placement {places}) had more processes than "
        "cores: ranks wait for a core, so these times tell of the scheduler and of how the "
        "library waits, not of the interconnect.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice=ADVICE,
        points=tuple(marked),
    )
