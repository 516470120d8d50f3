"""Persistent collectives of Fortran programs."""

import pytest

pytestmark = pytest.mark.timeout(900)  # the first test waits for the build


@pytest.mark.parametrize("binding", [1, 3], ids=["mpif.h", "mpi_f08"])
def test_requests_are_made_started_and_completed_in_each_way(runtime, mpifort, binding):
    """MPICH's Fortran ("mpich", by hand): Open MPI 4 has no persistent collectives."""
    if runtime.installation.family != "mpich":
        pytest.skip("Open MPI 4 has no persistent collectives")
    flags = ["-fallow-argument-mismatch", "-w", f"-DBINDING={binding}"]
    program = runtime.compile("persistent.F90", *flags, wrapper=mpifort)
    report = runtime.report(program, LEADLINE_PROFILE=runtime.profile)
    rows = [row for row in report["calls"] if row["function"].endswith("_init")]
    counted = {(row["function"], row["algorithm"]): row["calls"] for row in rows}
    assert counted == {("allreduce_init", "shared"): 2 * 40, ("barrier_init", "shared"): 2 * 40}
