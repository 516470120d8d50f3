"""Libraries that a program may be built with: which one is faster, and where."""

from collections.abc import Iterator

from leadline.analysis.findings.contest import Case, Contest, case_of, contests, curves_by
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import library_axis, name_of
from leadline.measure.knobs.knob import DEFAULT
from leadline.model.plan import Value
from leadline.model.profile import LIBRARY
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = "Use the library that is faster at the sizes that your program sends."
EVIDENCE = {
    "*": "sizes or cases at which each library is faster, with the largest ratio of each",
}

_SIZES = "these sizes matter"


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each MPI beside the run's first: a notice where the first is slower.

    What is compared is what a program gets: no algorithm that a library is given.
    """

    def rest(point: PointSummary) -> object:
        return (point.benchmark, point.series, evidence.task(point))

    def case(point: PointSummary) -> Case:
        known = case_of(evidence, point)
        return known._replace(amounts=(*known.amounts, *_chosen(evidence, point)))

    order = dict.fromkeys(point.mpi for point in evidence.run.points)
    # Different programs never share a launch: one launch of each shows chance alone. Of figures
    # without an interval a larger difference is asked for.
    indices = [i for i, p in enumerate(evidence.points) if p.launches > 1 or p.interval is None]
    indices = _as_shipped(evidence, [i for i in indices if _own(evidence, evidence.points[i])])
    for curves in curves_by(evidence, indices, lambda point: point.mpi, rest, case):
        default = next(mpi for mpi in (*order, *curves) if mpi in curves)
        for contest in contests(evidence, curves, default):
            yield _finding(evidence, contest)


def _own(evidence: Evidence, point: PointSummary) -> bool:
    """Tell whether the library did the work in its own way."""
    axis = library_axis(evidence, point.benchmark)
    return axis is None or str(point.axes.get(axis.name, LIBRARY)) == LIBRARY


def _chosen(evidence: Evidence, point: PointSummary) -> Iterator[tuple[str, Value]]:
    """Yield the choices of the program's in which figures of the benchmark differ."""
    amounts = dict(evidence.amounts(point))
    named = {**point.axes, **point.conditions}
    for name in sorted(evidence.varying.get(point.benchmark, ())):
        axis = library_axis(evidence, point.benchmark)
        if name in named and name not in amounts and not (axis and axis.name == name):
            yield name, named[name]


def _finding(evidence: Evidence, contest: Contest) -> Finding:
    name = name_of(evidence, contest.figures[0], without=["mpi", *contest.told])
    if not contest.faster:
        won = contest.reversed
        return contest.finding("fact", f"{name}: {won.sentences(won.choice, won.default)}")
    foreign = evidence.run.imported or evidence.run.platform
    return contest.finding(
        "notice",
        f"{name}: {contest.sentences(contest.choice, contest.default)}",
        f"Use {contest.choice} where {'this matters' if contest.cases[0].size < 0 else _SIZES}.",
        command=None if foreign else f"leadline mpi default {contest.choice}",
        gain=contest.gain,
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
