"""The commands that would settle what a comparison cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command
from leadline.model.comparison import Compared, Comparison
from leadline.model.run import Run
from leadline.model.summary import PointSummary

# What needs more launches is too close to be worth them.
SETTLED_WITHIN = 100
_BUDGET = "5m"


def settling_commands(comparison: Comparison, base: Run, other: Run) -> Iterator[str]:
    """Yield a command for each benchmark with a figure that some more launches would tell.

    What differs in a choice that a command takes is measured in one run, in turn, until it is sure.
    Two states of a machine or of its software cannot be: the command is for each of them.
    """
    if base.imported or other.imported:
        return
    groups: dict[tuple[object, ...], list[Compared]] = {}
    for figure in comparison.figures:
        if figure.launches_needed and figure.launches_needed <= SETTLED_WITHIN:
            key = (figure.base.benchmark, tuple(figure.base.knobs), _chosen(figure))
            groups.setdefault(key, []).append(figure)
    for (*_, chosen), figures in groups.items():
        points = [point for each in figures for point in (each.base, each.other)]
        evidence = Evidence(run=base, points=tuple(points), sweeps=())
        if chosen:
            yield command(evidence, range(len(points)), launches=3, until_sure=_BUDGET)
        else:
            needed = max(each.launches_needed or 0 for each in figures)
            yield command(evidence, range(len(points)), launches=needed)


def _chosen(figure: Compared) -> bool:
    return _choices(figure.base) != _choices(figure.other)


def _choices(point: PointSummary) -> object:
    place = (point.nodes, point.processes_per_node)
    return (point.mpi, point.axes, point.settings, point.knobs, place)
