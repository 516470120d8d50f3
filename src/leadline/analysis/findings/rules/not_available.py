"""What was asked for and cannot be measured here."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Nothing, or another library or placement that has it."


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
            text=f"{benchmark} with {mpi}: {count(len(skipped), 'point')} left out, because "
            f"{reason}.",
            evidence={"points_skipped": float(len(skipped))},
        )
