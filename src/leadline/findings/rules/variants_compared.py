"""Points that differ in one choice only, such as the algorithm: which is faster, and where."""

from collections.abc import Iterator

from leadline.findings.contest import Contest, contests, curves_by
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import command, name_of
from leadline.model.description import Axis
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each choice beside the default: a notice where the default is slower."""
    for benchmark in evidence.run.benchmarks:
        indices = [i for i, p in enumerate(evidence.points) if p.benchmark == benchmark.name]
        for axis in benchmark.axes:
            if axis.kind == "choice":
                yield from _of_axis(evidence, axis, indices)


def _of_axis(evidence: Evidence, axis: Axis, indices: list[int]) -> Iterator[Finding]:
    def choice(point: PointSummary) -> str:
        return str(point.axes.get(axis.name, axis.default))

    def rest(point: PointSummary) -> object:
        others = {name: value for name, value in point.axes.items() if name != axis.name}
        shape = (point.nodes, point.processes_per_node, point.mpi, point.series)
        return (variant(others, point.conditions), *shape)

    for curves in curves_by(evidence, indices, choice, rest):
        default = next(value for value in (axis.default, *axis.choices, *curves) if value in curves)
        for contest in contests(evidence, curves, default):
            yield _finding(evidence, axis.name, contest)


def _finding(evidence: Evidence, axis: str, contest: Contest) -> Finding:
    launches = max(10, 2 * evidence.run.plan.launches)
    name = name_of(evidence, contest.figures[0], without=["bytes", axis])
    better = [index for win in contest.faster for index in (win.loser, win.winner)]
    advice = None
    if better:
        again = command(evidence, better, launches=launches)
        advice = f"Use {axis}={contest.choice} there; prove it first with `{again}`."
    return Finding(
        kind=kind_of(__name__),
        severity="notice" if better else "fact",
        text=f"{name}: {axis}={contest.choice} against {axis}={contest.default} is "
        f"{contest.text()}.",
        evidence=contest.numbers(),
        advice=advice,
        points=contest.figures,
    )
