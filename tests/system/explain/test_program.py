"""Programs whose delays are known, under the real library: the answer must be theirs."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build import runtime_for
from leadline.site.mpi.choice import default_installation

HERE = Path(__file__).parent
RANKS, STEPS, STEP_S, LATE_S = 2, 400, 0.001, 0.002
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")]


@pytest.fixture(scope="module")
def start(tmp_path_factory, leadline_home):
    """Return the words that start the program on two ranks."""
    try:
        there = default_installation()
        runtime_for(there, print)
    except UserError as error:
        pytest.skip(str(error))
    program = tmp_path_factory.mktemp("explain") / "late"
    wrapper = [there.mpicc, "-O1", HERE / "late.c", "-o", program]
    subprocess.run(wrapper, check=True, capture_output=True)

    def words(late, steps=STEPS, *more):
        own = (program, late, steps, STEP_S, LATE_S, *more)
        return [there.mpiexec, "-n", str(RANKS), *map(str, own)]

    return words


@pytest.mark.timing
def test_the_late_rank_is_named_with_its_delay(leadline, start):
    done = leadline.in_runs("explain", "--json", "--", *start(1))
    assert done.returncode == 0, done.stderr
    assert "sum 2" in done.stderr
    found = json.loads(done.stdout)
    assert (found["late"]["verdict"], found["late"]["rank"]) == ("rank", 1)
    assert found["late"]["share"] > 0.9
    first, second = found["ranks"]
    # Rank 0 waits in each step for as long as rank 1 is late, and rank 1 hardly ever.
    assert first["waiting_s"] == pytest.approx(STEPS * LATE_S, rel=0.15)
    assert second["waiting_s"] < 0.1 * first["waiting_s"]
    assert second["computing_s"] - first["computing_s"] == pytest.approx(STEPS * LATE_S, rel=0.15)
    for rank in found["ranks"]:
        owners = [value for key, value in rank.items() if key != "rank"]
        assert min(owners) >= 0
        assert sum(owners) == pytest.approx(found["seconds"], rel=0.1)
    allreduce = [each for each in found["sites"] if each["call"] == "MPI_Allreduce"]
    assert sum(each["calls"] for each in allreduce) == RANKS * STEPS
    assert {each["bytes"] for each in allreduce} == {8}
    assert "main" in allreduce[0]["where"] or "late" in allreduce[0]["where"]
    assert found["advice"][0]["kind"] == "uneven_work"


@pytest.mark.timing
def test_another_rank_each_time_is_noise(leadline, start):
    done = leadline.in_runs("explain", "--json", "--", *start(-1))
    found = json.loads(done.stdout)
    assert found["late"]["verdict"] == "noise"
    waits = [rank["waiting_s"] for rank in found["ranks"]]
    assert waits == pytest.approx([STEPS * LATE_S / 2] * 2, rel=0.2)


def test_output_and_status_are_the_programs_and_the_run_is_kept(leadline, start):
    done = leadline.in_runs("explain", "--", *start(1, 50, 3))
    assert done.returncode == 3
    assert done.stdout == "sum 2\n"
    said = " ".join(done.stderr.split())
    assert "waiting for late ranks" in said and "rank 1 is late by 2" in said
    again = leadline.in_runs("explain", "last")
    assert "rank 1 is late by 2" in " ".join(again.stdout.split())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_seen_is_printed_when_the_program_is_ended(leadline, start, number):
    running = subprocess.Popen(
        [sys.executable, "-m", "leadline", "explain", "--runs", leadline.runs, "--",
         *start(1, 10**6)],
        env=leadline.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not list(Path(leadline.runs).glob("*/explain/*.explain")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(2)
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    assert running.returncode != 0
    said = " ".join(errors.split())
    assert "rank 1 is late by 2" in said


def test_a_program_that_is_no_mpi_program(leadline, start):
    mpiexec = start(1)[0]
    done = leadline.in_runs("explain", "--", mpiexec, "-n", "2", "true")
    assert done.returncode == 0
    assert done.stderr.endswith(
        "leadline: no process initialised MPI: nothing is known of where the time went\n"
    )
