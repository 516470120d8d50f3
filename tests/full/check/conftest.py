"""A program that exchanges messages, built for each MPI here."""

import subprocess
from pathlib import Path

import pytest
from provoked import MPIS, Started

from leadline.site.mpi.discovery import find_installations

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def programs(tmp_path_factory, leadline_home):
    folder = tmp_path_factory.mktemp("check")
    there = {}
    for each in find_installations():
        label = f"{each.family}-{each.version.partition('.')[0]}"
        if label not in MPIS or label in there or not (each.mpicc and each.mpiexec):
            continue
        program = folder / f"exchange-{label}"
        subprocess.run(
            [each.mpicc, "-O1", "-fopenmp", HERE / "exchange.c", "-o", program], check=True
        )
        there[label] = Started(each, program)
    return there


@pytest.fixture(params=MPIS)
def start(request, programs):
    if request.param not in programs:
        pytest.skip(f"no {request.param} here")
    return programs[request.param]
