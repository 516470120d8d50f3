"""MAX and AVG of calls against the number of nodes, and what a node sends meanwhile.

As J. Hague, "Switch Jitter" (ECMWF, 2008), draws them, once for each way to run: an eager limit.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from leadline.model.run import variant
from leadline.model.summary import Jitter, PointSummary


class NodeCurve(NamedTuple):
    """Calls that differ in the number of nodes alone, ascending: their figures and their jitter."""

    figures: tuple[PointSummary, ...]
    jitter: tuple[Jitter, ...]


def node_curves(points: Sequence[PointSummary], jitter: Sequence[Jitter]) -> tuple[NodeCurve, ...]:
    """Return the curves of at least two numbers of nodes, of tasks that wait for known others.

    `jitter` names its figures by their indices in `points`.
    """
    found: dict[object, dict[int, Jitter]] = defaultdict(dict)
    for one in jitter:
        if one.predictions:
            point = points[one.point]
            choices = variant(point.axes, point.conditions)
            place = (point.mpi, point.processes_per_node)
            key = (point.benchmark, point.series, point.bytes, choices, *place)
            found[key].setdefault(point.nodes, one)
    curves = [[own for _, own in sorted(by_nodes.items())] for by_nodes in found.values()]
    return tuple(
        NodeCurve(tuple(points[one.point] for one in curve), tuple(curve))
        for curve in curves
        if len(curve) > 1
    )
