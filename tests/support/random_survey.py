"""Surveys of machines that do not exist: one to eight MPIs with times that are declared.

Each is drawn from its seed, quiet or disturbed, and knows the verdict on its first MPI.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import run_parts as parts
from run_parts import FLAGS

from leadline.measure.build.parts import catalogue
from leadline.model.description import Benchmark
from leadline.model.installation import Installation
from leadline.model.plan import Point
from leadline.model.run import Clock, PointResult, RankPlace, Run

LAUNCHES, REPETITIONS = 4, 80
PREEMPTED = 1 << FLAGS.index("preempted")
NAMES = ("mpich-5.0.2", "openmpi-5.0.11", "intel-2021.18.1", "mpich-4.0.2", "openmpi-4.1.4",
         "mvapich-4.1", "mpich-4.3.2", "openmpi-5.0.9")  # fmt: skip
# The slow end of what was published of two processes inside a node, at 8 B.
USUAL_S = 0.64e-6
GOOD, POOR = 1.25, 4.0

_SIZES = {
    "mpi/pingpong": (0, 8, 512, 4096, 32768, 2**18, 2**20, 2**22),
    "mpi/allreduce": (8, 4096, 2**20),
    "rma/put": (8, 4096),
    "mpi/barrier": (),
    "node/handover": (2**20,),
    "node/stream": (2**26,),
}
_WAYS = {"mpi/allreduce": ("library", "shared"), "mpi/barrier": ("library", "shared")}


class Survey(NamedTuple):
    """A survey, its samples, and the grades that its verdict may have."""

    run: Run
    samples: "Samples"
    grade: str


class Samples:
    """The samples of a survey, as leadline.model.samples.SampleSource says."""

    def __init__(self, expected: Mapping[int, float], seed: int, disturbed: bool) -> None:
        self.expected, self.seed, self.disturbed = expected, seed, disturbed

    def columns(self, point: int) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return the samples of one point: two ranks, of which both have the time."""
        random = np.random.default_rng([self.seed, point])
        shape = (LAUNCHES, REPETITIONS, 2)
        spread, apart = (0.3, 0.4) if self.disturbed else (0.02, 0.01)
        seconds = self.expected[point] * random.lognormal(0, spread, shape)
        seconds *= random.lognormal(0, apart, (LAUNCHES, 1, 1))
        launch, repetition, rank = np.indices(shape)
        hit = random.random(shape) < (0.25 if self.disturbed else 0.0)
        lasts = seconds.max(axis=2, keepdims=True) + 1e-6
        begin = np.broadcast_to(np.cumsum(lasts, axis=1) - lasts, shape)
        return {
            "launch": launch.ravel() + LAUNCHES * (point // 1000),
            "repetition": repetition.ravel(),
            "rank": rank.ravel(),
            "peer": 1 - rank.ravel(),
            "batch": np.ones(seconds.size, int),
            "series": np.zeros(seconds.size, int),
            "flags": np.where(hit, PREEMPTED, 0).ravel(),
            "seconds": seconds.ravel(),
            "begin": begin.ravel(),
        }


def survey(seed: int) -> Survey:
    """Return the survey of a seed whose largest gap is surely on one side of each grade's limit."""
    random = np.random.default_rng(seed)
    while True:
        names = NAMES[: random.integers(1, len(NAMES) + 1)]
        disturbed = seed % 5 == 4
        machine = _Machine(random, names)
        gap = machine.largest_gap()
        if all(abs(gap / limit - 1) > 0.07 for limit in (GOOD, POOR)):
            break
    grade = "good" if gap <= GOOD else "poor" if gap > POOR else "fair"
    known = {each.name: each for each in catalogue("mpi").description.benchmarks}
    benchmarks = [known[name] for name in _SIZES]
    points = [each for at, mpi in enumerate(names) for each in _points(benchmarks, at, mpi)]
    expected = {each.index: machine.seconds(each) for each in points}
    run = parts.run(
        run=f"2026-11-21T073012-survey-{seed:04x}",
        started="2026-11-21T07:30:12Z",
        ended="2026-11-21T07:31:00Z",
        machine={"host": "node17", "cpu_model": "Example CPU 3000", "cores": 2},
        installations=[
            Installation(
                name=mpi, family=mpi.partition("-")[0], version="5.0.1", prefix=f"/opt/{mpi}",
                source="path", mpicc=f"/opt/{mpi}/bin/mpicc", mpiexec=f"/opt/{mpi}/bin/mpiexec",
            )
            for mpi in names
        ],
        benchmarks=benchmarks,
        flags=list(FLAGS),
        points=points,
        launches=[
            _launch(at, number, names, points)
            for at in range(len(names))
            for number in range(LAUNCHES)
        ],
    )  # fmt: skip
    return Survey(run, Samples(expected, seed, disturbed), "unclear" if disturbed else grade)


class _Machine:
    """What a machine and its MPIs take, in seconds."""

    def __init__(self, random: np.random.Generator, names: tuple[str, ...]) -> None:
        # Of some machines most figures are as good as may be.
        share = random.choice((0.03, 0.3))

        def factors(largest: float) -> dict[str, float]:
            """Return how many times slower each MPI is than it might be: most of them are not."""
            slow = random.uniform(1.4, largest, len(names)) * (random.random(len(names)) < share)
            near = random.uniform(1.0, 1.04, len(names))
            return dict(zip(names, np.maximum(slow, near).tolist(), strict=True))

        self.copy = random.uniform(5e9, 30e9)
        self.latency = {mpi: 0.5e-6 * each for mpi, each in factors(6.0).items()}
        self.rate = {mpi: self.copy / 1.1 / each for mpi, each in factors(3.0).items()}
        self.collective, self.put = factors(6.0), factors(6.0)
        self.names = names

    def seconds(self, point: Point) -> float:
        """Return the time of a point."""
        size, mpi = int(point.axes.get("bytes", 0)), point.mpi
        if point.benchmark == "mpi/pingpong":
            # A message of 1 MiB takes no longer for what a short one takes.
            return max(self.latency[mpi], size / self.rate[mpi])
        if point.benchmark == "rma/put":
            return self.put[mpi] * (0.1e-6 + size / self.copy)
        if point.benchmark == "node/handover":
            return size / self.copy
        if point.benchmark == "node/stream":
            return size / 10e9
        way = 1.0 if point.axes["algorithm"] == "shared" else self.collective[mpi]
        return way * (0.2e-6 + 2 * size / self.copy)

    def largest_gap(self) -> float:
        """Return how many times slower the worst figure of the first MPI is than what is known."""
        first, *others = self.names

        def behind(seconds: Mapping[str, float]) -> float:
            best = min((seconds[mpi] for mpi in others), default=np.inf)
            # What is apart by a little may or may not be told.
            return seconds[first] / best if seconds[first] > 1.1 * best else 1.0

        slowness = {mpi: 1 / rate for mpi, rate in self.rate.items()}
        return max(
            self.latency[first] / USUAL_S,
            behind(self.latency),
            behind(slowness),
            self.copy / self.rate[first],
            self.collective[first],
            behind(self.collective),
            behind(self.put),
        )


def _points(benchmarks: list[Benchmark], at: int, mpi: str) -> list[Point]:
    found: list[Point] = []
    for benchmark in benchmarks:
        defaults = {
            axis.name: axis.default.partition(",")[0]
            for axis in benchmark.axes
            if axis.name != "bytes"
        }
        if benchmark.name == "node/stream":
            defaults["operation"] = "triad"
        sizes = [{"bytes": size} for size in _SIZES[benchmark.name]] or [{}]
        ways = [{"algorithm": way} for way in _WAYS.get(benchmark.name, ())] or [{}]
        for way in ways:
            for size in sizes:
                found.append(
                    parts.point(
                        1000 * at + len(found), benchmark=benchmark.name, mpi=mpi,
                        axes={**size, **defaults, **way}, settings={"cache": "warm"},
                    )
                )  # fmt: skip
    return found


def _launch(at: int, number: int, names: tuple[str, ...], points: list[Point]) -> Any:
    mpi = names[at]
    return parts.launch(
        LAUNCHES * at + number,
        mpi=mpi,
        library=mpi,
        standard="4.1",
        clock=Clock(
            source="steady_clock", resolution_s=1e-9, overhead_s=21e-9, harness_in_figure_s=0.0,
            harness_per_sample_s=95e-9, sync_error_s=0.0, shared=True,
        ),
        ranks=tuple(
            RankPlace(rank=rank, host="node17", node=0, cpus=str(rank), cpu=rank, pid=100 + rank)
            for rank in range(2)
        ),
        points=tuple(
            PointResult(
                point=point.index, bytes=point.axes.get("bytes"),
                moved_bytes=float(point.axes.get("bytes", 0))
                * (4 if point.benchmark == "node/stream" else 1),
                repetitions=REPETITIONS, verified=True, stopped_by="precision",
            )
            for point in points
            if point.mpi == mpi
        ),
    )  # fmt: skip
