"""A Slurm on this machine, whose nodes are told apart by their names."""

import json
from collections.abc import Iterator

import pytest
from slurm_daemons import Slurm, running


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    """Give a Slurm of four nodes, all of them this machine."""
    with running(Slurm(tmp_path_factory.mktemp("slurm"), ("n0", "n1", "n2", "n3"))) as started:
        yield started


@pytest.fixture(scope="session")
def environment(environment: dict[str, str], slurm: Slurm) -> dict[str, str]:
    """Give the environment of leadline, in which Slurm's programs find this Slurm."""
    return {**environment, "SLURM_CONF": slurm.environment["SLURM_CONF"]}


@pytest.fixture
def mpich(leadline) -> str:
    """Give the name of an MPICH, whose ranks find each other under Slurm without more."""
    for each in json.loads(leadline("mpi", "--json").stdout)["installations"]:
        if each["family"] == "mpich" and each["mpiexec"]:
            return each["name"]
    pytest.skip("no mpich here: install mpich")
