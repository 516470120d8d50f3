"""Losses: sizes that take longer than others of the same curve would allow."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.stats.comparison import Ratio
from leadline.model.summary import Sweep


class Loss(NamedTuple):
    """The figure `slow` takes `ratio` times as long as what the figure `fast` stands for."""

    ratio: Ratio
    slow: int
    fast: int


class LossyCurve(NamedTuple):
    """The figures of a curve, and its losses."""

    points: tuple[int, ...]
    losses: tuple[Loss, ...]

    @property
    def worst(self) -> Loss:
        """The largest loss."""
        return max(self.losses, key=lambda one: one.ratio.median)


def lossy_curves(
    evidence: Evidence, losses: Callable[[Evidence, Sweep], Iterator[Loss]]
) -> Iterator[list[LossyCurve]]:
    """Yield the curves with any loss of each benchmark and MPI, that with the largest first."""
    groups: dict[tuple[str, str], list[LossyCurve]] = defaultdict(list)
    for sweep in evidence.curves:
        if found := tuple(losses(evidence, sweep)):
            groups[sweep.benchmark, sweep.mpi].append(LossyCurve(sweep.points, found))
    for curves in groups.values():
        yield sorted(curves, key=lambda one: -one.worst.ratio.median)


def worst_of_curves(curves: Sequence[object]) -> str:
    """Return the sentence that tells how many curves are like the one described, if any."""
    return f" This is the worst of {len(curves)} such curves." if len(curves) > 1 else ""


def points_of(curves: Sequence[LossyCurve]) -> tuple[int, ...]:
    """Return the indices of all figures that prove the losses."""
    return tuple(
        dict.fromkeys(
            index for one in curves for each in one.losses for index in (each.slow, each.fast)
        )
    )
