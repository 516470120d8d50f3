"""Fortran programs under the runtime, through each binding and each way of writing names."""

from collections import Counter

import pytest
from explain_file import read_node

# Calls of each rank in collectives.F90.
CALLS = {
    "allgather": 4, "allgatherv": 4, "allreduce": 8, "alltoall": 4, "alltoallv": 4, "bcast": 4,
    "exscan": 4, "gather": 4, "gatherv": 4, "reduce": 4, "reduce_scatter": 4,
    "reduce_scatter_block": 4, "scan": 4, "scatter": 4, "scatterv": 4,
}  # fmt: skip
BARRIERS = {"mpif.h": 1, "mpi": 1, "mpi_f08": 2}


def calls(report, accelerated):
    """Return the calls of two ranks by function."""
    counted = Counter()
    for row in report["calls"]:
        if (row["algorithm"] is not None) == accelerated:
            counted[row["function"]] += row["calls"] / 2
    return counted


@pytest.fixture(scope="module", params=enumerate(BARRIERS, 1), ids=lambda each: each[1])
def program(request, runtime, mpifort):
    """Give a program of each binding, and its calls."""
    number, binding = request.param
    flags = ["-fallow-argument-mismatch", "-g", f"-DBINDING={number}"]
    compiled = runtime.compile("collectives.F90", *flags, wrapper=mpifort)
    return compiled, {**CALLS, "barrier": BARRIERS[binding]}


def test_every_call_is_replaced_and_right(runtime, program):
    compiled, expected = program
    report = runtime.report(compiled, LEADLINE_PROFILE=runtime.profile)
    assert calls(report, accelerated=True) == expected
    assert not calls(report, accelerated=False)
    assert report["ranks"] == report["processes"] == 2


def test_without_a_profile_every_call_is_the_librarys(runtime, program):
    compiled, expected = program
    report = runtime.report(compiled)
    assert calls(report, accelerated=False) == expected
    assert not calls(report, accelerated=True)


def test_off_is_off(runtime, program):
    compiled, _ = program
    file = runtime.folder / "none.json"
    runtime.run(compiled, LEADLINE="off", LEADLINE_REPORT=str(file))
    assert not file.exists()


def test_every_way_of_writing_a_name(runtime, mpifort):
    program = runtime.compile("names.c", wrapper=mpifort)
    report = runtime.report(program, LEADLINE_PROFILE=runtime.profile)
    assert calls(report, accelerated=True) == {"barrier": 4}


def test_a_program_with_default_integers_of_8_bytes(runtime, mpifort):
    """The library reads 4 of them, and so does what stands in for it."""
    wide = ("-fdefault-integer-8", "-fallow-argument-mismatch", "-w")
    program = runtime.compile("wide.F90", *wide, wrapper=mpifort)
    runtime.run(program, LEADLINE="off")
    report = runtime.report(program, LEADLINE_PROFILE=runtime.profile)
    counted = calls(report, accelerated=True) + calls(report, accelerated=False)
    assert counted == {"barrier": 10, "allreduce": 20, "allgather": 10, "reduce": 10, "bcast": 10}
    replaced = calls(report, accelerated=True)
    assert (replaced["barrier"], replaced["allgather"], replaced["bcast"]) == (10, 10, 10)
    assert replaced["allreduce"] >= 10


def observed(runtime, program, folder):
    """Return what the observer's library has of the program's ranks."""
    runtime.run(program, preload="libleadline-explain.so", LEADLINE_EXPLAIN=str(folder))
    return read_node(folder / "node-0.explain")


def test_every_call_is_observed_once(runtime, program, tmp_path):
    compiled, expected = program
    for rank in observed(runtime, compiled, tmp_path):
        counted = {row.function: rank.row(row.function).calls for row in rank.rows}
        names = {**expected, "init": 1, "finalize": 1}
        assert counted == {f"MPI_{name.capitalize()}": calls for name, calls in names.items()}


@pytest.mark.timing
@pytest.mark.parametrize("number", [2, 3])
def test_late_senders_are_found_without_a_status(runtime, mpifort, tmp_path, number):
    compiled = runtime.compile("waits.F90", "-g", f"-DBINDING={number}", wrapper=mpifort)
    first, _ = observed(runtime, compiled, tmp_path)
    for function in ("MPI_Recv", "MPI_Waitall"):
        row = first.row(function)
        assert row.late_sender_s == pytest.approx(0.2, rel=0.1)
        assert not row.flags
