"""Times that a simulator computed: nothing was measured."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Use simulated figures to compare designs, not as measurements."
EVIDENCE = {
    "figures": "simulated figures",
    "most_processes": "most processes of one figure",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for all figures of a simulated run."""
    marked = [index for index, point in enumerate(evidence.points) if point.simulated]
    platform = evidence.run.platform
    if not marked or platform is None:
        return
    stated = [each.error for each in platform.calibration]
    near = f" (its ping-pong within {percent(max(stated))})" if stated else ""
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} {'was' if len(marked) == 1 else 'were'} simulated on "
        f"platform {platform.name}{near}. In this model only messages take time.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice="Look up the assumptions of the model.",
        command=f"leadline platforms {platform.name}",
        points=tuple(marked),
    )
