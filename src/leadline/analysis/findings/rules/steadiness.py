"""Rates that vary more for one choice than for another, or from size to size."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.curve_causes import plateau
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.rules.settings import NEIGHBOURS
from leadline.analysis.findings.words import name_of, worst_of
from leadline.analysis.results.sweep import erratic_sizes
from leadline.core.units import percent, rate_text
from leadline.model.summary import Finding, PointSummary, Sweep

# The plateau of a curve: the neighbouring sizes that reach so much of its best rate.
_PLATEAU = 0.95
_FEWEST_FIGURES = 3

# Rates that are off by less than a tenth are steady enough for anyone.
_UNSTEADY = 0.1
_FAR_LARGER = 3.0


class _Rates(NamedTuple):
    """What one choice delivers on its plateaus: the indices, and the lowest and highest rate."""

    points: tuple[int, ...]
    low: float
    high: float
    curves: int

    @property
    def spread(self) -> float:
        return self.high / self.low - 1


@rule(
    "steadiness",
    cure=Advise.MANY_RUNS(),
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
    rates = [f"{rate_text(one.low)} to {rate_text(one.high)}{_of(one)}" for one in (worst, steady)]
    faster = worst.low > steady.high
    return Finding(
        severity="notice",
        text=f"{names[0]} is {'faster but ' if faster else ''}less steady than {names[1]}: rates "
        f"vary by {percent(worst.spread)} ({rates[0]}), against {percent(steady.spread)} "
        f"({rates[1]}).",
        evidence={
            "spread_fraction": worst.spread,
            "steady_spread_fraction": steady.spread,
            "low_MBps": worst.low,
            "high_MBps": worst.high,
            "steady_low_MBps": steady.low,
            "steady_high_MBps": steady.high,
        },
        advice=Advise.MANY_RUNS(),
        points=(*worst.points, *steady.points),
    )


def _of(rates: _Rates) -> str:
    """Return of how many curves the rates are; one shows how they change with the size only."""
    return f" in {rates.curves} curves" if rates.curves > 1 else " over the sizes of one curve"


@rule(
    "trust",
    cure=Advise.SEVERAL_TIMES(),
    evidence={
        "jumping_fraction": "sizes a fifth or more above both neighbouring sizes",
        "curves": "curves that jump",
        "sizes": "sizes of the worst curve",
    },
)
def erratic(evidence: Evidence) -> Iterator[Finding]:
    """Curves of single measurements that jump from size to size: their shape is not judged."""
    curves = [sweep for sweep in evidence.sweeps if evidence.erratic(sweep)]
    if not curves:
        return
    jumps = {sweep.points: _share(evidence, sweep) for sweep in curves}
    worst = max(curves, key=lambda sweep: jumps[sweep.points])
    share = jumps[worst.points]
    yield Finding(
        severity="notice",
        text=f"{name_of(evidence, worst.points[0], without=['bytes'])} jumps from size to size: "
        f"{percent(share)} of the times are 20 % or more above both neighbouring sizes."
        f"{worst_of(curves, 'curves')}",
        evidence={
            "jumping_fraction": share,
            "curves": float(len(curves)),
            "sizes": float(len(worst.points)),
        },
        advice=Advise.SEVERAL_TIMES(),
        points=tuple(index for sweep in curves for index in sweep.points),
    )


def _share(evidence: Evidence, sweep: Sweep) -> float:
    curve = [evidence.points[index] for index in sweep.points]
    return erratic_sizes(curve) / len(curve)
