"""Runs whose ranks and samples are known, for maps."""

import numpy as np

from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Launch, Outcome, PointResult, RankPlace, Run

FAULTY = "failed_verification"


def point(index, size, **axes):
    return Point(
        index=index, benchmark="some/pairs", axes={"bytes": size, **axes}, settings={},
        placement=Placement(4, 1), mpi="m", api="mpi",
    )  # fmt: skip


def launch(number, hosts, *results, nodes=None):
    """A launch with a rank on each host, one after the other; equal names are one node."""
    first = list(dict.fromkeys(hosts))
    node = nodes or [first.index(host) for host in hosts]
    return Launch(
        launch=number, mpi="m", api="mpi", argv=(), environment={}, processes=len(hosts),
        nodes=len(set(node)), processes_per_node=1, oversubscribed=False, started="", ended="",
        outcome=Outcome(state="complete"), points=results,
        ranks=tuple(
            RankPlace(rank=rank, host=host, node=node[rank], cpus="0", cpu=0, pid=rank + 1)
            for rank, host in enumerate(hosts)
        ),
    )  # fmt: skip


def run(points, launches, platform=None, name="2026-11-22T030000-pairs-1a2b"):
    return Run(
        run=name, leadline="0", plan=Plan(entries=(Entry(benchmarks=("some/pairs",)),)),
        platform=platform, started="2026-11-22T03:00:00+00:00", flags=["preempted", FAULTY],
        outcome=Outcome(state="complete"), points=points, launches=launches,
    )  # fmt: skip


class Rows:
    """Samples of points, as rows of launch, rank, peer, seconds and flags."""

    def __init__(self, rows):
        self._rows = rows

    def columns(self, point):
        rows = self._rows.get(point, [])
        names = ("launch", "rank", "peer", "seconds", "flags")
        kinds = (int, int, int, float, int)
        table = list(zip(*rows, strict=True)) or [()] * len(names)
        return {
            name: np.array(column, kind)
            for name, column, kind in zip(names, table, kinds, strict=True)
        }


def waiting(index, size, neighbours, messages=0.0):
    return PointResult(point=index, bytes=size, neighbours=neighbours, messages=messages)
