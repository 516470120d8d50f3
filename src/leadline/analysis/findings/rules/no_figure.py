"""Measured points without a figure, because every repetition of them was set aside."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command_for, place_of
from leadline.core.units import count, format_bytes
from leadline.model.summary import Finding, MissingFigure

TOPIC = "trust"
ADVICE = (
    "Measure these points again on a quieter machine. `--start barrier` needs no agreed start,"
    " and ranks then begin when each leaves the barrier."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each benchmark and MPI with points whose repetitions are all unusable."""
    groups: dict[tuple[str, str], list[MissingFigure]] = defaultdict(list)
    for point in evidence.missing:
        if point.set_aside:
            groups[point.benchmark, point.mpi].append(point)
    for (benchmark, mpi), missing in groups.items():
        first = missing[0]
        size = "" if first.bytes is None else f"at {format_bytes(first.bytes)} "
        late = any(point.flags.get("late_start") for point in missing)
        options = {"start": "barrier"} if late else {}
        yield Finding(
            severity="problem",
            text=f"{benchmark} with {mpi} has no figure at {count(len(missing), 'point')}, the "
            f"first {size}on {place_of(first)}: {first.reason}.",
            evidence={
                "points": float(len(missing)),
                "repetitions_set_aside": float(sum(point.set_aside for point in missing)),
            },
            advice=f"Measure again: `{command_for(evidence, missing, **options)}`.",
        )
