"""Figures and runs as the formats meet them: measured, imported, hostile."""

import figures
import msgspec

from leadline.model.description import Benchmark, Processes, Series
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis, Finding, PointSummary

MEASURED = figures.figure(
    2e-6,
    benchmark="mpi/pingpong",
    series="one-way",
    axes={"mode": "blocking"},
    settings={"cache": "warm"},
    knobs={"eager_limit": "default"},
    mpi="mpich-5.0.2",
    samples=300,
    excluded=1,
    ci95_low_s=1e-6,
    ci95_high_s=3e-6,
    ci95_method="order statistics",
    p90_s=3.5e-6,
    p99_s=4e-6,
    max_s=9e-6,
    min_s=0.5e-6,
    mean_s=2.1e-6,
    launch_medians_s=(1e-6, 2e-6, 3e-6),
    flags={"preempted": 2},
    metrics={"flow_MiB": 2.0, "swapped_fraction": 0.25},
    message_rate_per_s=1e6,
)
_UNKNOWN = ("ci95_low_s", "ci95_high_s", "p90_s", "p99_s", "max_s", "bandwidth_MBps",
            "message_rate_per_s")  # fmt: skip
IMPORTED = msgspec.structs.replace(
    MEASURED, launches=1, samples=0, median_s=5e-6, min_s=4e-6, mean_s=5e-6, launch_medians_s=(),
    flags={}, metrics={}, statistic="mean", **dict.fromkeys(_UNKNOWN),
)  # fmt: skip
HOSTILE = 'a "b"\\ \n{c}\t'


def figure(of: PointSummary = MEASURED, **changes: object) -> PointSummary:
    return msgspec.structs.replace(of, **changes)


def sized(*sizes: int) -> tuple[PointSummary, ...]:
    return tuple(figure(axes={"bytes": size}, bytes=size) for size in sizes)


DESCRIBED = Benchmark(
    name="mpi/pingpong",
    summary="There and back.",
    axes=(),
    processes=Processes(),
    series=(Series(name="one-way", definition="Half of a round trip."),),
    api="mpi",
    start="back_to_back",
)


def a_run(**changes: object) -> Run:
    known = {
        "run": "2026-11-21T073012-survey-3f2a",
        "leadline": "0.1.0",
        "plan": Plan(entries=()),
        "started": "2026-11-21T07:30:12+00:00",
        "outcome": Outcome(state="complete"),
        "benchmarks": [DESCRIBED],
        "machine": {"host": "node17", "cores": 2, "nominal_frequency_hz": 2.5e9},
    }
    return Run(**(known | changes))


def analysis(*points: PointSummary) -> Analysis:
    finding = Finding(kind="heavy_tail", severity="notice", text="", evidence={})
    return Analysis(points=points, sweeps=(), findings=(finding, finding))
