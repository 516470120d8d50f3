"""A made-up run of 52 benchmarks with two million samples behind it."""

import msgspec
import numpy as np
from example_run import FLAGS, example_run

from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.placement import Placement
from leadline.model.plan import Point
from leadline.model.run import PointResult

FAMILIES = {"mpi": 32, "rma": 10, "shmem": 8, "node": 2}
ALGORITHMS = ("library", "hypercube")
SIZES = tuple(8**power for power in range(8))
LAUNCHES, REPETITIONS, RANKS = 3, 401, 2
SAMPLES = sum(FAMILIES.values()) * len(ALGORITHMS) * len(SIZES) * LAUNCHES * REPETITIONS * RANKS

_RANDOM = np.random.default_rng(7)
_SHAPE = (LAUNCHES, REPETITIONS, RANKS)
_NOISE = _RANDOM.lognormal(0, 0.04, _SHAPE) + (_RANDOM.random(_SHAPE) < 0.01) * (
    _RANDOM.pareto(1.5, _SHAPE)
)


class ManySamples:
    """Samples of the points of `large_run`, the same noise on each."""

    def __init__(self, run):
        self._points = {point.index: point for point in run.points}

    def columns(self, point):
        axes = self._points[point].axes
        slower = 1.3 if axes["algorithm"] == "hypercube" else 1.0
        seconds = slower * (0.5e-6 + axes["bytes"] / 8e9) * np.roll(_NOISE, point, axis=1)
        launch, repetition, rank = np.indices(_SHAPE)
        return {
            "launch": launch.ravel(),
            "repetition": repetition.ravel(),
            "rank": rank.ravel(),
            "peer": 1 - rank.ravel(),
            "batch": np.ones(seconds.size, int),
            "series": np.zeros(seconds.size, int),
            "flags": np.zeros(seconds.size, int),
            "seconds": seconds.ravel(),
            "begin": np.cumsum(seconds, axis=1).ravel(),
        }


def large_run():
    """Return the run: every benchmark with two algorithms and eight sizes."""
    run = example_run("2026-11-21T080000-everything-77aa")
    names = [f"{family}/kind{at}" for family, count in FAMILIES.items() for at in range(count)]
    run.benchmarks = [
        Benchmark(
            name=name,
            summary="Something that takes longer the more bytes it has.",
            axes=(
                Axis(name="bytes", kind="bytes", summary="message size", default="8"),
                Axis(name="algorithm", kind="choice", summary="which", default="library"),
            ),
            processes=Processes(minimum=2),
            series=(Series(name="operation", definition="From the start to the end of the call."),),
            api="mpi",
            start="none",
        )
        for name in names
    ]
    chosen = [(n, a, s) for n in names for a in ALGORITHMS for s in SIZES]
    run.points = [
        Point(
            index=index,
            benchmark=name,
            axes={"bytes": size, "algorithm": algorithm},
            settings={"cache": "warm"},
            placement=Placement(1, RANKS),
            mpi="mpich",
            api="mpi",
        )
        for index, (name, algorithm, size) in enumerate(chosen)
    ]
    results = tuple(
        PointResult(
            point=point.index,
            bytes=int(point.axes["bytes"]),
            moved_bytes=float(point.axes["bytes"]),
            repetitions=REPETITIONS,
            verified=True,
            stopped_by="precision",
        )
        for point in run.points
    )
    run.launches = [
        msgspec.structs.replace(launch, points=results)
        for launch in run.launches[:LAUNCHES]
    ]  # fmt: skip
    run.flags = list(FLAGS)
    return run
