"""Weak scaling: whether time holds where work grows with the processes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.scaling import GAIN, by_processes
from leadline.analysis.findings.words import compared_text, name_of
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.units import percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "speed"
ADVICE = "Look for what all processes share: global sums, one link, one file."
EVIDENCE = {
    "weak_ratio": "time on the most processes over the fewest",
    "efficiency_fraction": "its inverse",
    "from_processes": "fewest",
    "to_processes": "most",
}

_ITERATIONS = "iterations"


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each set of figures with as much work on each process.

    A notice where the time grows by a tenth or more, a fact where it holds. Where iterations are
    counted, it is the time of one.
    """
    groups: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if WORK in point.metrics and point.median_s > 0 and not point.oversubscribed:
            groups[_key(evidence, point)].append(index)
    for alike in groups.values():
        for by_count in by_processes(evidence, alike):
            yield from _of_group(evidence, by_count)


def _key(evidence: Evidence, point: PointSummary) -> object:
    each = point.metrics[WORK] / point.processes
    measured = (point.benchmark, point.series, point.mpi)
    return (*measured, evidence.choices(point), f"{each:.2g}")


def _of_group(evidence: Evidence, by_count: Mapping[int, int]) -> Iterator[Finding]:
    first, last = min(by_count), max(by_count)
    one, other = (evidence.points[by_count[n]] for n in (first, last))
    ratio = time_ratio(other, one)
    if ratio is None:
        return
    if _ITERATIONS in one.metrics and _ITERATIONS in other.metrics:
        ratio = ratio.scaled(one.metrics[_ITERATIONS] / other.metrics[_ITERATIONS])
    breaks = clearly_longer(ratio, useful=GAIN)
    holds = ratio.median < GAIN
    if not (breaks or holds):
        return
    amounts = [axis for axis, _ in evidence.amounts(other)]
    name = name_of(evidence, by_count[last], without=["place", "bytes", *amounts])
    yield Finding(
        severity="notice" if breaks else "fact",
        text=f"{name}: weak scaling {'breaks' if breaks else 'holds'}, efficiency "
        f"{percent(1 / ratio.median)}. {_change(ratio, first, last)}.",
        effect=ratio.median,
        evidence={
            **ratio.evidence("weak_ratio"),
            "efficiency_fraction": 1 / ratio.median,
            "from_processes": float(first),
            "to_processes": float(last),
        },
        advice=_advice(evidence, by_count) if breaks else None,
        points=tuple(by_count.values()),
    )


def _change(ratio: Ratio, first: int, last: int) -> str:
    slower = ratio.median > 1
    told = compared_text(ratio if slower else ratio.inverse(), "slower" if slower else "faster")
    return f"{last} processes are {told} than {first} with the same work on each"


def _advice(evidence: Evidence, by_count: Mapping[int, int]) -> str:
    steps = list(by_count)
    worst = max(
        range(1, len(steps)),
        key=lambda i: (
            evidence.points[by_count[steps[i]]].median_s
            / evidence.points[by_count[steps[i - 1]]].median_s
        ),
    )
    return (
        f"Look for what all processes share between {steps[worst - 1]} and {steps[worst]} of "
        "them: global sums, one link, one file."
    )
