"""How a simulator ends that cannot go on, in its own words, and what leadline makes of them."""

import os
import resource
import subprocess
from pathlib import Path

import msgspec
import pytest
from programs import compiled

from leadline.measure.launch.explain import explain
from leadline.measure.launch.start import launcher_for, start_for
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.discovery import find_installations
from leadline.topology.platforms.catalogue import read_platform
from leadline.topology.platforms.simulation import simulation

pytestmark = pytest.mark.mpi
PLACE = Placement(2, 1)
ADDRESS_SPACE = 2 << 30


@pytest.fixture(scope="module")
def simgrid():
    there = [each for each in find_installations() if each.simulates]
    if not there:
        pytest.skip("no SimGrid here: install libsimgrid-dev")
    return there[0]


@pytest.fixture(scope="module")
def program(simgrid, tmp_path_factory):
    source = Path(__file__).with_name("simulated.c")
    return compiled(simgrid.mpicc, source, tmp_path_factory.mktemp("simulated"), "-O1")


@pytest.fixture
def simulate(simgrid, program, tmp_path):
    """Return a function that simulates the program and returns its status and the explanation."""

    def call(way, limited=False, **changes):
        machine = msgspec.structs.replace(simulation(read_platform("chic"), PLACE), **changes)
        job = Job(
            program=(str(program), way), placement=PLACE, folder=str(tmp_path), simulation=machine
        )
        start = start_for(job, simgrid)
        for name, text in (job.files | start.files).items():
            (tmp_path / name).write_text(text)
        limit = (ADDRESS_SPACE, ADDRESS_SPACE)
        done = subprocess.run(
            start.argv, env={**os.environ, **start.environment}, cwd=tmp_path,
            capture_output=True, text=True, check=False,
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_AS, limit)) if limited else None,
        )  # fmt: skip
        name = launcher_for(job, simgrid).name
        return done.returncode, explain(name, done.stdout + done.stderr, done.returncode)

    return call


def test_a_good_program_ends_well(simulate):
    assert simulate("good")[0] == 0


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("deadlock", "Deadlock detected, some activities are still around: ranks wait for"),
        ("killed", "Execution failed with code 137: somebody killed the simulator"),
        ("crashed", "Execution failed with code 139: the simulator gave up"),
        ("lacking", "Not yet implemented: PMPI_Comm_spawn: SimGrid lacks that function"),
    ],
)
def test_a_program_that_fails_is_one_line(simulate, way, told):
    said = simulate(way)[1]
    assert told in said
    assert "\n" not in said


def test_memory_that_is_not_there_is_one_line(simulate):
    status, said = simulate("memory", limited=True)
    assert status != 0
    assert "bytes failed: the simulator needs more memory than is there" in said


def test_hosts_and_options_that_do_not_exist_are_named(simulate):
    hosts = simulate("good", hosts=("nowhere", "nowhere"))[1]
    assert hosts == "Host not found: 'nowhere': the platform has no such host"
    options = simulate("good", options=("network/crosstrafic:1",))[1]
    assert options.startswith("Bad config key: network/crosstrafic: SimGrid has no such option")
