"""Runs as nights: which of their launches are those of which figure of the newest run."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.matching import match
from leadline.analysis.compare.nights import Key, Night
from leadline.analysis.stats.statistics import Array
from leadline.model.summary import PointSummary


def nights_of(
    past: Sequence[Dated], new: Dated, again: Mapping[str, Mapping[Key, Array]] | None = None
) -> list[Night]:
    """Return all runs as nights, the newest last; a figure's key is its index in the newest run.

    `again` holds by the name of a run what was measured again of it, as `fresh_of` returns it.
    """
    again = again or {}
    nights = []
    for run in (*past, new):
        launches: dict[Key, Array] = {}
        groups: dict[Key, Hashable] = {}
        for old, index in match(run.points, new.points).pairs:
            point = run.points[old]
            if min(point.launch_medians_s, default=0.0) > 0:
                launches[index] = np.log(np.array(point.launch_medians_s))
                groups[index] = _group(point)
        nights.append(Night(run.name, launches, groups, again.get(run.name)))
    return nights


def fresh_of(points: Sequence[PointSummary], new: Dated) -> dict[Key, Array]:
    """Return the launches of figures that were measured again, by their index in `new`."""
    return {
        index: np.log(np.array(points[at].launch_medians_s))
        for at, index in match(points, new.points).pairs
        if min(points[at].launch_medians_s, default=0.0) > 0
    }


def _group(point: PointSummary) -> Hashable:
    """Return what figures have in common that were measured in the same launches."""
    return (
        point.mpi,
        point.nodes,
        point.processes_per_node,
        tuple(sorted(point.knobs.items())),
        len(point.launch_medians_s),
    )
