"""Points without a figure, because every repetition was left out."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command_for, place_of
from leadline.core.units import count, format_bytes
from leadline.model.summary import Finding, MissingFigure

TOPIC = "trust"
ADVICE = "Measure these points again on a quieter machine, or start after a barrier."
EVIDENCE = {
    "points": "points without a figure",
    "repetitions_set_aside": "repetitions that were left out",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one problem for the points whose repetitions are all unusable."""
    groups: dict[tuple[str, str], list[MissingFigure]] = defaultdict(list)
    for point in evidence.missing:
        if point.set_aside:
            groups[point.benchmark, point.mpi].append(point)
    every = [point for group in groups.values() for point in group]
    if every:
        first = every[0]
        job = groups[first.benchmark, first.mpi]
        size = "" if first.bytes is None else f", {format_bytes(first.bytes)}"
        late = any(point.flags.get("late_start") for point in job)
        options = {"start": "barrier"} if late else {}
        yield Finding(
            severity="problem",
            text=f"{count(len(every), 'point')} {'has' if len(every) == 1 else 'have'} no figure "
            f"(first: {evidence.title(first.benchmark)}{size} on {place_of(first)}): "
            f"{first.reason}.",
            evidence={
                "points": float(len(every)),
                "repetitions_set_aside": float(sum(point.set_aside for point in every)),
            },
            advice="Measure again, started after a barrier." if late else "Measure again.",
            command=command_for(evidence, job, **options),
        )
