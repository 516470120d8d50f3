"""Samples given as rows, and the run that they are of."""

from collections.abc import Mapping

import msgspec
import numpy as np

from leadline.model.description import Benchmark, Processes, Series
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Launch, Outcome, PointResult, Run

FLAGS = [
    "preempted",
    "page_fault",
    "migrated",
    "late_start",
    "clock_uncertain",
    "failed_verification",
]
PREEMPTED, LATE, WRONG = 1, 8, 32
Row = tuple[int, int, int, int, int, float]


class Samples:
    """A source of rows (launch, repetition, rank, series, flags, seconds) by point."""

    def __init__(self, points: Mapping[int, list[Row]]) -> None:
        self.points = points

    def columns(self, point: int) -> dict[str, np.ndarray]:
        names = ("launch", "repetition", "rank", "series", "flags", "seconds")
        rows = self.points.get(point, [])
        found = {name: np.array([row[i] for row in rows]) for i, name in enumerate(names)}
        return found | {"peer": np.full(len(rows), -1), "batch": np.ones(len(rows), dtype=int)}


def make_run(*results: PointResult, points: int = 1, **launch: object) -> Run:
    """Return a run with one launch for each result, all of the same points."""
    done = Outcome(state="complete")
    made = Launch(
        launch=0,
        mpi="some",
        api="mpi",
        argv=(),
        environment={},
        processes=2,
        nodes=1,
        processes_per_node=2,
        oversubscribed=False,
        started="",
        ended="",
        outcome=done,
    )
    return Run(
        run="run",
        leadline="0",
        plan=Plan(entries=(Entry(benchmarks=("family/thing",)),)),
        started="",
        outcome=done,
        flags=FLAGS,
        benchmarks=[
            Benchmark(
                name="family/thing",
                summary="",
                axes=(),
                processes=Processes(),
                series=(Series(name="first", definition=""), Series(name="second", definition="")),
                api="mpi",
                start="",
            )
        ],
        points=[
            Point(
                index=index,
                benchmark="family/thing",
                axes={"bytes": 64},
                settings={},
                placement=Placement(1, 2),
                mpi="some",
                api="mpi",
            )
            for index in range(points)
        ],
        launches=[
            msgspec.structs.replace(made, launch=number, points=(result,), **launch)
            for number, result in enumerate(results)
        ],
    )


def good(**changes: object) -> PointResult:
    return msgspec.structs.replace(
        PointResult(point=0, bytes=64, moved_bytes=128.0, verified=True, stopped_by="precision"),
        **changes,
    )
