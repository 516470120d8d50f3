"""Figures with and without other jobs on the machine, or with more and less distance to them."""

from collections.abc import Iterator

import msgspec

from leadline.analysis.findings.contest import Contest, contests_over
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of
from leadline.core.units import percent, rate_text
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Keep neighbours off, and report them with each result."
EVIDENCE = {
    "lost_fraction": "part of the rate that neighbours cost",
    "with_MBps": "rate with neighbours",
    "without_MBps": "rate without",
    "*": "sizes or cases at which each state is faster, and the largest ratio of each",
}

# Axes of which a value says what runs next to a job, or how far off it is kept.
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
    quieter, noisier, wins = contest.choice, contest.default, contest.faster
    if len(contest.slower) > len(contest.faster):
        quieter, noisier, wins = contest.default, contest.choice, contest.slower
    name = name_of(evidence, contest.figures[0], without=[axis, *contest.told])
    best = max(wins, key=lambda win: win.ratio.median)
    winner, loser = evidence.points[best.winner], evidence.points[best.loser]
    rates = ""
    numbers = {"lost_fraction": 1 - 1 / best.ratio.median}
    if winner.bandwidth_MBps and loser.bandwidth_MBps:
        rates = f": {rate_text(loser.bandwidth_MBps)} against {rate_text(winner.bandwidth_MBps)}"
        numbers |= {"with_MBps": loser.bandwidth_MBps, "without_MBps": winner.bandwidth_MBps}
    found = contest.finding(
        "notice",
        f"Neighbours cost {name} up to {percent(numbers['lost_fraction'])} of the rate{rates}, "
        f"{best.case.text} ({axis}={noisier} against {axis}={quieter}).",
        f"Keep neighbours off as with {axis}={quieter}, and report them with each figure.",
        numbers,
    )
    if evidence.run.imported:
        return found
    return msgspec.structs.replace(found, command=command(evidence, contest.figures, launches=10))
