"""Sizes at which a larger message would be faster.

The guideline of monotony: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
IEEE TPDS 21(5), 2010. A program that pads its data up would gain.
"""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import (
    Loss,
    LossyCurve,
    lossy_curves,
    points_of,
    worst_of_curves,
)
from leadline.analysis.findings.words import name_of, proof, ratio_text
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.core.units import format_bytes
from leadline.model.summary import Finding, Sweep

TOPIC = "speed"
ADVICE = "Send the larger message there, or choose another algorithm for the smaller one."

# The largest of many ratios of single numbers must be large.
_SEARCHED = 1.5


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each benchmark and MPI with curves on which a larger size is faster.

    A notice, but a fact of an import where it is so at the smallest sizes alone: those are mostly
    measured first, and pay for what is done once. leadline itself visits sizes in random order.
    """
    for curves in lossy_curves(evidence, _losses):
        yield _finding(evidence, curves)


def _losses(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    if not evidence.may("pad", sweep.benchmark):
        return
    found = list(_every_loss(evidence, sweep))
    lost = {one.slow for one in found if one.ratio.median >= _SEARCHED}
    for one in found:
        place = sweep.points.index(one.slow)
        beside = sweep.points[max(0, place - 1) : place + 2]
        # A single number that juts out alone was disturbed.
        if one.ratio.interval or (one.slow in lost and len(lost.intersection(beside)) > 1):
            yield one


def _every_loss(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    sound = [index for index in sweep.points if not evidence.mostly_disturbed(index)]
    for place, small in enumerate(sound[:-1]):
        large = min(sound[place + 1 :], key=lambda index: evidence.points[index].median_s)
        ratio = time_ratio(evidence.points[small], evidence.points[large])
        if ratio is not None and clearly_longer(ratio):
            yield Loss(ratio, small, large)


def _finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, small, large = curve.worst
    sizes = [evidence.points[index].bytes or 0 for index in (small, large)]
    at_first = evidence.run.imported is not None and all(map(_at_first, curves))
    return Finding(
        severity="fact" if at_first else "notice",
        text=f"{name_of(evidence, small, without=['bytes'])}: {format_bytes(sizes[0])} takes "
        f"longer than {format_bytes(sizes[1])}, {ratio_text(ratio)}; so it is at "
        f"{len(curve.losses)} of {len(curve.points)} sizes.{worst_of_curves(curves)}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(curve.losses)),
            **ratio.evidence(),
            "at_bytes": float(sizes[0]),
            "faster_at_bytes": float(sizes[1]),
            "curves": float(len(curves)),
        },
        advice=_advice(at_first, sizes[1]) + f" {proof(evidence, [small, large], launches=10)}.",
        points=points_of(curves),
    )


def _advice(at_first: bool, size: int) -> str:
    if at_first:
        return "Most likely these were measured first, and paid for what is done once."
    return (
        f"Padding the data up to {format_bytes(size)} would be faster; the threshold between two "
        "ways of the library lies wrong."
    )


def _at_first(curve: LossyCurve) -> bool:
    """Tell whether the sizes that lose are the smallest ones."""
    small = {one.slow for one in curve.losses}
    return small == set(curve.points[: len(small)])
