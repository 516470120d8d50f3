"""Sizes at which a larger message would be faster.

The guideline of monotony: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
IEEE TPDS 21(5), 2010. A program that pads its data up would gain.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from leadline.analyse.comparison import Ratio, clearly_longer, time_ratio
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import name_of, proof, ratio_text
from leadline.model.summary import Finding, Sweep
from leadline.units import format_bytes


class _Loss(NamedTuple):
    ratio: Ratio
    small: int
    large: int


class _Curve(NamedTuple):
    points: tuple[int, ...]
    losses: tuple[_Loss, ...]

    @property
    def worst(self) -> _Loss:
        return max(self.losses, key=lambda one: one.ratio.median)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each benchmark and MPI with curves on which a larger size is faster.

    A notice, but a fact of an import where it is so at the smallest sizes alone: those are mostly
    measured first, and pay for what is done once. leadline itself visits sizes in random order.
    """
    groups: dict[tuple[str, str], list[_Curve]] = defaultdict(list)
    for sweep in evidence.sweeps:
        if losses := tuple(_losses(evidence, sweep)):
            groups[sweep.benchmark, sweep.mpi].append(_Curve(sweep.points, losses))
    for curves in groups.values():
        yield _finding(evidence, curves)


def _losses(evidence: Evidence, sweep: Sweep) -> Iterator[_Loss]:
    sound = [index for index in sweep.points if not evidence.mostly_disturbed(index)]
    for place, small in enumerate(sound[:-1]):
        large = min(sound[place + 1 :], key=lambda index: evidence.points[index].median_s)
        ratio = time_ratio(evidence.points[small], evidence.points[large])
        if ratio is not None and clearly_longer(ratio):
            yield _Loss(ratio, small, large)


def _finding(evidence: Evidence, curves: list[_Curve]) -> Finding:
    curve = max(curves, key=lambda one: one.worst.ratio.median)
    ratio, small, large = curve.worst
    sizes = [evidence.points[index].bytes or 0 for index in (small, large)]
    others = f" This is the worst of {len(curves)} such curves." if len(curves) > 1 else ""
    return Finding(
        kind=kind_of(__name__),
        severity="fact" if evidence.run.imported and all(map(_at_first, curves)) else "notice",
        text=f"{name_of(evidence, small, without=['bytes'])}: {format_bytes(sizes[0])} takes "
        f"longer than {format_bytes(sizes[1])}, {ratio_text(ratio)}; so it is at "
        f"{len(curve.losses)} of {len(curve.points)} sizes.{others}",
        evidence={
            "sizes_slower": float(len(curve.losses)),
            **ratio.evidence(),
            "at_bytes": float(sizes[0]),
            "faster_at_bytes": float(sizes[1]),
            "curves": float(len(curves)),
        },
        advice=f"Padding the data up to {format_bytes(sizes[1])} would be faster; the threshold "
        "between two ways of the library lies wrong, or what was measured first paid for what is "
        f"done once. {proof(evidence, [small, large], launches=10)}.",
        points=tuple(dict.fromkeys(i for one in curves for _, *both in one.losses for i in both)),
    )


def _at_first(curve: _Curve) -> bool:
    """Tell whether the sizes that lose are the smallest ones."""
    small = {one.small for one in curve.losses}
    return small == set(curve.points[: len(small)])
