"""Operations that are slower than other calls of the same library which do the same together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.curve_causes import places_text
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import (
    again,
    and_text,
    compared_text,
    gain_of,
    name_of,
    sizes_text,
    span,
)
from leadline.analysis.stats.comparison import Ratio, clearly_longer, in_series, time_ratio
from leadline.core.units import format_bytes
from leadline.model.description import Benchmark, Term
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary


class _Violation(NamedTuple):
    size: int
    ratio: Ratio
    figure: int
    terms: tuple[int, ...]


# What a figure of the library's own way is found by.
_Key = tuple[object, ...]


@rule(
    "choice",
    cure="Use the faster calls there.",
    evidence={
        "sizes_violated": "figures that violate the guideline",
        "sizes": "figures compared",
        "ratio": "time of the call over that of the calls that do the same, the largest",
        "at_bytes": "size with the largest ratio",
    },
)
def guideline_violated(evidence: Evidence) -> Iterator[Finding]:
    """Operations that are slower than other calls of the same library which do the same together.

    Self-consistent performance guidelines: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
    Guidelines", IEEE TPDS 21(5), 2010. Each benchmark declares its own.
    """
    described = {benchmark.name: benchmark for benchmark in evidence.run.benchmarks}
    usual = {
        _key(point, point.benchmark, point.bytes): index
        for index, point in enumerate(evidence.points)
        if _is_usual(described[point.benchmark], point)
    }
    for benchmark in evidence.run.benchmarks:
        for terms in benchmark.guidelines:
            groups: dict[object, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
            for index in usual.values():
                point = evidence.points[index]
                if point.benchmark == benchmark.name and (others := _terms(point, terms, usual)):
                    alike = (point.mpi, variant({}, point.conditions))
                    groups[alike].append((index, others))
            for sides in groups.values():
                yield from _of_curve(evidence, terms, sides)


def _is_usual(benchmark: Benchmark, point: PointSummary) -> bool:
    return all(
        str(point.axes.get(axis.name)) == axis.default
        for axis in benchmark.axes
        if axis.name != "bytes"
    )


def _key(point: PointSummary, benchmark: str, size: int | None) -> _Key:
    place = (point.nodes, point.processes_per_node)
    return (benchmark, size, point.mpi, *place, variant({}, point.conditions))


def _terms(
    point: PointSummary, terms: Sequence[Term], usual: Mapping[_Key, int]
) -> tuple[int, ...]:
    found = []
    for term in terms:
        index = usual.get(_key(point, term.benchmark, _size(point, term)))
        if index is None:
            return ()
        found.append(index)
    return tuple(found)


def _size(point: PointSummary, term: Term) -> int | None:
    """Return the message size of the other side, or -1 where there cannot be one."""
    if term.bytes is not None or point.bytes is None:
        return term.bytes
    if term.size == "times processes":
        return point.bytes * point.processes
    if term.size == "over processes":
        return point.bytes // point.processes if point.bytes % point.processes == 0 else -1
    return point.bytes


def _of_curve(
    evidence: Evidence, terms: Sequence[Term], sides: Sequence[tuple[int, tuple[int, ...]]]
) -> Iterator[Finding]:
    points = evidence.points
    found, sizes = [], []
    for index, others in sides:
        sizes.append(points[index].bytes or 0)
        together = in_series([points[other] for other in others])
        ratio = time_ratio(points[index], together)
        if ratio is not None and clearly_longer(ratio):
            found.append(_Violation(sizes[-1], ratio, index, others))
    if not found:
        return
    worst = max(found, key=lambda one: one.ratio.median)
    other = and_text([evidence.title(term.benchmark) for term in terms])
    same = ", which do the same together" if len(terms) > 1 else ", which does the same"
    where = ""
    if points[worst.figure].bytes is not None:
        where = f" at {sizes_text(sizes, [one.size for one in found])}"
        where += (
            f", most at {format_bytes(worst.size)}" if len({one.size for one in found}) > 1 else ""
        )
    where += places_text(evidence, [one.figure for one in found])
    several = len(found) > 1
    slower = f"{span([one.ratio.median for one in found])} slower"
    name = name_of(evidence, worst.figure, without=["bytes", "place"])
    yield Finding(
        severity="notice",
        text=f"{name} is {slower if several else compared_text(worst.ratio, 'slower')} than {other}"
        f"{same}{where}.",
        effect=worst.ratio.median,
        evidence={
            "sizes_violated": float(len(found)),
            "sizes": float(len(sizes)),
            **worst.ratio.evidence(),
            "at_bytes": float(worst.size),
        },
        advice=Advise.CALL(calls=other),
        command=again(evidence, [one.figure for one in found], launches=10),
        gain=gain_of(worst.ratio),
        points=tuple(dict.fromkeys(i for one in found for i in (one.figure, *one.terms))),
    )
