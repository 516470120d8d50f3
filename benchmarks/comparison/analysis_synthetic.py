"""A run folder with as many samples as wanted, drawn from a fixed seed."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import numpy as np

from leadline.model.description import Axis, Benchmark, Processes, Series
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Launch, Outcome, PointResult, Run
from leadline.store.folder import RunFolder
from leadline.store.parquet import COLUMNS, quoted

SIZES = tuple(8 * 4**power for power in range(10))
LAUNCHES = 10
FLAGS = ["preempted", "late_start"]

# Who stops the clock: one rank over batches, as of a ping-pong, or two for each call.
BENCHMARKS = {"made/pingpong": (1, 8), "made/collective": (2, 1)}


def write(runs: Path, samples: int) -> None:
    """Write a run of about so many samples into the folder `runs`."""
    run = _run(samples)
    folder = RunFolder.create(runs, "analysis")
    run.run = folder.name
    folder.write(run)
    _write_samples(run, folder.parquet, samples)
    folder.close()


def _repetitions(samples: int) -> int:
    ranks = sum(ranks for ranks, _ in BENCHMARKS.values())
    return round(samples / ranks / len(SIZES) / LAUNCHES)


def _run(samples: int) -> Run:
    points = [
        Point(
            index=index,
            benchmark=benchmark,
            axes={"bytes": size},
            settings={},
            placement=Placement(1, 2),
            mpi="made",
            api="mpi",
        )
        for index, (benchmark, size) in enumerate((b, s) for b in BENCHMARKS for s in SIZES)
    ]
    return Run(
        run="",
        leadline="0",
        plan=Plan(entries=(Entry(benchmarks=tuple(BENCHMARKS)),), launches=LAUNCHES),
        started="2026-11-21T07:30:12Z",
        ended="2026-11-21T07:40:12Z",
        outcome=Outcome(state="complete"),
        benchmarks=[
            Benchmark(
                name=name,
                summary="made up",
                axes=(Axis(name="bytes", kind="bytes", summary="message size", default="8"),),
                processes=Processes(minimum=2),
                series=(Series(name="time", definition="made up"),),
                api="mpi",
                start="none",
            )
            for name in BENCHMARKS
        ],
        flags=FLAGS,
        points=points,
        launches=[_launch(number, points, samples) for number in range(LAUNCHES)],
    )


def _launch(number: int, points: list[Point], samples: int) -> Launch:
    return Launch(
        launch=number,
        mpi="made",
        api="mpi",
        argv=(),
        environment={},
        processes=2,
        nodes=1,
        processes_per_node=2,
        oversubscribed=False,
        started="2026-11-21T07:30:12Z",
        ended="2026-11-21T07:31:12Z",
        outcome=Outcome(state="complete"),
        points=tuple(
            PointResult(
                point=point.index,
                bytes=int(point.axes["bytes"]),
                moved_bytes=float(point.axes["bytes"]),
                repetitions=_repetitions(samples),
                batch=BENCHMARKS[point.benchmark][1],
                verified=True,
                stopped_by="maximum",
            )
            for point in points
        ),
    )


def _write_samples(run: Run, path: Path, samples: int) -> None:
    random = np.random.default_rng(1)
    repetitions = _repetitions(samples)
    parts = []
    for launch in range(LAUNCHES):
        for point in run.points:
            ranks, batch = BENCHMARKS[point.benchmark]
            shape = (repetitions, ranks)
            typical = 1e-6 + int(point.axes["bytes"]) / 9e9
            seconds = typical * random.lognormal(random.normal(0, 0.02), 0.05, shape)
            seconds[random.random(shape) < 0.01] *= 3
            repetition, rank = np.indices(shape)
            parts.append(
                {
                    "launch": np.full(seconds.size, launch),
                    "point": np.full(seconds.size, point.index),
                    "rank": rank.ravel(),
                    "repetition": repetition.ravel(),
                    "seconds": seconds.ravel(),
                    "batch": np.full(seconds.size, batch),
                    "flags": np.where(random.random(seconds.size) < 1e-3, 1, 0),
                    "begin_s": np.repeat(np.cumsum(seconds.max(axis=1)), ranks),
                }
            )
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    given = {
        "run": f"'{run.run}'",
        "variant": "''",
        "mpi": "'made'",
        "series": "'time'",
        "processes": "2",
        "nodes": "1",
        "processes_per_node": "2",
        "benchmark": "b.benchmark",
        "bytes": "b.bytes",
        "peer": "1 - s.rank",
        "series_index": "0",
        "waited_s": "0",
        "page_faults": "0",
    }
    selected = ", ".join(
        f"({given.get(name, f's.{name}')})::{kind} AS {name}" for name, (kind, _) in COLUMNS.items()
    )
    with duckdb.connect() as connection:
        connection.register("samples", {**columns, "row": np.arange(len(columns["launch"]))})
        connection.execute("CREATE TABLE points (point INTEGER, benchmark VARCHAR, bytes BIGINT)")
        connection.executemany(
            "INSERT INTO points VALUES (?, ?, ?)",
            [(point.index, point.benchmark, point.axes["bytes"]) for point in run.points],
        )
        connection.execute(
            f"COPY (SELECT {selected} FROM samples s JOIN points b ON s.point = b.point "
            f"ORDER BY s.row) TO {quoted(path)} "
            "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 32768)"
        )


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(exist_ok=True)
    write(Path(sys.argv[1]), int(sys.argv[2]))
