"""Samples given as rows, and the run that they are of."""

from collections.abc import Mapping

import msgspec
import numpy as np
from run_parts import FLAGS, benchmark, launch, point, run

from leadline.model.run import PointResult, Run

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


def make_run(*results: PointResult, points: int = 1, **changes: object) -> Run:
    """Return a run with one launch for each result, all of the same points."""
    return run(
        flags=FLAGS,
        benchmarks=[benchmark("family/thing", "first", "second")],
        points=[point(index, axes={"bytes": 64}) for index in range(points)],
        launches=[
            launch(number, points=(result,), **changes) for number, result in enumerate(results)
        ],
    )


def good(**changes: object) -> PointResult:
    return msgspec.structs.replace(
        PointResult(point=0, bytes=64, moved_bytes=128.0, verified=True, stopped_by="precision"),
        **changes,
    )
