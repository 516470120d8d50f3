"""Figures of more processes than cores."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import place_of
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Place at most one process on a core to measure the interconnect."
EVIDENCE = {
    "figures": "figures with more processes than cores",
    "most_processes": "most processes of one figure",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for all figures of oversubscribed launches."""
    marked = [index for index, point in enumerate(evidence.points) if point.oversubscribed]
    if not marked:
        return
    places = ", ".join(dict.fromkeys(place_of(evidence.points[index]) for index in marked))
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} (placement {places}) had more processes than "
        "cores. These times show the scheduler, not the interconnect.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice=ADVICE,
        points=tuple(marked),
    )
