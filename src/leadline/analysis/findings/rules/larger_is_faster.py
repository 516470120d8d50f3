"""Sizes that take longer than a larger one: there the library chooses a poor algorithm.

The guideline of monotony: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
IEEE TPDS 21(5), 2010. A program that pads its data up would gain.
"""

import math
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.curve_causes import slow_sizes
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import (
    LossyCurve,
    lossy_curves,
    places_text,
    points_of,
    worst_of_curves,
)
from leadline.analysis.findings.words import TUNE, again, name_of, sizes_text, span, tuning
from leadline.core.units import format_bytes, format_seconds
from leadline.model.summary import Finding, Gain, PointSummary

TOPIC = "speed"
ADVICE = "Send the larger message there, or choose another algorithm for the smaller one."
EVIDENCE = {
    "sizes_slower": "sizes that a larger one beats",
    "ratio": "time of the smaller size over that of the larger one, the largest",
    "at_bytes": "smaller size",
    "faster_at_bytes": "larger size",
    "curves": "curves with such sizes",
    "most_too_slow_factor": "time over what the sizes around let expect, the largest",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each benchmark and MPI with curves on which a larger size is faster.

    A notice, but a fact of an import where it is so at the smallest sizes alone: those are mostly
    measured first, and pay for what is done once. leadline itself visits sizes in random order.
    """
    for curves in lossy_curves(evidence, lambda all_of, sweep: iter(slow_sizes(all_of, sweep))):
        yield _finding(evidence, curves)


def _finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, small, large = curve.worst
    slow, fast = evidence.points[small], evidence.points[large]
    at_first = evidence.run.imported is not None and all(map(_at_first, curves))
    # The same on other numbers of processes has the same cause.
    own = [one for one in curves if one.variant == curve.variant]
    others = [curve, *(one for one in curves if one not in own)]
    measured = {evidence.points[index].bytes or 0 for one in own for index in one.points}
    lost = {evidence.points[each.slow].bytes or 0 for one in own for each in one.losses}
    factors = [_too_slow(evidence, one, each.slow) for one in own for each in one.losses]
    where = places_text(evidence, [one.worst.slow for one in own])
    command = None if at_first else tuning(evidence, small)
    advice = f"Pad such data up to {format_bytes(fast.bytes)}."
    if command:
        advice = TUNE
    low, high = ratio.interval or (None, None)
    return Finding(
        severity="fact" if at_first else "notice",
        text=f"{name_of(evidence, small, without=['bytes', 'place'])} is {span(factors)} too slow "
        f"at {sizes_text(sorted(measured), sorted(lost))}{where}: {_times(slow, fast)}."
        f"{' Likely the cost of first calls.' if at_first else ''}{worst_of_curves(others)}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(curve.losses)),
            **ratio.evidence(),
            "at_bytes": float(slow.bytes or 0),
            "faster_at_bytes": float(fast.bytes or 0),
            "curves": float(len(curves)),
            "most_too_slow_factor": max(factors),
        },
        advice=None if at_first else advice,
        command=None if at_first else command or again(evidence, [small, large], launches=10),
        gain=None if at_first else Gain(times=ratio.median, low=low, high=high),
        points=points_of(curves),
    )


def _times(slow: PointSummary, fast: PointSummary) -> str:
    return " but ".join(
        f"{format_seconds(each.median_s)} at {format_bytes(each.bytes)}" for each in (slow, fast)
    )


def _too_slow(evidence: Evidence, curve: LossyCurve, figure: int) -> float:
    """Return how many times as long a slow size takes as its neighbours let expect.

    That is the straight line, on logarithmic scales, between the next sizes that are not slow; the
    larger one alone where there is no smaller one.
    """
    slow = {one.slow for one in curve.losses}
    place = curve.points.index(figure)
    before = [i for i in curve.points[:place] if i not in slow and evidence.points[i].bytes][-1:]
    after = next(i for i in curve.points[place:] if i not in slow)
    here, large = evidence.points[figure], evidence.points[after]
    if not before or not here.bytes:
        return here.median_s / large.median_s
    small = evidence.points[before[0]]
    sizes = [math.log(each.bytes or 1) for each in (small, here, large)]
    share = (sizes[1] - sizes[0]) / (sizes[2] - sizes[0])
    expected = (1 - share) * math.log(small.median_s) + share * math.log(large.median_s)
    return here.median_s / math.exp(expected)


def _at_first(curve: LossyCurve) -> bool:
    """Tell whether the sizes that lose are the smallest ones."""
    small = {one.slow for one in curve.losses}
    return small == set(curve.points[: len(small)])
