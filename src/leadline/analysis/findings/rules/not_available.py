"""Points that cannot be measured here, with the reason."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Choose another library or placement, if the point matters."
EVIDENCE = {"points_skipped": "points left out for this reason"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each reason that a probe gave for leaving points out."""
    points = {point.index: point for point in evidence.run.points}
    reasons: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for launch in evidence.run.launches:
        for skip in launch.skipped:
            point = points[skip.point]
            reasons[point.benchmark, point.mpi, skip.reason].add(skip.point)
    for (benchmark, mpi, reason), skipped in sorted(reasons.items()):
        yield Finding(
            severity="fact",
            text=f"{evidence.title(benchmark)} with {mpi}: {count(len(skipped), 'point')} not "
            f"measured, because {reason}.",
            evidence={"points_skipped": float(len(skipped))},
        )
