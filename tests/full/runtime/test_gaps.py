"""Messages of datatypes with gaps in Fortran programs."""

from collections import Counter

import pytest

pytestmark = pytest.mark.timeout(900)  # the first test waits for the build


@pytest.mark.parametrize("packing", ["0", "1"])
@pytest.mark.parametrize("binding", [1, 3], ids=["mpif.h", "mpi_f08"])
def test_rows_arrive_packed_or_not(runtime, mpifort, binding, packing):
    flags = ["-fallow-argument-mismatch", "-w", f"-DBINDING={binding}"]
    program = runtime.compile("gaps.F90", *flags, wrapper=mpifort)
    report = runtime.report(program, LEADLINE_PACK=packing)
    packed = Counter()
    for row in report["calls"]:
        if row["algorithm"] == "packed":
            packed[row["function"]] += row["calls"]
    # Twelve turns: two sends with gaps, of which a third or two thirds are synchronous, and so on.
    expected = {"send": 8 + 12, "ssend": 4, "recv": 12 + 12 + 12, "sendrecv": 2 * 12}
    assert packed == (expected if packing == "1" else {})
