"""The program that hangs, built for each MPI here."""

import pytest
from hanging import Hanging, built

from leadline.site.mpi.discovery import find_installations

MPIS = ("mpich-4", "mpich-5", "openmpi-4", "openmpi-5", "intel-2021")


@pytest.fixture(scope="session")
def programs(tmp_path_factory, leadline_home):
    there = {}
    for each in find_installations():
        label = f"{each.family}-{each.version.partition('.')[0]}"
        if label in MPIS and label not in there and each.mpicc and each.mpiexec:
            there[label] = each, built(each.mpicc, tmp_path_factory.mktemp(label))
    return there


@pytest.fixture(params=MPIS)
def begin(request, programs):
    """Give a function that starts a hang under `leadline explain`; it is ended with the test."""
    if request.param not in programs:
        pytest.skip(f"no {request.param} here")
    installation, program = programs[request.param]
    started = []

    def begin(way, *options, ranks=2, explained=True):
        from hanging import LEADLINE

        more = ("--oversubscribe",) if installation.family == "openmpi" else ()
        launched = [installation.mpiexec, *more, *options, "-n", ranks, program, way]
        before = [*LEADLINE, "explain", "--"] if explained else []
        environment = {
            **installation.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
            "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }  # fmt: skip
        started.append(Hanging([*before, *launched], environment))
        started[-1].family = installation.family
        return started[-1].wait_for(ranks)

    yield begin
    for each in started:
        each.end()
