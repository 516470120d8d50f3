"""Choices that are fastest with wrong answers."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from leadline.analysis.findings.contest import case_of
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import compared_text, name_of
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.model.summary import Finding

TOPIC = "choice"
ADVICE = "Do not use this choice: it leaves out work that the answer needs."
EVIDENCE = {
    "ratio": "time of the fastest right choice over the wrong one",
    "figures": "wrong figures",
}


class _Wrong(NamedTuple):
    wrong: int
    right: int
    ratio: Ratio


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each choice whose figures are wrong and beat the fastest right ones."""
    cases: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        task = evidence.task(point)
        cases[point.benchmark, point.series, task, case_of(evidence, point)].append(index)
    groups: dict[object, list[_Wrong]] = defaultdict(list)
    for indices in cases.values():
        points = {index: evidence.points[index] for index in indices}
        right = [index for index, point in points.items() if point.verified]
        if not right:
            continue
        best = min(right, key=lambda index: points[index].median_s)
        for index in set(indices) - set(right):
            ratio = time_ratio(points[best], points[index])
            if ratio is not None and clearly_longer(ratio):
                key = (points[index].benchmark, points[index].series, points[index].mpi)
                choices = evidence.choices(points[index])
                groups[key, choices].append(_Wrong(index, best, ratio))
    for found in groups.values():
        yield _finding(evidence, found)


def _finding(evidence: Evidence, found: list[_Wrong]) -> Finding:
    worst = max(found, key=lambda one: one.ratio.median)
    trials = dict.fromkeys(t for one in found for t in evidence.points[one.wrong].failed_trials)
    fails = f" (it fails {', '.join(trials)})" if trials else ""
    return Finding(
        severity="problem",
        text=f"{name_of(evidence, worst.wrong)} is wrong{fails}. The fastest right choice, "
        f"{name_of(evidence, worst.right)}, is {compared_text(worst.ratio, 'slower')}.",
        effect=worst.ratio.median,
        evidence={**worst.ratio.evidence(), "figures": float(len(found))},
        advice="Do not use this choice.",
        points=tuple(index for one in found for index in (one.wrong, one.right)),
    )
