"""A made-up run as the report and the terminal meet it, drawn from a fixed seed."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import run_parts as parts
from run_parts import FLAGS

from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import analyse_samples
from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.installation import Installation
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Clock, Launch, PointResult, RankPlace, Run
from leadline.model.summary import Analysis, Finding

LATE_START = 1 << FLAGS.index("late_start")
REPETITIONS = 400
SIZES = (0, *(4**power for power in range(12)))
LAUNCHES = 3
LIBRARIES = ("mpich", "openmpi")


class MadeUpSamples:
    """Samples of the points of `example_run`: two ranks, the second the slower one."""

    def __init__(self, run: Run) -> None:
        self._points = {point.index: point for point in run.points}

    def columns(self, point: int) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return the samples of one point, as leadline.model.samples.SampleSource says."""
        random = np.random.default_rng(point)
        shape = (LAUNCHES, REPETITIONS, 2)
        base = expected_s(self._points[point])
        seconds = base * random.lognormal(0, 0.03, shape)
        seconds *= np.array([1.0, 1.01, 0.985])[:, None, None]
        seconds[..., 1] *= 1.02
        seconds += base * (random.random(shape) < 0.01) * random.pareto(1.5, shape)
        launch, repetition, rank = np.indices(shape)
        return {
            "launch": launch.ravel() + LAUNCHES * LIBRARIES.index(self._points[point].mpi),
            "repetition": repetition.ravel(),
            "rank": rank.ravel(),
            "peer": 1 - rank.ravel(),
            "batch": np.ones(seconds.size, int),
            "series": np.zeros(seconds.size, int),
            "flags": np.where(repetition.ravel() == 7, LATE_START, 0),
            "seconds": seconds.ravel(),
            "begin": begins(seconds).ravel(),
        }


def begins(seconds: np.ndarray) -> np.ndarray:
    """Return when each call began if a rank waits for the other one before the next."""
    lasts = seconds.max(axis=2, keepdims=True) + 1e-6
    return np.broadcast_to(np.cumsum(lasts, axis=1) - lasts, seconds.shape)


def expected_s(point: Point) -> float:
    """Return the time around which the samples of a point lie."""
    size = point.axes.get("bytes", 0)
    slower = {"ring": 1.7, "hypercube": 0.8}.get(str(point.axes.get("algorithm")), 1.0)
    rendezvous = 1.2e-6 if size >= 4096 else 0.0
    return slower * (0.35e-6 + rendezvous + size / 9e9) * (1.0 if point.mpi == "mpich" else 1.3)


def example_benchmarks() -> list[Benchmark]:
    """Return a benchmark with one curve a library, one with variants and one without sizes."""
    size = Axis(name="bytes", kind="bytes", summary="message size", default="8")
    names = ("library", "ring", "hypercube")
    algorithm = Axis(
        name="algorithm", kind="choice", summary="who combines", default=names[0], choices=names
    )
    operation = "From the agreed start to the end of the call on each rank."
    there_and_back = "Half the time from sending to having the answer; rank 0 stops the clock."
    rows = (
        ("mpi/pingpong", "A message goes to the other rank and comes back.", (size,),
         "half_round_trip", there_and_back, "none"),
        ("mpi/allreduce", "Every rank ends with the sum of all ranks' vectors.",
         (size, algorithm), "operation", operation, "window"),
        ("mpi/barrier", "No rank leaves before all have entered.", (), "operation", operation,
         "window"),
    )  # fmt: skip
    return [
        parts.benchmark(
            name, summary=summary, axes=axes, start=start, processes=Processes(minimum=2),
            series=(Series(name=series, definition=definition),),
        )
        for name, summary, axes, series, definition, start in rows
    ]  # fmt: skip


def example_points() -> list[Point]:
    """Return the points of `example_run`."""
    chosen: list[tuple[str, dict[str, Any]]] = [
        *(("mpi/pingpong", {"bytes": size}) for size in SIZES),
        *(
            ("mpi/allreduce", {"bytes": size, "algorithm": algorithm})
            for algorithm in ("library", "ring", "hypercube")
            for size in SIZES[2:]
        ),
        ("mpi/barrier", {}),
    ]
    every = [(mpi, *each) for mpi in LIBRARIES for each in chosen]
    return [
        parts.point(index, benchmark=benchmark, axes=axes, settings={"cache": "warm"}, mpi=mpi)
        for index, (mpi, benchmark, axes) in enumerate(every)
    ]


def example_run(name: str = "2026-11-21T073012-survey-3f2a") -> Run:
    """Return a complete run of two libraries on one node."""
    points = example_points()
    return parts.run(
        run=name,
        leadline="0.1.0",
        plan=Plan(entries=(Entry(benchmarks=("mpi/pingpong",), axes={"bytes": "0:4M:x4"}),)),
        started="2026-11-21T07:30:12Z",
        ended="2026-11-21T07:31:00Z",
        machine={
            "host": "node17", "cpu_model": "Example CPU 3000 @ 2.00GHz", "cores": 2,
            "memory_bytes": 8 * 2**30, "cache_bytes": {"L1d": 32768, "L3": 34603008},
            "clock_source": "tsc", "network": [{"name": "eth0", "speed_Mbps": 1000}],
        },
        load_before={"load_1_min": 0.12},
        load_during={"busy_fraction": 0.03},
        load_after={"load_1_min": 1.4},
        doctor=[
            {
                "name": "governor", "status": "warn",
                "observed": "governor is powersave on 2 cores",
                "meaning": "short operations are timed at a low frequency",
                "advice": "cpupower frequency-set -g performance", "numbers": {"cores": 2},
            },
            {
                "name": "clock_source", "status": "ok", "observed": "tsc",
                "meaning": "reading the clock costs some 20 ns", "advice": None, "numbers": {},
            },
        ],
        installations=[
            Installation(
                name=library, family=library, version="5.0.1", prefix=f"/opt/{library}",
                source="path", mpicc=f"/opt/{library}/bin/mpicc",
                mpiexec=f"/opt/{library}/bin/mpiexec", built={"device": "ch4:ofi"},
            )
            for library in LIBRARIES
        ],
        benchmarks=example_benchmarks(),
        flags=list(FLAGS),
        points=points,
        launches=[
            _launch(number, LIBRARIES[number // LAUNCHES], points)
            for number in range(LAUNCHES * len(LIBRARIES))
        ],
    )  # fmt: skip


def _launch(number: int, library: str, points: list[Point]) -> Launch:
    return parts.launch(
        number,
        mpi=library,
        argv=(f"/opt/{library}/bin/mpiexec", "-n", "2", "leadline-probe-mpi", "--plan", "plan.txt"),
        environment={"MPIR_CVAR_NOLOCAL": "0"},
        started="2026-11-21T07:30:13Z",
        ended="2026-11-21T07:30:20Z",
        library=f"{library} 5.0.1",
        standard="4.1",
        clock=Clock(
            source="steady_clock", resolution_s=1e-9, overhead_s=21e-9, harness_in_figure_s=22e-9,
            harness_per_sample_s=95e-9, sync_error_s=40e-9, shared=True,
        ),
        ranks=tuple(
            RankPlace(rank=rank, host="node17", node=0, cpus=str(rank), cpu=rank, pid=100 + rank)
            for rank in range(2)
        ),
        points=tuple(
            PointResult(
                point=point.index, bytes=point.axes.get("bytes"),
                moved_bytes=float(point.axes.get("bytes", 0)), repetitions=REPETITIONS,
                verified=True, stopped_by="precision",
                neighbours=((1,), (0,)) if point.benchmark == "mpi/barrier" else (),
            )
            for point in points
            if point.mpi == library
        ),
    )  # fmt: skip


@cache
def example_analysis() -> Analysis:
    """Return the figures and curves of `example_run`, with findings of its own."""
    run = example_run()
    points, jitter, *_ = analyse_samples(run, MadeUpSamples(run))
    return Analysis(
        points=points,
        sweeps=sweeps(points),
        findings=example_findings(),
        jitter=jitter,
    )


def example_findings() -> tuple[Finding, ...]:
    """Return a finding of each severity, the least severe first."""
    return (
        Finding(
            kind="protocol_switch",
            severity="fact",
            text="mpi/pingpong takes another protocol from 4 KiB: 0.81 µs becomes 2.02 µs.",
            evidence={"from_bytes": 1024, "to_bytes": 4096, "factor": 2.49},
            points=(6, 7),
        ),
        Finding(
            kind="variants",
            severity="notice",
            text="algorithm=hypercube is 1.25 times as fast as the default, algorithm=library.",
            evidence={"ratio": 1.25, "ratio_low": 1.22, "ratio_high": 1.28},
            advice="leadline run mpi/allreduce --algorithm hypercube --launches 10",
            points=tuple(range(13, 24)),
        ),
        Finding(
            kind="disturbed",
            severity="problem",
            text="4.2 % of the samples were preempted: something else ran on these cores.",
            evidence={"preempted_fraction": 0.042},
            advice="end what runs beside the measurement; leadline check names it",
        ),
    )
