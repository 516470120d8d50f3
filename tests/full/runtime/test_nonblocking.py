"""Non-blocking collectives of Fortran programs, and completing requests of every kind."""

from collections import Counter

import pytest

TURNS = 40  # of nonblocking.F90
RANKS = 2
STARTS = {"iallreduce": 2, "ibarrier": 1, "ireduce_scatter_block": 2}  # in each turn
OUTSTANDING = 24  # turns of ordinary.F90 that have a collective

pytestmark = [
    pytest.mark.timeout(900),  # the first test waits for the build
    pytest.mark.parametrize(
        ("runtime", "binding"),
        [
            pytest.param(mpi, number, id=f"{mpi}-{name}")
            for mpi in ("openmpi", "mpich")
            for number, name in enumerate(("mpif.h", "mpi", "mpi_f08"), start=1)
            # MPICH 4.0.2's mpi_f08 numbers requests from 0, also without leadline.
            if (mpi, name) != ("mpich", "mpi_f08")
        ],
        indirect=["runtime"],
    ),
]


def compiled(runtime, mpifort, source, binding):
    flags = ["-fallow-argument-mismatch", "-w", f"-DBINDING={binding}"]
    return runtime.compile(source, *flags, wrapper=mpifort)


def starts(report):
    """Return the non-blocking collectives by function and by who carried them out."""
    counted = Counter()
    for row in report["calls"]:
        if row["function"] in STARTS:
            counted[row["function"], row["algorithm"]] += row["calls"]
    return counted


def test_leadline_carries_them_out_and_each_way_completes_them(runtime, mpifort, binding):
    program = compiled(runtime, mpifort, "nonblocking.F90", binding)
    report = runtime.report(program, LEADLINE_PROFILE=runtime.profile)
    expected = {(name, "shared"): RANKS * TURNS * calls for name, calls in STARTS.items()}
    assert starts(report) == expected


def test_without_a_profile_all_are_the_librarys(runtime, mpifort, binding):
    program = compiled(runtime, mpifort, "nonblocking.F90", binding)
    report = runtime.report(program, LEADLINE_LEARN="0")
    expected = {(name, None): RANKS * TURNS * calls for name, calls in STARTS.items()}
    assert starts(report) == expected


def test_requests_of_messages_complete_as_without_leadline(runtime, mpifort, binding):
    """Also while a collective of leadline's is outstanding."""
    program = compiled(runtime, mpifort, "ordinary.F90", binding)
    runtime.run(program, LEADLINE="off")
    report = runtime.report(program, LEADLINE_PROFILE=runtime.profile)
    assert starts(report) == {("iallreduce", "shared"): RANKS * OUTSTANDING}
