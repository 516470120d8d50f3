"""Operations that are slower than others of the same library which together do the same.

Self-consistent performance guidelines: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
Guidelines", IEEE TPDS 21(5), 2010. Each benchmark declares its own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, proof, ratio_text, sizes_text
from leadline.analysis.stats.comparison import Ratio, clearly_longer, in_series, time_ratio
from leadline.model.description import Benchmark, Term
from leadline.model.run import variant
from leadline.model.summary import Finding, PointSummary

TOPIC = "choice"
ADVICE = (
    "Replace the call by those that do the same, or choose another algorithm there (`leadline "
    "tune`)."
)


class _Violation(NamedTuple):
    size: int
    ratio: Ratio
    figure: int
    terms: tuple[int, ...]


# What a figure of the library's own way is found by.
_Key = tuple[object, ...]


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each guideline that is violated at some size, with MPI and placement."""
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
                    groups[_key(point, point.benchmark, None)].append((index, others))
            for sides in groups.values():
                yield from _of_curve(evidence, terms, sides)


def _is_usual(benchmark: Benchmark, point: PointSummary) -> bool:
    """Tell whether a figure is of the benchmark's default way: all axes but the size."""
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
    """Return the figures of the other side, none where one of them is missing."""
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
    other = " and ".join(term.benchmark for term in terms)
    where = ""
    if points[worst.figure].bytes is not None:
        chosen = [one.size for one in found]
        where = f" at {sizes_text(sizes, chosen)}, most at {sizes_text(sizes, [worst.size])}"
    yield Finding(
        severity="notice",
        text=f"{name_of(evidence, worst.figure, without=['bytes'])} takes longer than {other}, "
        f"which together do the same{where}: {ratio_text(worst.ratio)}.",
        effect=worst.ratio.median,
        evidence={
            "sizes_violated": float(len(found)),
            "sizes": float(len(sizes)),
            **worst.ratio.evidence(),
            "at_bytes": float(worst.size),
        },
        advice=f"The library chooses a poor algorithm there: replace the call by {other}, or try "
        f"other algorithms (axis `algorithm`, or the library's own settings). "
        f"{proof(evidence, [one.figure for one in found], launches=10)}.",
        points=tuple(dict.fromkeys(i for one in found for i in (one.figure, *one.terms))),
    )
