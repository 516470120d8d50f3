"""Curves over sizes that swing or jump."""

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.curve_causes import worst_of_curves
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.sweep import erratic_sizes
from leadline.core.units import format_bytes, percent
from leadline.model.summary import Finding, PointSummary, Sweep

# So many turns in a row are no chance, where each is beyond the errors of its figures. Where these
# are not known, more: scatter alone turns at three of four sizes.
_TURNS, _TURNS_UNSURE = 6, 12
_ERRORS = 2.0

# So large a swing is worth a word.
_LARGE = 0.1


class _Swing(NamedTuple):
    first: int
    last: int
    amplitudes: tuple[float, ...]


@rule(
    "steadiness",
    cure="Choose sizes that fill whole packets, and measure in finer steps to see their length.",
    evidence={
        "turns": "sizes in a row above and below their neighbours in turn",
        "largest_fraction": "largest swing over the line between the neighbours",
        "typical_fraction": "median swing",
        "from_bytes": "smallest such size",
        "to_bytes": "largest such size",
        "period_bytes": "typical length of a full swing",
    },
)
def oscillation(evidence: Evidence) -> Iterator[Finding]:
    """Times that swing up and down from size to size, as where messages are cut into packets."""
    for sweep in evidence.curves_of_messages:
        usable = [
            index
            for index in sweep.points
            if evidence.points[index].bytes and evidence.points[index].median_s > 0
            and not evidence.mostly_disturbed(index)
        ]  # fmt: skip
        swing = _longest([evidence.points[index] for index in usable])
        known = all(evidence.points[index].interval for index in usable)
        turns = _TURNS if known else _TURNS_UNSURE
        if swing and len(swing.amplitudes) >= turns:
            yield _finding(evidence, sweep, usable, swing)


def _longest(curve: Sequence[PointSummary]) -> _Swing | None:
    """Return the longest stretch of times above and below their neighbours in turn, by enough.

    A size is compared with the straight line, on logarithmic scales, between its two neighbours;
    a smooth curve always lies on the same side of it.
    """
    away = []
    for before, here, after in zip(curve, curve[1:], curve[2:], strict=False):
        x = [math.log(one.bytes or 1) for one in (before, here, after)]
        share = (x[1] - x[0]) / (x[2] - x[0])
        y = [math.log(one.median_s) for one in (before, here, after)]
        off = y[1] - (y[0] + share * (y[2] - y[0]))
        error = math.hypot(*(_error(one) for one in (before, here, after)))
        away.append(off if abs(off) > _ERRORS * error else 0.0)
    best: _Swing | None = None
    start = 0
    for place, off in enumerate(away):
        if off == 0.0:
            start = place + 1
            continue
        if place > start and off * away[place - 1] > 0:
            start = place
        swing = _Swing(start + 1, place + 1, tuple(map(abs, away[start : place + 1])))
        large = max(swing.amplitudes) >= _LARGE
        if large and (best is None or len(swing.amplitudes) > len(best.amplitudes)):
            best = swing
    return best


def _error(point: PointSummary) -> float:
    """Return the standard error of the time's logarithm, 0 where it is not known."""
    if point.interval is None or point.interval[0] <= 0:
        return 0.0
    return math.log(point.interval[1] / point.interval[0]) / (2 * 1.96)


def _finding(evidence: Evidence, sweep: Sweep, usable: Sequence[int], swing: _Swing) -> Finding:
    inside = usable[swing.first : swing.last + 1]
    sizes = [evidence.points[index].bytes or 0 for index in inside]
    period = statistics.median(b - a for a, b in zip(sizes, sizes[2:], strict=False))
    most = max(swing.amplitudes)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, inside[0], without=['bytes'])} swings from size to size between "
        f"{format_bytes(sizes[0])} and {format_bytes(sizes[-1])}, by up to "
        f"{percent(math.expm1(most))}. A full swing is {format_bytes(round(period))} long.",
        evidence={
            "turns": float(len(inside)),
            "largest_fraction": math.expm1(most),
            "typical_fraction": math.expm1(statistics.median(swing.amplitudes)),
            "from_bytes": float(sizes[0]),
            "to_bytes": float(sizes[-1]),
            "period_bytes": float(period),
        },
        advice=oscillation.cure,
        points=tuple(inside),
    )


@rule(
    "trust",
    cure="Measure several times on a quiet machine, and import all outputs together.",
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
        f"{worst_of_curves(curves)}",
        evidence={
            "jumping_fraction": share,
            "curves": float(len(curves)),
            "sizes": float(len(worst.points)),
        },
        advice=erratic.cure,
        points=tuple(index for sweep in curves for index in sweep.points),
    )


def _share(evidence: Evidence, sweep: Sweep) -> float:
    curve = [evidence.points[index] for index in sweep.points]
    return erratic_sizes(curve) / len(curve)
