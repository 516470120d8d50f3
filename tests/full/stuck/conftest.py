"""The program that hangs, built for each MPI here."""

import pytest
from comparison.checked import installations
from comparison.hanging import begun, built

MPIS = ("mpich-4", "mpich-5", "openmpi-4", "openmpi-5", "intel-2021")


@pytest.fixture(scope="session")
def programs(tmp_path_factory, leadline_home):
    return {
        label: (each, built(each.mpicc, tmp_path_factory.mktemp(label)))
        for label, each in installations(MPIS).items()
    }


@pytest.fixture(params=MPIS)
def mpi(request, programs):
    """Give an MPI, its name and the program."""
    if request.param not in programs:
        pytest.skip(f"no {request.param} here")
    installation, program = programs[request.param]
    return installation, request.param, program


@pytest.fixture
def begin(mpi):
    """Give a function that starts a hang under `leadline explain`; it is ended with the test."""
    installation, _, program = mpi
    started = []

    def begin(way, ranks=2):
        started.append(begun(installation, program, way, ranks))
        return started[-1].wait_for(ranks)

    yield begin
    for each in started:
        each.end()
