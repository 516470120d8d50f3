"""The time-step loop with puts alone."""

import pytest

pytestmark = pytest.mark.mpi


def point(cells=64, values=7):
    shape = f"cells={cells} scaling=strong exchanges=5 values={values}"
    return f"timestep {shape} pattern=put_flag start=default cache=warm"


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_puts_give_the_serial_result(measure, tmp_path, processes):
    outcome = measure(point(), processes=processes, LEADLINE_IO_FOLDER=str(tmp_path))
    assert outcome.returncode == 0, outcome.stderr
    (done,) = outcome.each("point")
    assert done["verified"] and done["repetitions"] > 0
    assert done["metrics"]["step.one_sided_percent"] == 100
    assert not list(tmp_path.glob("leadline-*.data"))


def test_values_of_the_exchange_before_are_found_out(measure, faults, tmp_path):
    stale = {"LD_PRELOAD": str(faults), "LEADLINE_TEST_FAULT": "stale"}
    outcome = measure(point(), point(256, values=99), LEADLINE_IO_FOLDER=str(tmp_path), **stale)
    assert [each["verified"] for each in outcome.each("point")] == [True, False]
