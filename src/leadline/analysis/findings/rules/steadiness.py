"""Choices of which the rates, or the launches, vary more than those of others."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.findings.contest import Case, Curve, curves_by, curves_over, ways
from leadline.analysis.findings.curve_causes import plateau
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.rules.settings import NEIGHBOURS
from leadline.analysis.findings.words import command, name_of
from leadline.analysis.stats.ranks import rank_test
from leadline.analysis.stats.statistics import Array
from leadline.core.units import percent, rate_text
from leadline.model.summary import Finding, PointSummary, Sweep

# The plateau of a curve: the neighbouring sizes that reach so much of its best rate.
_PLATEAU = 0.95
_FEWEST_FIGURES = 3

# Rates and launches that are off by less than a tenth are steady enough for anyone.
_UNSTEADY = 0.1
_FAR_LARGER = 3.0


class _Rates(NamedTuple):
    """What one choice delivers on its plateaus: the indices, and the lowest and highest rate."""

    points: tuple[int, ...]
    low: float
    high: float
    states: int

    @property
    def spread(self) -> float:
        return self.high / self.low - 1


@rule(
    "steadiness",
    cure="Compare such choices only over many runs, and note the load of each.",
    evidence={
        "spread_fraction": "highest over lowest rate of the unsteady choice, less 1",
        "steady_spread_fraction": "the same of the steady choice",
        "low_MBps": "its lowest rate on the plateau of its curves",
        "high_MBps": "its highest rate",
        "steady_low_MBps": "lowest rate of the steady choice",
        "steady_high_MBps": "highest rate of the steady choice",
    },
)
def steadiness(evidence: Evidence) -> Iterator[Finding]:
    """Choices whose rates for large messages vary far more than those of another choice."""
    # Figures are pooled over what runs beside them and over the sizes of the plateau, where a rate
    # should stay what it is: what remains is not the program's own.
    series: dict[object, list[_Rates]] = defaultdict(list)
    pooled: dict[object, list[Sweep]] = defaultdict(list)
    for sweep in evidence.curves:
        if sweep.best_MBps and not evidence.mostly_disturbed(sweep.points[-1]):
            pooled[_key(evidence, evidence.points[sweep.points[0]])].append(sweep)
    for sweeps in pooled.values():
        if (rates := _rates(evidence, sweeps)) and len(rates.points) >= _FEWEST_FIGURES:
            task = evidence.task(evidence.points[rates.points[0]])
            key = (sweeps[0].benchmark, sweeps[0].series, sweeps[0].processes, task)
            series[key].append(rates)
    for found in series.values():
        steady = min(found, key=lambda one: one.spread)
        worst = max(found, key=lambda one: one.spread)
        if worst.spread >= max(_UNSTEADY, _FAR_LARGER * steady.spread):
            yield _steadiness_finding(evidence, worst, steady)


def _key(evidence: Evidence, point: PointSummary) -> object:
    shape = (point.benchmark, point.series, point.mpi, point.nodes, point.processes_per_node)
    return (*shape, evidence.choices(point, without=NEIGHBOURS), evidence.amounts(point))


def _rates(evidence: Evidence, sweeps: list[Sweep]) -> _Rates:
    points = tuple(index for sweep in sweeps for index in _plateau(evidence, sweep))
    rates = [evidence.points[index].bandwidth_MBps or 0.0 for index in points]
    return _Rates(points, min(rates), max(rates), len(sweeps))


def _plateau(evidence: Evidence, sweep: Sweep) -> Sequence[int]:
    rates = [evidence.points[index].bandwidth_MBps or 0.0 for index in sweep.points]
    _, first, last = plateau(rates, _PLATEAU)
    return sweep.points[first : last + 1]


def _steadiness_finding(evidence: Evidence, worst: _Rates, steady: _Rates) -> Finding:
    names = [
        name_of(evidence, one.points[0], without=["bytes", *NEIGHBOURS]) for one in (worst, steady)
    ]
    told = [f"{rate_text(one.low)} to {rate_text(one.high)}" for one in (worst, steady)]
    faster = worst.low > steady.high
    return Finding(
        severity="notice",
        text=f"{names[0]} is {'faster but ' if faster else ''}less steady than {names[1]}: rates "
        f"vary by {percent(worst.spread)} ({told[0]}), against {percent(steady.spread)} "
        f"({told[1]}).",
        evidence={
            "spread_fraction": worst.spread,
            "steady_spread_fraction": steady.spread,
            "low_MBps": worst.low,
            "high_MBps": worst.high,
            "steady_low_MBps": steady.low,
            "steady_high_MBps": steady.high,
        },
        advice=steadiness.cure,
        points=(*worst.points, *steady.points),
    )


# With fewer launches nobody knows how they scatter.
_LAUNCHES = 6
_CHANCE = 0.01


class _Scatter(NamedTuple):
    """How far each launch of a choice is off, as a fraction; the typical launch; its figures."""

    choice: str
    off: Array
    typical: float
    points: tuple[int, ...]


@rule(
    "steadiness",
    cure="Judge by the interval, not by the best launch; measure more launches.",
    evidence={
        "typical_off_fraction": "distance of a typical launch from the median of all launches",
        "steady_off_fraction": "the same of the steadiest choice",
        "launches": "launches of each choice",
    },
    source="M. B. Brown, A. B. Forsythe: Robust Tests for the Equality of Variances, JASA 69, 1974",
)
def launch_scatter(evidence: Evidence) -> Iterator[Finding]:
    """Libraries and choices whose launches vary far more than those of another.

    A launch is off by the mean over all cases of the distance of its median from that of all
    launches, on a logarithmic scale. Two choices are compared by ranks, with a correction for the
    number of pairs.
    """
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
            yield _launch_scatter_finding(evidence, name, worst, steady, curves)


def _scatter(evidence: Evidence, choice: str, curve: Curve, common: set[Case]) -> _Scatter | None:
    points = [evidence.points[curve[case]] for case in sorted(common)]
    counts = {len(point.launch_medians_s) for point in points}
    if len(counts) != 1 or min(min(point.launch_medians_s) for point in points) <= 0:
        return None
    logs = np.log(np.array([point.launch_medians_s for point in points]))
    off = np.abs(logs - np.median(logs, axis=1, keepdims=True)).mean(axis=0)
    indices = tuple(curve[case] for case in sorted(common))
    return _Scatter(choice, off, math.expm1(float(np.median(off))), indices)


def _launch_scatter_finding(
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
