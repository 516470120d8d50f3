"""The program that hangs, built for each MPI here."""

from pathlib import Path
from typing import NamedTuple

import pytest
from injected.checked import installations
from injected.hanging import begun, built

from leadline.model.installation import Installation

MPIS = ("mpich-4", "mpich-5", "openmpi-4", "openmpi-5", "intel-2021")


class Built(NamedTuple):
    """An MPI, and the program that hangs, built for it."""

    installation: Installation
    program: Path


@pytest.fixture(scope="session")
def programs(tmp_path_factory, leadline_home):
    return {
        label: Built(each, built(each.mpicc, tmp_path_factory.mktemp(label)))
        for label, each in installations(MPIS).items()
    }


@pytest.fixture(params=MPIS)
def mpi(request, programs):
    if request.param not in programs:
        pytest.skip(f"no {request.param} here")
    return programs[request.param]


@pytest.fixture
def begin(mpi):
    """Give a function that starts a hang under `leadline explain`; it is ended with the test."""
    started = []

    def begin(way, ranks=2):
        started.append(begun(mpi.installation, mpi.program, way, ranks))
        return started[-1].wait_for(ranks)

    yield begin
    for each in started:
        each.end()
