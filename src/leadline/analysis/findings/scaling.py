"""Scaling curves: results of the same work on more and more processes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.program import WORK
from leadline.model.summary import PointSummary

# A gain below a tenth is none, where twice the processes should halve the time.
GAIN = 1.1


class Curve(NamedTuple):
    """The indices of the figures of one work by the number of processes, ascending."""

    points: Mapping[int, int]
    seconds: Mapping[int, float]

    @property
    def fewest(self) -> int:
        """The smallest number of processes."""
        return min(self.points)

    @property
    def most(self) -> int:
        """The largest number of processes."""
        return max(self.points)

    @property
    def fastest(self) -> int:
        """The number of processes with the shortest time."""
        return min(self.seconds, key=self.seconds.__getitem__)

    @property
    def stops_at(self) -> int:
        """The number of processes beyond which no more of them gain a tenth."""
        return next(
            count
            for count, time in self.seconds.items()
            if all(time / later < GAIN for n, later in self.seconds.items() if n > count)
        )


def curves_of_work(evidence: Evidence) -> Iterator[Curve]:
    """Yield a curve for each set of figures that differ in the number of processes alone."""
    found: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if WORK in point.metrics and point.median_s > 0 and not point.oversubscribed:
            found[_key(evidence, point)].append(index)
    for alike in found.values():
        for points in by_processes(evidence, alike):
            yield Curve(points, {n: evidence.points[i].median_s for n, i in points.items()})


def by_processes(evidence: Evidence, indices: Sequence[int]) -> Iterator[Mapping[int, int]]:
    """Yield the figures by the number of processes, ascending; sets of one figure are left out.

    Where one number of processes was placed in several ways, each way to place them on a node is a
    set of its own.
    """
    placed: dict[int, dict[int, int]] = defaultdict(dict)
    several = len({evidence.points[index].processes for index in indices}) < len(indices)
    for index in indices:
        point = evidence.points[index]
        placed[point.processes_per_node if several else 0][point.processes] = index
    yield from (dict(sorted(each.items())) for each in placed.values() if len(each) > 1)


def _key(evidence: Evidence, point: PointSummary) -> object:
    measured = (point.benchmark, point.series, point.mpi, point.metrics[WORK])
    return (*measured, evidence.choices(point), evidence.amounts(point))


def series_of(evidence: Evidence, curve: Curve) -> tuple[str, str]:
    """Return the benchmark and series of a curve."""
    point = evidence.points[curve.points[curve.fewest]]
    return point.benchmark, point.series


def name_of_curve(evidence: Evidence, curve: Curve) -> str:
    """Return words that tell the curve from others of the run."""
    return name_of(evidence, curve.points[curve.fewest], without=["place"])
