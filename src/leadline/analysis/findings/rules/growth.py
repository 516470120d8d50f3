"""Times over numbers of processes: weak scaling, and growth beyond the logarithm."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.contest import Case, case_of
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.scaling import GAIN, by_processes
from leadline.analysis.findings.words import and_text, compared_text, name_of
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.units import format_bytes, percent, times
from leadline.model.summary import Finding, PointSummary

_ITERATIONS = "iterations"


@rule(
    "speed",
    evidence={
        "weak_ratio": "time on the most processes over the fewest",
        "efficiency_fraction": "its inverse",
        "from_processes": "fewest",
        "to_processes": "most",
    },
)
def weak_scaling(evidence: Evidence) -> Iterator[Finding]:
    """Weak scaling: whether time holds where work grows with the processes."""
    # A notice where the time grows by a tenth or more, a fact where it holds. Where iterations are
    # counted, it is the time of one.
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
        points=tuple(by_count.values()),
    )


def _change(ratio: Ratio, first: int, last: int) -> str:
    slower = ratio.median > 1
    change = compared_text(ratio if slower else ratio.inverse(), "slower" if slower else "faster")
    return f"{last} processes are {change} than {first} with the same work on each"


_COUNTS = 3

# More than this beyond the logarithm is a notice; within so little of it is a fact.
_FASTER = 1.25
_SAME = 0.05


class _Growth(NamedTuple):
    """What one choice and MPI grow by beyond the logarithm, by case; all their figures."""

    factors: Mapping[Case, float]
    points: tuple[int, ...]

    @property
    def worst(self) -> Case:
        return max(self.factors, key=self.factors.__getitem__)

    @property
    def most(self) -> float:
        return self.factors[self.worst]

    @property
    def off(self) -> float:
        return max(abs(factor - 1) for factor in self.factors.values())


@rule(
    "speed",
    evidence={
        "growth_factor": "growth beyond log2 of the processes, the largest",
        "off_fraction": "distance from log2 of the processes, the largest",
        "from_processes": "fewest",
        "to_processes": "most",
        "variants": "choices told of",
    },
)
def grows_with_processes(evidence: Evidence) -> Iterator[Finding]:
    """Collectives whose time grows faster than the logarithm of the number of processes.

    A sensible algorithm of a rooted or combining collective takes steps that double what is
    reached, so that its time grows as log2 p or less: Chan, Heimlich, Purkayastha, van de Geijn,
    "Collective communication: theory, practice, and experience", CCPE 19(13), 2007, section 3.
    """
    # Of figures on 3 numbers of processes or more. Of work that is divided among the processes
    # other rules speak; and where each process hands over more the more there are, as to each of
    # them, no algorithm takes steps that double what is reached.
    curves: dict[tuple[str, str, str, str], dict[Case, dict[int, int]]]
    curves = defaultdict(lambda: defaultdict(dict))
    for index, point in enumerate(evidence.points):
        if point.processes > 1 and point.median_s > 0 and not point.oversubscribed:
            if WORK in point.metrics:
                continue
            key = (point.benchmark, point.series, point.mpi, evidence.choices(point))
            curves[key][case_of(evidence, point)._replace(nodes=0)][point.processes] = index
    series: dict[tuple[str, ...], list[_Growth]] = defaultdict(list)
    for group, by_case in curves.items():
        enough = {
            case: each
            for case, each in by_case.items()
            if len(each) >= _COUNTS and not _moves_more(evidence, each)
        }
        if enough:
            factors = {case: _factor(evidence, each) for case, each in enough.items()}
            points = tuple(index for each in enough.values() for index in each.values())
            series[group[:2]].append(_Growth(factors, points))
    for found in series.values():
        if faster := [one for one in found if one.most >= _FASTER]:
            yield _faster(evidence, sorted(faster, key=lambda one: -one.most))
        if same := [one for one in found if one.off <= _SAME]:
            yield _same(evidence, same)


def _moves_more(evidence: Evidence, by_count: Mapping[int, int]) -> bool:
    """Tell whether what one call moves grows faster than log2 p, from fewest to most processes."""
    first, last = min(by_count), max(by_count)
    moved = [
        (evidence.points[by_count[n]].bandwidth_MBps or 0.0) * evidence.points[by_count[n]].median_s
        for n in (first, last)
    ]
    return min(moved) > 0 and moved[1] / moved[0] > (1 + _SAME) * math.log(last) / math.log(first)


def _factor(evidence: Evidence, by_count: Mapping[int, int]) -> float:
    """Return by how much more the time grows than log2 p, from fewest to most processes."""
    first, last = min(by_count), max(by_count)
    growth = evidence.points[by_count[last]].median_s / evidence.points[by_count[first]].median_s
    return growth / (math.log(last) / math.log(first))


def _faster(evidence: Evidence, found: Sequence[_Growth]) -> Finding:
    first, last = _counts(evidence, found)
    growth_text = "; ".join(
        f"{_name(evidence, one)} {times(one.most)} more"
        + (f" at {format_bytes(one.worst.size)}" if one.worst.size >= 0 else "")
        for one in found
    )
    return Finding(
        severity="notice",
        text=f"From {first} to {last} processes, time grows faster than log2 of their number "
        f"({times(math.log(last) / math.log(first))}): {growth_text}.",
        effect=found[0].most,
        evidence={
            "growth_factor": found[0].most,
            "from_processes": float(first),
            "to_processes": float(last),
            "variants": float(len(found)),
        },
        points=tuple(index for one in found for index in one.points),
    )


def _same(evidence: Evidence, found: Sequence[_Growth]) -> Finding:
    first, last = _counts(evidence, found)
    off = max(one.off for one in found)
    return Finding(
        severity="fact",
        text=f"{and_text([_name(evidence, one) for one in found])}: time grows as log2 of the "
        f"processes from {first} to {last}, within {percent(off)}.",
        evidence={
            "off_fraction": off,
            "from_processes": float(first),
            "to_processes": float(last),
            "variants": float(len(found)),
        },
        points=tuple(index for one in found for index in one.points),
    )


def _counts(evidence: Evidence, found: Sequence[_Growth]) -> tuple[int, int]:
    counts = [evidence.points[index].processes for one in found for index in one.points]
    return min(counts), max(counts)


def _name(evidence: Evidence, growth: _Growth) -> str:
    amounts = [name for name, _ in growth.worst.amounts]
    return name_of(evidence, growth.points[0], without=["bytes", "place", *amounts])
