"""The same points on several MPIs: which is faster, and where."""

from collections.abc import Iterator

from leadline.findings.contest import contests, curves_by
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import name_of
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each MPI beside the run's first: a notice where the first is slower."""
    order = dict.fromkeys(point.mpi for point in evidence.run.points)
    # Different programs never share a launch: one launch of each shows chance alone.
    indices = [i for i, point in enumerate(evidence.points) if point.launches > 1]
    for curves in curves_by(evidence, indices, lambda point: point.mpi, _rest):
        default = next(mpi for mpi in (*order, *curves) if mpi in curves)
        for contest in contests(evidence, curves, default):
            name = name_of(evidence, contest.figures[0], without=["bytes", "mpi"])
            yield Finding(
                kind=kind_of(__name__),
                severity="notice" if contest.faster else "fact",
                text=f"{name}: {contest.choice} against {contest.default} is {contest.text()}.",
                evidence=contest.numbers(),
                advice=f"Where these sizes matter take `--mpi {contest.choice}`; "
                f"`leadline mpi default {contest.choice}` makes it the default."
                if contest.faster
                else None,
                points=contest.figures,
            )


def _rest(point: PointSummary) -> object:
    axes = variant(point.axes, point.conditions)
    return (point.benchmark, point.series, axes, point.nodes, point.processes_per_node)
