"""Launches by a real srun, whose tasks descend from a daemon."""

import pytest
from injected.checked import Launch, by_kind
from slurm_daemons import Slurm, running

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with running(Slurm(tmp_path_factory.mktemp("slurm"), ("n0",))) as started:
        yield started


@pytest.fixture
def under_slurm(programs, slurm):
    if "mpich-4" not in programs:
        pytest.skip("no mpich-4 here")
    start = programs["mpich-4"]
    conf = {"SLURM_CONF": slurm.environment["SLURM_CONF"]}
    return lambda *options: (start, ["srun", *options, "-n", "2", *start.program], conf)


def test_ranks_of_a_daemon_are_found_and_nothing_is_wrong(under_slurm):
    start, command, conf = under_slurm("--mpi=pmi2", "--cpu-bind=cores")
    checked = start.check(Launch(command, (), conf))
    assert checked["launcher"] == "srun"
    assert [each["rank"] for each in checked["ranks"]] == [0, 1]
    assert by_kind(checked) == {}


def test_srun_without_pmi(under_slurm):
    start, command, conf = under_slurm("--mpi=none", "--cpu-bind=cores")
    launch = Launch(command, (), conf)
    found = start.faults(launch)
    assert "wrong_launcher" in found
    assert "wrong_launcher" not in start.faults(launch.typed(found["wrong_launcher"]["fix"]))


def test_both_ranks_on_one_core(under_slurm):
    start, command, conf = under_slurm("--mpi=pmi2", "--cpu-bind=map_cpu:0,0")
    launch = Launch(command, (), conf)
    found = start.faults(launch)
    assert "cores_shared" in found
    assert "cores_shared" not in start.faults(launch.typed(found["cores_shared"]["fix"]))
