"""Fortran programs, some of whose memory a GPU's driver calls its own."""

import subprocess
from collections import Counter

import pytest
from transparency import PROGRAMS

pytestmark = pytest.mark.timeout(900)  # the first test waits for the build


@pytest.mark.parametrize("binding", [1, 2, 3])
@pytest.mark.parametrize("ranks", [2, 3])
def test_results_are_right_whichever_ranks_have_device_memory(runtime, mpifort, binding, ranks):
    driver = runtime.folder / "libcuda.so.1"
    source = PROGRAMS / "driver.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", driver], check=True)
    program = runtime.compile(
        "collectives.F90", "-fallow-argument-mismatch", f"-DBINDING={binding}",
        "-Wl,--no-as-needed", str(driver), f"-Wl,-rpath,{runtime.folder}", wrapper=mpifort,
    )  # fmt: skip
    report = runtime.report(program, ranks=ranks, LEADLINE_PROFILE=runtime.profile)
    left = [row for row in report["calls"] if row["reason"] == "device memory"]
    served = [row for row in report["calls"] if row["algorithm"]]
    assert left and served
    # Of some collectives, ranks move different sizes.
    calls = Counter()
    for row in left:
        calls[row["function"]] += row["calls"]
    assert {name: count for name, count in calls.items() if count % ranks} == {}
