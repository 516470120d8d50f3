"""Makers of the parts of a run: complete ones, of which a test changes what it is about."""

from typing import Any

from leadline.model.description import Benchmark, Processes, Series
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Point
from leadline.model.run import Launch, Outcome, Run

DONE = Outcome(state="complete")
# Of samples, as probes name them.
FLAGS = ["preempted", "page_fault", "migrated", "late_start", "clock_uncertain",
         "failed_verification"]  # fmt: skip


def launch(number: int = 0, nodes: int = 1, each: int = 2, **changes: Any) -> Launch:
    """Make a launch of `each` ranks on every one of its nodes."""
    clean: dict[str, Any] = {
        "launch": number, "mpi": "some", "api": "mpi", "argv": (), "environment": {},
        "processes": nodes * each, "nodes": nodes, "processes_per_node": each,
        "oversubscribed": False, "started": "", "ended": "", "outcome": DONE,
    }  # fmt: skip
    return Launch(**(clean | changes))


def point(index: int = 0, nodes: int = 1, each: int = 2, **changes: Any) -> Point:
    """Make a point of the benchmark `family/thing` with 8 bytes."""
    clean: dict[str, Any] = {
        "index": index, "benchmark": "family/thing", "axes": {"bytes": 8}, "settings": {},
        "placement": Placement(nodes, each), "mpi": "some", "api": "mpi",
    }  # fmt: skip
    return Point(**(clean | changes))


def benchmark(name: str = "family/thing", *series: str, **changes: Any) -> Benchmark:
    """Make a benchmark that times these series, or one that is called `time`."""
    clean: dict[str, Any] = {
        "name": name,
        "summary": "",
        "axes": (),
        "processes": Processes(),
        "series": tuple(Series(name=each, definition="") for each in series or ("time",)),
        "api": "mpi",
        "start": "",
    }
    return Benchmark(**(clean | changes))


def run(**changes: Any) -> Run:
    """Make a complete run of the benchmark `family/thing`."""
    clean: dict[str, Any] = {
        "run": "run",
        "leadline": "0",
        "plan": Plan(entries=(Entry(benchmarks=("family/thing",)),)),
        "started": "",
        "outcome": DONE,
    }
    return Run(**(clean | changes))
