"""Libraries and choices whose launches vary far more than those of another.

A launch is off by the mean over all cases of the distance of its median from that of all
launches, on a logarithmic scale. Two choices are compared by ranks, with a correction for the
number of pairs.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from leadline.analysis.findings.contest import Case, Curve, curves_by, curves_over, ways
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of
from leadline.analysis.stats.ranks import rank_test
from leadline.analysis.stats.statistics import Array
from leadline.core.units import percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "steadiness"
ADVICE = "Judge by the interval, not by the best launch; measure more launches."
EVIDENCE = {
    "typical_off_fraction": "distance of a typical launch from the median of all launches",
    "steady_off_fraction": "the same of the steadiest choice",
    "launches": "launches of each choice",
}
SOURCE = "M. B. Brown, A. B. Forsythe: Robust Tests for the Equality of Variances, JASA 69, 1974"

# With fewer launches nobody knows how they scatter.
_LAUNCHES = 6
# Launches that are off by less than a tenth are alike, and three times as much is far more.
_UNSTEADY = 0.1
_FAR_LARGER = 3.0
_CHANCE = 0.01


class _Scatter(NamedTuple):
    """How far each launch of a choice is off, as a fraction; the typical launch; its figures."""

    choice: str
    off: Array
    typical: float
    points: tuple[int, ...]


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and series with such libraries, and for each such axis."""
    indices = [i for i, p in enumerate(evidence.points) if p.launches >= _LAUNCHES]

    def series(point: PointSummary) -> object:
        return (point.benchmark, point.series, evidence.choices(point))

    libraries = curves_by(evidence, indices, lambda point: point.mpi, series)
    yield from _of_choice(evidence, "mpi", libraries)
    for benchmark in evidence.run.benchmarks:
        for axis, own in ways(evidence, benchmark):
            known = [index for index in own if evidence.points[index].launches >= _LAUNCHES]
            yield from _of_choice(evidence, axis.name, curves_over(evidence, axis, known))


def _of_choice(
    evidence: Evidence, name: str, groups: Iterable[dict[str, Curve]]
) -> Iterator[Finding]:
    for curves in groups:
        if len(curves) < 2:
            continue
        common = set.intersection(*(set(curve) for curve in curves.values()))
        found = [_scatter(evidence, one, curve, common) for one, curve in curves.items()]
        known = [one for one in found if one is not None]
        if len(known) < 2:
            continue
        steady = min(known, key=lambda one: one.typical)
        worst = max(known, key=lambda one: one.typical)
        pairs = len(known) * (len(known) - 1) // 2
        if (
            worst.typical >= max(_UNSTEADY, _FAR_LARGER * steady.typical)
            and pairs * rank_test(steady.off, worst.off) <= _CHANCE
        ):
            yield _finding(evidence, name, worst, steady, curves)


def _scatter(evidence: Evidence, choice: str, curve: Curve, common: set[Case]) -> _Scatter | None:
    points = [evidence.points[curve[case]] for case in sorted(common)]
    counts = {len(point.launch_medians_s) for point in points}
    if len(counts) != 1 or min(min(point.launch_medians_s) for point in points) <= 0:
        return None
    logs = np.log(np.array([point.launch_medians_s for point in points]))
    off = np.abs(logs - np.median(logs, axis=1, keepdims=True)).mean(axis=0)
    indices = tuple(curve[case] for case in sorted(common))
    return _Scatter(choice, off, math.expm1(float(np.median(off))), indices)


def _finding(
    evidence: Evidence, name: str, worst: _Scatter, steady: _Scatter, curves: Mapping[str, Curve]
) -> Finding:
    case = next(iter(curves[worst.choice]))
    varying = ["bytes", "place", name, *(axis for axis, _ in case.amounts)]
    again = command(evidence, [*worst.points, *steady.points], launches=2 * len(worst.off))
    label = "" if name == "mpi" else f"{name}="
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, worst.points[0], without=varying)}: launches of "
        f"{label}{worst.choice} vary by {percent(worst.typical)}, those of {label}{steady.choice} "
        f"by {percent(steady.typical)} ({len(worst.off)} launches).",
        evidence={
            "typical_off_fraction": worst.typical,
            "steady_off_fraction": steady.typical,
            "launches": float(len(worst.off)),
        },
        advice=f"Judge {worst.choice} by the interval, not by the best launch; measure more.",
        command=None if evidence.run.imported else again,
        points=(*worst.points, *steady.points),
    )
