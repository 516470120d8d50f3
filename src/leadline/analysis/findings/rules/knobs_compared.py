"""Values of a knob, such as the eager limit: which is faster, and where."""

from collections.abc import Iterator

from leadline.analysis.findings.contest import Contest, contests, curves_by
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.measure.knobs.knob import DEFAULT
from leadline.model.interference import BESIDE
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = "Set the value that is faster at the sizes that your program sends."
EVIDENCE = {
    "*": "sizes or cases at which each value is faster, with the largest ratio of each",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each value beside `default`, or beside the first where that is not there.

    A notice where the value is faster anywhere, a fact where it only loses.
    """
    # Different values never share a launch: one launch of each shows chance alone.
    indices = [i for i, point in enumerate(evidence.points) if point.launches > 1]
    for knob in dict.fromkeys(name for i in indices for name in evidence.points[i].knobs):
        if knob == BESIDE:  # nobody sets it to gain something: `impact_factor` tells what it costs
            continue
        yield from _of_knob(
            evidence, knob, [i for i in indices if knob in evidence.points[i].knobs]
        )


def _of_knob(evidence: Evidence, knob: str, indices: list[int]) -> Iterator[Finding]:
    def choice(point: PointSummary) -> str:
        return point.knobs[knob]

    def rest(point: PointSummary) -> object:
        choices = evidence.choices(point, without=[knob])
        return (point.benchmark, choices, point.mpi, point.series)

    for curves in curves_by(evidence, indices, choice, rest):
        default = DEFAULT if DEFAULT in curves else next(iter(curves))
        for contest in contests(evidence, curves, default):
            yield _finding(evidence, knob, contest)


def _finding(evidence: Evidence, knob: str, contest: Contest) -> Finding:
    name = name_of(evidence, contest.figures[0], without=[knob, *contest.told])
    if not contest.faster:
        won = contest.reversed
        told = won.sentences(f"{knob}={won.choice}", f"{knob}={won.default}")
        return contest.finding("fact", f"{name}: {told}")
    told = contest.sentences(f"{knob}={contest.choice}", f"{knob}={contest.default}")
    return contest.finding(
        "notice",
        f"{name}: {told}",
        f"Set {knob}={contest.choice} where this matters.",
        command=contest.proof(evidence),
        gain=contest.gain,
    )
