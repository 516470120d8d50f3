"""Losses: sizes that take longer than others of the same curve would allow."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import and_text, place_of
from leadline.analysis.stats.comparison import Ratio
from leadline.model.summary import Sweep


class Loss(NamedTuple):
    """The figure `slow` takes `ratio` times as long as what the figure `fast` stands for."""

    ratio: Ratio
    slow: int
    fast: int


class LossyCurve(NamedTuple):
    """The figures of a curve, what all of them have in common, and its losses."""

    variant: object
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
            groups[sweep.benchmark, sweep.mpi].append(
                LossyCurve((sweep.series, sweep.variant), sweep.points, found)
            )
    for curves in groups.values():
        yield sorted(curves, key=lambda one: -one.worst.ratio.median)


def worst_of_curves(curves: Sequence[object]) -> str:
    """Return the sentence that tells how many curves are like the one described, if any."""
    return f" Worst of {len(curves)} such curves." if len(curves) > 1 else ""


def places_text(evidence: Evidence, figures: Sequence[int]) -> str:
    """Return where these figures were measured, ` on 2, 4 and 8 processes`, if it varies."""
    points = [evidence.points[index] for index in figures]
    if len({place_of(point) for point in evidence.points}) < 2:
        return ""
    counts = sorted({point.processes for point in points})
    places = sorted({place_of(point) for point in points})
    if len(counts) < 2 or len(places) > len(counts):
        return f" on {and_text(places)}"
    return f" on {and_text([str(each) for each in counts])} processes"


def points_of(curves: Sequence[LossyCurve]) -> tuple[int, ...]:
    """Return the indices of all figures that prove the losses."""
    return tuple(
        dict.fromkeys(
            index for one in curves for each in one.losses for index in (each.slow, each.fast)
        )
    )
