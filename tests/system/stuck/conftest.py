"""The program that hangs, built for leadline's own MPI."""

import pytest
from injected.hanging import built

from leadline.site.mpi.discovery import find_installations


@pytest.fixture(scope="package")
def mpich(tmp_path_factory, leadline_home):
    for each in find_installations():
        if each.family == "mpich" and each.mpicc and each.mpiexec:
            return each, built(each.mpicc, tmp_path_factory.mktemp("hangs"))
    pytest.skip("no MPICH here: install mpich")
