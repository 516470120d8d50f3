"""Times that a simulator computed and nothing measured."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Use them for what if, not as measurements."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for all figures of a simulated run."""
    marked = [index for index, point in enumerate(evidence.points) if point.simulated]
    platform = evidence.run.platform
    if not marked or platform is None:
        return
    stated = [each.error for each in platform.calibration]
    near = f", which gives its ping-pong within {max(stated):.0%}" if stated else ""
    yield Finding(
        severity="notice",
        text=f"{count(len(marked), 'figure')} simulated on the platform {platform.name}{near}: "
        "every finding here is about that model, in which only messages take time.",
        evidence={
            "figures": float(len(marked)),
            "most_processes": float(max(evidence.points[index].processes for index in marked)),
        },
        advice=f"`leadline platforms {platform.name}` says what the model knows and assumes.",
        points=tuple(marked),
    )
