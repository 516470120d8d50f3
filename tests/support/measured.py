"""Run folders as a probe and a killed or living leadline leave them, made without any probe."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import run_parts as parts

from leadline.model.description import Benchmark, Processes, Series
from leadline.model.plan import Entry, Plan
from leadline.model.run import Launch, Outcome, Run
from leadline.store.folder import RunFolder
from leadline.store.launches import collect_launch, note_launch

FIELDS = [
    ["point", "<u4"],
    ["repetition", "<u4"],
    ["rank", "<i4"],
    ["peer", "<i4"],
    ["batch", "<u4"],
    ["series", "<u2"],
    ["flags", "<u2"],
    ["seconds", "<f8"],
]
# As probes recorded before.
EARLIER_FIELDS = list(FIELDS)
FIELDS += [["begin", "<f8"], ["waited", "<f4"], ["page_faults", "<u4"]]
START = {
    "event": "start",
    "format": 1,
    "transport": "mpi",
    "library": "A library 1.0",
    "standard": "4.1",
    "processes": 2,
    "nodes": 1,
    "sample": FIELDS,
    "flags": ["preempted", "page_fault"],
}
BENCHMARK = Benchmark(
    name="test/ping",
    summary="A test's own.",
    axes=(),
    processes=Processes(minimum=2),
    series=(
        Series(name="sender", definition="until sent"),
        Series(name="receiver", definition="until received"),
    ),
    api="mpi",
    start="ready",
)


class Measured:
    """Writes launches of a two-series benchmark over sizes 1, 2, 4, ... into a new run folder."""

    def __init__(
        self,
        runs: Path,
        points: int = 3,
        samples: int = 10,
        name: str = "test",
        earlier: bool = False,
    ) -> None:
        self.folder = RunFolder.create(runs, name)
        self.samples = samples
        self.fields = EARLIER_FIELDS if earlier else FIELDS
        self.run = Run(
            run=self.folder.name,
            leadline="0",
            plan=Plan(entries=(Entry(benchmarks=("test/ping",)),)),
            started="2026-01-02T03:04:05+00:00",
            outcome=Outcome(state="running"),
            benchmarks=[BENCHMARK],
            flags=["preempted", "page_fault"],
            points=[
                parts.point(
                    index,
                    benchmark="test/ping",
                    axes={"bytes": 1 << index % 20, "mode": "blocking"},
                    settings={"cache": "warm"},
                    mpi="mpich",
                )
                for index in range(points)
            ],
        )
        self.folder.write(self.run)

    def records(self, launch: int, points: list[int]) -> np.ndarray:
        """Records whose every value can be told from launch, point and repetition."""
        count = self.samples
        table = np.zeros(count * len(points), [(name, kind) for name, kind in self.fields])
        table["point"] = np.repeat(points, count)
        table["repetition"] = np.tile(np.arange(count) // 2, len(points))
        table["series"] = np.tile(np.arange(count) % 2, len(points))
        table["rank"] = table["series"]
        table["peer"] = 1 - table["rank"]
        table["batch"] = 4
        table["flags"] = np.where(table["repetition"] == 1, 0b100010, 0)
        table["seconds"] = 1e-6 * (1 + launch) + 1e-9 * np.arange(len(table))
        if self.fields is FIELDS:
            table["begin"] = 0.5 + 1e-3 * np.arange(len(table))
            table["waited"] = np.where(table["repetition"] == 1, 0.25, 0)
            table["page_faults"] = 3 * table["repetition"]
        return table

    def launch(self, number: int, cut_after: int | None = None, known: bool = True) -> Path:
        """Write a launch's files; with `cut_after` the point after that many is cut half-way.

        An unknown launch is not in `run.json`: leadline was killed before it could note it.
        """
        order = [point.index for point in self.run.points][:: -1 if number % 2 else 1]
        path = self.folder.launch_folder(number)
        finished = order if cut_after is None else order[:cut_after]
        table = self.records(number, order)
        end = len(finished) * self.samples
        table[: end + (0 if cut_after is None else self.samples // 2)].tofile(path / "samples.bin")
        start = {**START, "sample": self.fields}
        events = [start, {"event": "rank", "rank": 0, "host": "h", "node": 0, "cpus": "0-1",
                          "cpu": 0, "pid": 1}]  # fmt: skip
        for position, point in enumerate(finished):
            events.append({"event": "begin", "point": point})
            events.append(
                {
                    "event": "point",
                    "point": point,
                    "bytes": 1 << point % 20,
                    "moved_bytes": float(1 << point % 20),
                    "messages": 2.0,
                    "neighbours": [[1], [0]],
                    "repetitions": self.samples // 2,
                    "batch": 4,
                    "verified": True,
                    "wrong_bytes": 0,
                    "stopped_by": "maximum",
                    "metrics": {"rate_per_s": 1.5},
                    "flags": {"page_fault": 2},
                    "clock_error_s": 1e-9,
                    "wall_s": 0.1,
                    "records": (position + 1) * self.samples,
                }
            )
        events.append({"event": "begin", "point": order[cut_after]} if cut_after is not None
                      else {"event": "end"})  # fmt: skip
        note_launch(path, self.base(number))
        (path / "events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events))
        if known:
            self.note(number)
        return path

    def note(self, number: int) -> None:
        """Note the launch in `run.json`, as leadline does when it ends."""
        path = self.folder.launch_path(number)
        self.run.launches.append(collect_launch(path, self.base(number)))
        self.folder.write(self.run)

    def base(self, number: int) -> Launch:
        """Return what the launcher knows of a launch."""
        return parts.launch(
            number,
            mpi="mpich",
            argv=("mpiexec",),
            started="2026-01-02T03:04:05+00:00",
            ended="2026-01-02T03:04:06+00:00",
        )

    def finish(self, state: str = "complete") -> RunFolder:
        """End the run as leadline does."""
        self.run.outcome = Outcome(state=state)
        self.run.ended = "2026-01-02T03:05:05+00:00"
        self.folder.finish(self.run)
        return self.folder


@pytest.fixture
def measured(tmp_path: Path) -> Callable[..., Measured]:
    """Make a run in the folder `runs` of the test's own folder."""
    return lambda **options: Measured(tmp_path / "runs", **options)


Make = Callable[..., Measured]


@pytest.fixture
def runs(measured: Make) -> Path:
    """Three runs: a complete one, one whose leadline was killed, one that is damaged."""
    complete = measured(name="complete")
    complete.launch(0)
    complete.launch(1)
    complete.finish()
    killed = measured(name="killed")
    killed.launch(0, cut_after=2, known=False)
    killed.folder.close()
    damaged = measured(name="damaged").finish()
    (damaged.path / "run.json").write_text("{")
    return damaged.path.parent
