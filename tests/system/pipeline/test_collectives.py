"""Every collective with MPI itself: right data on three ranks, and wrong data found."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from real_ranks import REAL_RANKS, YIELDING

from leadline.core.shipped import source_folder

pytestmark = REAL_RANKS
SOURCE = Path(__file__).parent / "wrong_collectives.c"
BRIEF = ("--minimum", "6", "--maximum", "8", "--seconds", "0.01", "--launches", "1")

BLOCKS = {"mpi/gather", "mpi/allgather", "mpi/alltoall", "mpi/alltoallv"}
SUMS = {
    "mpi/reduce", "mpi/allreduce", "mpi/reduce_scatter", "mpi/reduce_scatter_block", "mpi/scan",
    "mpi/exscan",
}  # fmt: skip
OVERLAPPED_SUMS = {"mpi/ireduce", "mpi/iallreduce"}
OVERLAPPED = OVERLAPPED_SUMS | {"mpi/ibcast", "mpi/iallgather", "mpi/ialltoall"}
BLOCKING = BLOCKS | SUMS | {"mpi/bcast", "mpi/scatter", "mpi/reduce_local"}
EVERY = BLOCKING | OVERLAPPED | {"mpi/barrier", "mpi/ibarrier"}
AXES = {
    "bytes": "0,1000,64K",
    "algorithm": "ALL",
    "buffers": "separate,in_place",
    "imbalance": "even,linear,one_heavy",
    "root": "0,2,7",
    "progress": "none,test",
}
FAULTS = {
    "nothing": BLOCKING | OVERLAPPED,
    "last_byte": BLOCKING,
    "mixed": BLOCKS,
    "left_out": SUMS | OVERLAPPED_SUMS,
}


def plan(leadline, mpi, names, folder, **changes):
    """Write a plan of these benchmarks, each with all of its axes, and return its path."""
    lines = []
    for benchmark in leadline.benchmarks(mpi["name"]).values():
        if benchmark["name"] not in names:
            continue
        own = {axis["name"]: axis for axis in benchmark["axes"]}
        axes = {name: text for name, text in {**AXES, **changes}.items() if name in own}
        if axes.get("algorithm") == "ALL":
            axes["algorithm"] = ",".join(own["algorithm"]["choices"])
        values = ", ".join(f'{name} = "{text}"' for name, text in axes.items())
        lines += ["[[entries]]", f'benchmarks = ["{benchmark["name"]}"]', f"axes = {{ {values} }}"]
    assert lines.count("[[entries]]") == len(names)
    path = folder / "collectives.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def measured(leadline, path, mpi, place, status, **changes):
    """Run a plan once and return each point with what came of it, and what was skipped."""
    words = ("run", path, "--mpi", mpi["name"], "--place", place, "--oversubscribe", *BRIEF)
    answer = leadline(*words, "--runs", leadline.runs, "--json", **YIELDING, **changes)
    assert answer.returncode == status, answer.stderr
    run = leadline.stored()
    points = {point["index"]: point for point in run["points"]}
    (launch,) = run["launches"]
    assert launch["outcome"]["state"] == "complete", launch["outcome"]
    return [(points[result["point"]], result) for result in launch["points"]], launch["skipped"]


def test_every_collective_is_right_on_three_ranks(leadline, mpich, tmp_path):
    path = plan(leadline, mpich, EVERY, tmp_path)
    results, skipped = measured(leadline, path, mpich, "1x3", 0)
    assert {point["benchmark"] for point, _ in results} == EVERY
    assert all(result["verified"] and result["repetitions"] > 0 for _, result in results)
    # There is no rank 7.
    assert skipped and all("rank 7" in skip["reason"] for skip in skipped)
    assert all(point["axes"].get("root") != 7 for point, _ in results)


def test_the_global_sum_tells_packet_and_flow_of_a_hypercube(leadline, mpich):
    words = ("--mpi", mpich["name"], "--bytes", "1M", "--algorithm", "library,recursive_doubling")
    # However loaded the machine is, no repetition is late for a barrier.
    answer = leadline.measure("mpi/allreduce", *words, *BRIEF, "--start", "barrier")
    # N = 2^17 doubles, n = 1, p = 2.
    assert len(answer["points"]) == 2
    for point in answer["points"]:
        assert point["metrics"] == {"packet_MiB": 1.0, "flow_MiB": 2.0}


def test_the_shipped_plan_measures_both_sides_of_every_guideline(leadline, mpich):
    described = leadline.benchmarks(mpich["name"])
    declared = {name: each["guidelines"] for name, each in described.items()}
    sides = {
        term["benchmark"] for terms in declared.values() for each in terms for term in each
    } | {name for name, guidelines in declared.items() if guidelines}
    assert sides <= set(declared)
    plan = tomllib.loads((source_folder() / "plans" / "guidelines.toml").read_text())
    assert sides == {name for entry in plan["entries"] for name in entry["benchmarks"]}


@pytest.fixture
def wrong_library(mpich, tmp_path):
    """Build the library that makes collectives wrong, not linked with MPI."""
    made, library = tmp_path / "wrong.o", tmp_path / "wrong.so"
    compiler = [mpich["mpicc"], "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-c"]
    environment = {**os.environ, **mpich["environment"]}
    subprocess.run([*compiler, SOURCE, "-o", made], env=environment, check=True)
    subprocess.run(["cc", "-shared", made, "-o", library], check=True)
    return library


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_data_are_found(leadline, mpich, wrong_library, tmp_path, fault):
    few = {"bytes": "8,1000", "algorithm": "library", "root": "0,1"}
    path = plan(leadline, mpich, FAULTS[fault], tmp_path, **few)
    preload = {"LD_PRELOAD": str(wrong_library), "LEADLINE_WRONG": fault}
    results, _ = measured(leadline, path, mpich, "1x2", 1, **preload)
    assert {point["benchmark"] for point, _ in results} == FAULTS[fault]
    missed = [point for point, result in results if result["verified"]]
    assert missed == []


def test_what_a_program_may_choose_is_declared(leadline, mpich):
    found = leadline.benchmarks(mpich["name"])
    sizes = {name: set(each["sizes"]) for name, each in found.items()}
    # What all ranks do together at one moment is not joined with what they do at the next.
    for name in (EVERY | OVERLAPPED) - {"mpi/barrier", "mpi/ibarrier", "mpi/reduce_local"}:
        assert sizes[name] == {"split", "pad"}, name
    assert sizes["mpi/pingpong"] == {"join", "split", "pad"} and not sizes["mpi/matching"]
    sent = {name for name, each in found.items() if each["messages"]}
    assert not sent & {"mpi/file_read", "mpi/file_write", "mpi/reduce_local"}
    tasks = {
        (name, axis["name"])
        for name, each in found.items()
        for axis in each["axes"]
        if axis["kind"] == "choice" and not axis["ways"]
    }
    assert tasks >= {
        ("mpi/matching", "queue"), ("mpi/pairs", "distance"), ("mpi/file_write", "layout"),
        ("mpi/overlap", "side"), ("mpi/halo", "periodic"),
    }  # fmt: skip
    ways = {("mpi/allreduce", "algorithm"), ("mpi/halo", "pattern"), ("mpi/unexpected", "arrival")}
    assert not tasks & ways
