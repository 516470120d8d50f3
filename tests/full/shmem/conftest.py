"""The shmem probe, and a program that tests its messages, built and started as leadline does."""

import json
from pathlib import Path

import numpy as np
import pytest
from checkout import CHECKOUT
from programs import compiled, library
from programs import run as run_to_its_end

from leadline.measure.build.probe import probe_for
from leadline.measure.launch.start import start_for
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.discovery import find_installations

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def installation():
    there = [each for each in find_installations() if each.oshcxx and each.oshrun]
    if not there:
        pytest.skip("no OpenSHMEM: install libopenmpi-dev and openmpi-bin")
    return there[0]


@pytest.fixture(scope="session")
def probe(installation):
    """Return the words that start the probe, those after them are its arguments."""
    return probe_for(installation, "shmem", print).words


@pytest.fixture(scope="session")
def messages(installation, probe, tmp_path_factory):
    """Return the path of the program that tests messages."""
    folder = tmp_path_factory.mktemp("messages")
    probes = CHECKOUT / "probes"
    harness = Path(probe[0]).parent.rglob("part_harness.dir/**/*.o")
    world = probes / "comm/shmem_world.cpp"
    options = ("-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{probes}", world, *harness)
    return compiled(installation.oshcxx, HERE / "messages.cpp", folder, *options)


@pytest.fixture(scope="session")
def faults(installation, tmp_path_factory):
    """Return the path of a library that is preloaded to put faults into OpenSHMEM."""
    return library(installation.oshcc, HERE / "faults.c", tmp_path_factory.mktemp("faults"))


@pytest.fixture
def launch(installation):
    """Return a function that runs a program on some PEs and returns what became of it."""

    def run(*words, processes=2, **environment):
        job = Job(
            program=tuple(map(str, words)), placement=Placement(1, processes), api="shmem",
            bind=False, oversubscribe=True,
        )  # fmt: skip
        start = start_for(job, installation)
        return run_to_its_end(*start.argv, **{**start.environment, **environment})

    return run


class Outcome:
    """What a probe left behind: its events, and its samples as an array of records."""

    def __init__(self, ended, folder):
        self.returncode, self.stderr = ended.returncode, ended.stderr
        lines = (folder / "events.jsonl").read_text().splitlines()
        self.events = [json.loads(line) for line in lines]
        kinds = [tuple(field) for field in self.events[0]["sample"]]
        self.samples = np.fromfile(folder / "samples.bin", dtype=kinds)

    def each(self, name):
        return [event for event in self.events if event["event"] == name]


@pytest.fixture
def measure(launch, probe, tmp_path):
    """Return a function that carries out the points of a plan."""

    def run(*points, processes=2, **environment):
        plan = tmp_path / "plan.txt"
        numbered = [f"point {i} shmem/{point}" for i, point in enumerate(points)]
        settings = ["set seconds 0.05", "set maximum 60", "set oversubscribed 1"]
        plan.write_text("\n".join(["leadline-plan 1", *settings, *numbered, ""]))
        words = (*probe, "--plan", plan, "--out", tmp_path)
        return Outcome(launch(*words, processes=processes, **environment), tmp_path)

    return run
