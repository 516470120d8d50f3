"""Memory that a GPU's driver calls its own is left to the library, whichever rank has it."""

import json
import subprocess
from collections import Counter

import pytest
from transparency import PROGRAMS


@pytest.fixture(scope="module")
def driver(start):
    """A driver to which some addresses belong, by chance."""
    made = start.folder / "libcuda.so.1"
    source = PROGRAMS / "driver.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", made], check=True)
    return made


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_results_are_right_whichever_ranks_have_device_memory(start, driver, ranks, tmp_path):
    file = tmp_path / "report.json"
    preload = f"{start.library}:{driver}"
    command = f"collectives {90 // ranks} {ranks}"
    # Open MPI 4's vector operations saturate small integers, so the library differs from itself.
    settings = {"REPLACED": "some", "OMPI_MCA_op": "^avx", "LEADLINE_REPORT": str(file)}
    run = start(command, ranks, preload=preload, **settings)
    assert run.returncode == 0, run.stdout + run.stderr
    assert ", 0 wrong" in run.stdout
    rows = [row for row in json.loads(file.read_text())["calls"] if row["function"] != "barrier"]
    left = [row for row in rows if row["reason"] == "device memory"]
    served = [row for row in rows if row["algorithm"] == "shared"]
    assert left and served
    # Never one rank alone; of some collectives, ranks move different sizes.
    calls = Counter()
    for row in left:
        if row["processes"] == ranks:
            calls[row["function"]] += row["calls"]
    assert calls and {name: count for name, count in calls.items() if count % ranks} == {}


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_driver_that_is_loaded_later_is_asked_from_then_on(start, driver, ranks):
    run = start("scenarios driver", ranks, FAULT="no device", DRIVER=str(driver))
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "ok\n"
