"""The same points on several MPIs: which is faster, and where."""

from collections.abc import Iterator

from leadline.analysis.findings.contest import Contest, contests, curves_by
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, proof
from leadline.measure.knobs.knob import DEFAULT
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = (
    "Use the faster library where your program spends its time; prove it with more launches first."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each MPI beside the run's first: a notice where the first is slower."""

    def rest(point: PointSummary) -> object:
        return (point.benchmark, point.series, evidence.choices(point))

    order = dict.fromkeys(point.mpi for point in evidence.run.points)
    # Different programs never share a launch: one launch of each shows chance alone. Of figures
    # without an interval a larger difference is asked for.
    indices = [i for i, p in enumerate(evidence.points) if p.launches > 1 or p.interval is None]
    indices = _as_shipped(evidence, indices)
    for curves in curves_by(evidence, indices, lambda point: point.mpi, rest):
        default = next(mpi for mpi in (*order, *curves) if mpi in curves)
        for contest in contests(evidence, curves, default):
            name = name_of(evidence, contest.figures[0], without=["mpi", *contest.told])
            yield contest.finding(
                "notice" if contest.faster else "fact",
                f"{name}: {contest.choice} against {contest.default} is {contest.text()}.",
                _advice(evidence, contest) if contest.faster else None,
            )


def _as_shipped(evidence: Evidence, indices: list[int]) -> list[int]:
    """Leave out figures with knobs where there are some without: libraries as they come."""
    plain = {
        evidence.points[i].benchmark
        for i in indices
        if all(value == DEFAULT for value in evidence.points[i].knobs.values())
    }
    return [
        i
        for i in indices
        if evidence.points[i].benchmark not in plain
        or all(value == DEFAULT for value in evidence.points[i].knobs.values())
    ]


def _advice(evidence: Evidence, contest: Contest) -> str:
    if evidence.run.imported:
        return f"Where this matters take {contest.choice}. {proof(evidence, contest.figures)}."
    return (
        f"Where these sizes matter take `--mpi {contest.choice}`; "
        f"`leadline mpi default {contest.choice}` makes it the default."
    )
