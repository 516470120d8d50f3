"""What other jobs beside this one cost: figures with and without them, or kept apart from them."""

from collections.abc import Iterator

from leadline.analysis.findings.contest import Contest, contests_over
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, proof
from leadline.core.units import percent, rate_text
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Keep neighbours off, and say with each result what ran beside it."

# Axes of which a value says what runs beside a job, or how far off it is kept.
NEIGHBOURS = frozenset({"neighbours", "congestor", "spacer"})


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each state of the neighbours in which figures clearly differ."""
    for benchmark in evidence.run.benchmarks:
        indices = [i for i, p in enumerate(evidence.points) if p.benchmark == benchmark.name]
        for axis in benchmark.axes:
            if axis.name in NEIGHBOURS:
                for found in contests_over(evidence, axis, indices):
                    yield from (_finding(evidence, axis.name, contest) for contest in found)


def _finding(evidence: Evidence, axis: str, contest: Contest) -> Finding:
    quieter, wins = contest.choice, contest.faster
    if len(contest.slower) > len(contest.faster):
        quieter, wins = contest.default, contest.slower
    name = name_of(evidence, contest.figures[0], without=[axis, *contest.told])
    best = max(wins, key=lambda win: win.ratio.median)
    winner, loser = evidence.points[best.winner], evidence.points[best.loser]
    rates = ""
    numbers = {"lost_fraction": 1 - 1 / best.ratio.median}
    if winner.bandwidth_MBps and loser.bandwidth_MBps:
        rates = f": {rate_text(loser.bandwidth_MBps)} against {rate_text(winner.bandwidth_MBps)}"
        numbers |= {"with_MBps": loser.bandwidth_MBps, "without_MBps": winner.bandwidth_MBps}
    return contest.finding(
        "notice",
        f"{name}: what runs beside it takes up to {percent(numbers['lost_fraction'])} of the "
        f"rate{rates}, {best.case.text}. {axis}={contest.choice} against "
        f"{axis}={contest.default} is {contest.text()}.",
        f"Keep neighbours off as with {axis}={quieter}, and say with each figure what ran "
        f"beside it. {proof(evidence, contest.figures, launches=10)}.",
        numbers,
    )
