"""Every benchmark and every algorithm on simulated ranks: right data, and always the same times."""

import json
import shutil
import subprocess
from itertools import product

import pytest

from leadline.measure.build.probe import probe_for
from leadline.measure.launch.start import start_for
from leadline.model.job import Job, Simulation
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose

pytestmark = [
    pytest.mark.mpi,
    # The first of them may build the probe.
    pytest.mark.skipif(
        not (shutil.which("smpirun") and shutil.which("smpicxx")),
        reason="no SimGrid here: see tools/test-packages",
    ),
]

CROSSBAR = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="crossbar" prefix="n" suffix="" radical="0-39" speed="1Gf" bw="1GBps" lat="1us"
           loopback_bw="2GBps" loopback_lat="0.5us"/>
</platform>
"""
MACHINE = Simulation(
    platform="crossbar", text=CROSSBAR, hosts=tuple(f"n{node}" for node in range(40))
)
PREFACE = """leadline-plan 1
set precision 0.02
set minimum 1
set maximum 1
set seconds 1
set seed 1
set oversubscribed 0
"""
# One value of each axis that is no choice, where its first default one is more than is needed.
VALUES = {"bytes": "4096", "calls": "2", "piece": "4096", "depth": "1"}


@pytest.fixture(scope="module")
def simgrid():
    return choose([], simulated=True)[0]


@pytest.fixture(scope="module")
def probe(simgrid):
    return probe_for(simgrid, "mpi", lambda line: None)


def values(axis):
    if axis.choices:
        return list(axis.choices)
    return [VALUES.get(axis.name, axis.default.split(",")[0])]


def points(probe, processes, wanted=lambda benchmark: True):
    """Return the lines of a plan: each choice of each benchmark that so many processes allow."""
    lines = []
    for benchmark in probe.description.benchmarks:
        allowed = benchmark.processes
        if processes < allowed.minimum or (allowed.maximum and processes > allowed.maximum):
            continue
        if processes % allowed.multiple_of or not wanted(benchmark):
            continue
        named = [[f"{axis.name}={value}" for value in values(axis)] for axis in benchmark.axes]
        lines += [f"{benchmark.name} {' '.join(words)}" for words in product(*named)]
    return [f"{line} start=default cache=warm" for line in lines]


def simulate(probe, simgrid, folder, placement, lines):
    """Return the events of a launch; its samples are in `folder`."""
    folder.mkdir()
    numbered = "".join(f"point {number} {line}\n" for number, line in enumerate(lines))
    plan = folder / "plan.txt"
    plan.write_text(PREFACE + numbered)
    job = Job(
        program=(*probe.words, "--plan", str(plan), "--out", str(folder)),
        placement=placement,
        folder=str(folder),
        simulation=MACHINE,
    )
    start = start_for(job, simgrid)
    for name, text in start.files.items():
        (folder / name).write_text(text)
    done = subprocess.run(start.argv, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert events[-1]["event"] == "end", done.stderr
    return events


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


@pytest.mark.parametrize("processes", [2, 5, 16])
def test_every_benchmark_is_verified_or_refused(probe, simgrid, tmp_path, processes):
    lines = points(probe, processes)
    events = simulate(probe, simgrid, tmp_path / "run", Placement(processes, 1), lines)
    measured, refused = of_kind(events, "point"), of_kind(events, "skip")
    assert len(measured) + len(refused) == len(lines)
    assert len(measured) > 100
    wrong = [lines[event["point"]] for event in measured if not event["verified"]]
    assert wrong == []
    assert all(event["reason"] for event in refused)


@pytest.mark.parametrize("processes", [*range(2, 10), 12, 15, 17, 24, 31, 32, 33])
def test_every_algorithm_is_right_on_any_number_of_ranks(probe, simgrid, tmp_path, processes):
    lines = points(probe, processes, lambda each: any(a.name == "algorithm" for a in each.axes))
    # SimGrid 3.32 takes an alltoallv of its own for three ranks that refuses three ranks.
    broken = "mpi/alltoallv", "algorithm=library"
    lines = [each for each in lines if processes != 3 or not set(broken) <= set(each.split())]
    events = simulate(probe, simgrid, tmp_path / "run", Placement(processes, 1), lines)
    wrong = [lines[e["point"]] for e in of_kind(events, "point") if not e["verified"]]
    assert wrong == []


def test_a_second_simulation_gives_the_same_digits(probe, simgrid, tmp_path):
    lines = points(probe, 16)
    for name in ("first", "second"):
        simulate(probe, simgrid, tmp_path / name, Placement(8, 2), lines)
    first, second = ((tmp_path / name / "samples.bin").read_bytes() for name in ("first", "second"))
    assert first and first == second


def test_ranks_are_where_the_placement_puts_them(probe, simgrid, tmp_path):
    events = simulate(probe, simgrid, tmp_path / "run", Placement(2, 3), points(probe, 6)[:1])
    ranks = of_kind(events, "rank")
    assert [each["host"] for each in ranks] == ["n0", "n0", "n0", "n1", "n1", "n1"]
    assert [each["node"] for each in ranks] == [0, 0, 0, 1, 1, 1]
