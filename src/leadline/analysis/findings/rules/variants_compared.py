"""Points that differ in one choice only, such as the algorithm: which is faster, and where."""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.contest import Contest, contests_over, largest, sides_text, ways
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rules.neighbours_disturb import NEIGHBOURS
from leadline.analysis.findings.words import name_of
from leadline.core.units import number
from leadline.model.description import Axis
from leadline.model.summary import Finding

TOPIC = "choice"
ADVICE = "Use the faster choice there; prove it with more launches first."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each choice that is faster than the default anywhere.

    A fact for those that only lose, all of them together.
    """
    for benchmark in evidence.run.benchmarks:
        for axis, indices in ways(evidence, benchmark):
            if axis.name not in NEIGHBOURS:
                yield from _of_axis(evidence, axis, indices)


def _of_axis(evidence: Evidence, axis: Axis, indices: list[int]) -> Iterator[Finding]:
    for found in contests_over(evidence, axis, indices):
        yield from (_better(evidence, axis.name, one) for one in found if one.faster)
        if worse := [one for one in found if not one.faster]:
            yield _worse(evidence, axis.name, worse)


def _better(evidence: Evidence, axis: str, contest: Contest) -> Finding:
    name = name_of(evidence, contest.figures[0], without=[axis, *contest.told])
    return contest.finding(
        "notice",
        f"{name}: {sides_text(evidence, axis, contest)} is {contest.text()}.",
        f"Use {axis}={contest.choice} there. {contest.proof(evidence)}.",
    )


def _worse(evidence: Evidence, axis: str, found: Sequence[Contest]) -> Finding:
    found = sorted(found, key=lambda one: -largest(one.slower).ratio.median)
    first = found[0]
    name = name_of(evidence, first.figures[0], without=[axis, *first.told])
    if len(found) == 1:
        told = f"{sides_text(evidence, axis, first)} is {first.text()}"
    else:
        # The best of those that lose has the smallest loss, the first the largest.
        each = ", ".join(f"{one.choice} {_span(one)}" for one in found)
        unsure = "" if largest(first.slower).ratio.interval else " (no interval)"
        told = f"slower than {axis}={first.default} are {axis}={each}{unsure}"
    return Finding(
        severity="fact",
        text=f"{name}: {told}.",
        effect=first.effect,
        evidence=first.numbers() | {"choices_slower": float(len(found))},
        points=tuple(dict.fromkeys(index for one in found for index in one.figures)),
    )


def _span(contest: Contest) -> str:
    """Return the least and the most that a choice loses, such as `3.28 to 3.59 times`."""
    ratios = sorted(win.ratio.median for win in contest.slower)
    least = f"{number(ratios[0])} to " if number(ratios[0]) != number(ratios[-1]) else ""
    return f"{least}{number(ratios[-1])} times"
