"""Runs as nights: which of their launches are those of which figure of the newest run."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from leadline.analysis.compare.confirming import Fresh
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.matching import match
from leadline.analysis.compare.nights import Key, Night
from leadline.analysis.results.states import States, launch_readings, usual_state
from leadline.analysis.stats.permutation import Mask
from leadline.analysis.stats.statistics import Array
from leadline.model.summary import PointSummary


class Yardsticks:
    """Which launches of figures met the machine in a slower state than is usual over some runs."""

    def __init__(self, runs: Iterable[Dated]) -> None:
        readings = [each for run in runs for point in run.points for each in point.readings]
        self._states = States(readings)
        self._usual = usual_state([self._states.of(each) for each in readings])

    def slow(self, point: PointSummary) -> Mask:
        """Return for each launch of a figure whether its yardsticks met a slower state, (n,)."""
        usual = self._usual
        if usual is None:
            return np.zeros(len(point.launch_medians_s), dtype=bool)
        met = [self._states.met(each) for each in launch_readings(point)]
        return np.array([max(states, default=usual) > usual for states in met], dtype=bool)


def nights_of(past: Sequence[Dated], new: Dated) -> list[Night]:
    """Return all runs as nights, the newest last; a figure's key is its index in the newest run.

    Launches that met the machine in a slower state than is usual are left out where a figure has
    others: its yardsticks say so, not the figure.
    """
    runs = (*past, new)
    yardsticks = Yardsticks(runs)
    nights = []
    for run in runs:
        launches: dict[Key, Array] = {}
        groups: dict[Key, Hashable] = {}
        for old, index in match(run.points, new.points).pairs:
            point = run.points[old]
            if min(point.launch_medians_s, default=0.0) > 0:
                slow = yardsticks.slow(point)
                every = np.log(np.array(point.launch_medians_s))
                launches[index] = every if slow.all() else every[~slow]
                groups[index] = (_group(point), len(launches[index]))
        nights.append(Night(run.name, launches, groups))
    return nights


def fresh_of(points: Sequence[PointSummary], new: Dated, yardsticks: Yardsticks) -> Fresh:
    """Return the launches of figures that were measured again, by their index in `new`."""
    again = {
        index: points[at]
        for at, index in match(points, new.points).pairs
        if min(points[at].launch_medians_s, default=0.0) > 0
    }
    return Fresh(
        {index: np.log(np.array(point.launch_medians_s)) for index, point in again.items()},
        {index: yardsticks.slow(point) for index, point in again.items()},
    )


def _group(point: PointSummary) -> Hashable:
    """Return what figures have in common that were measured in the same launches."""
    return (
        point.mpi,
        point.nodes,
        point.processes_per_node,
        tuple(sorted(point.knobs.items())),
    )
