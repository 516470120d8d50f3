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
from leadline.measure.build import observer_for
from leadline.site.mpi.choice import default_installation

HERE = Path(__file__).parent
RANKS, STEPS, STEP_S, LATE_S = 2, 200, 0.001, 0.005
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(not shutil.which("cc"), reason="no compiler")]


@pytest.fixture(scope="module")
def start(tmp_path_factory, leadline_home):
    """Return the words that start the program on two ranks."""
    try:
        there = default_installation()
        observer_for(there, print)
    except UserError as error:
        pytest.skip(str(error))
    program = tmp_path_factory.mktemp("explain") / "late"
    wrapper = [there.mpicc, "-O1", HERE / "late.c", "-o", program]
    subprocess.run(wrapper, check=True, capture_output=True)

    def words(late, steps=STEPS, *more):
        own = (program, late, steps, STEP_S, LATE_S, *more)
        return [there.mpiexec, "-n", str(RANKS), *map(str, own)]

    return words


def waited(output):
    """Return what each rank waited, as the program itself knows it."""
    line = next(line for line in output.splitlines() if line.startswith("waited "))
    return [float(word) for word in line.split()[1:]]


def explained(leadline, words):
    """Return the answer, and the program's own."""
    done = leadline.in_runs("explain", "--json", "--", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), waited(done.stderr)


def test_the_waiting_is_the_programs_own_and_the_late_rank_is_named(leadline, start):
    found, truth = explained(leadline, start(1))
    # On a busy machine ranks wait for more than their own delays: the program knows for how long.
    assert truth[0] > 0.8 * STEPS * LATE_S
    for rank, known in zip(found["ranks"], truth, strict=True):
        assert rank["waiting_s"] == pytest.approx(known, rel=0.1, abs=0.1)
    allreduce = [each for each in found["sites"] if each["call"] == "MPI_Allreduce"]
    assert sum(each["waiting_s"] for each in allreduce) == pytest.approx(
        sum(truth), rel=0.05, abs=0.02
    )
    assert sum(each["calls"] for each in allreduce) == RANKS * STEPS
    assert {each["bytes"] for each in allreduce} == {8}
    assert "main" in allreduce[0]["where"]
    share = truth[0] / sum(truth)
    assert found["late"]["share"] == pytest.approx(max(share, 1 - share), abs=0.05)
    if share > 0.8:
        assert (found["late"]["verdict"], found["late"]["rank"]) == ("rank", 1)
        assert "uneven_work" in {each["kind"] for each in found["advice"]}
    for rank in found["ranks"]:
        owners = [value for key, value in rank.items() if key != "rank"]
        assert min(owners) >= 0
        assert sum(owners) == pytest.approx(found["seconds"], rel=0.1, abs=0.2)


def test_ranks_that_are_late_in_turn_share_the_blame(leadline, start):
    found, truth = explained(leadline, start(-1))
    share = max(truth) / sum(truth)
    assert found["late"]["share"] == pytest.approx(share, abs=0.05)
    if share < 0.7:
        assert found["late"]["verdict"] == "noise"
    for rank, known in zip(found["ranks"], truth, strict=True):
        assert rank["waiting_s"] == pytest.approx(known, rel=0.1, abs=0.1)


def test_output_and_status_are_the_programs_and_the_run_is_kept(leadline, start):
    done = leadline.in_runs("explain", "--", *start(1, 100, 3))
    assert done.returncode == 3
    assert len(waited(done.stdout)) == RANKS and done.stdout.count("\n") == 1
    assert "waiting for late ranks" in " ".join(done.stderr.split())
    again = leadline("explain", "last")
    assert again.returncode == 0 and again.stdout in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_seen_is_printed_when_the_program_is_ended(leadline, start, number):
    running = subprocess.Popen(
        [sys.executable, "-m", "leadline", "explain", "--runs", leadline.runs, "--",
         *start(1, 10**6)],
        env=leadline.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not list(Path(leadline.runs).glob("*/explain/*.explain")):
        time.sleep(0.1)
    time.sleep(2)
    running.send_signal(number)
    _, errors = running.communicate()
    assert running.returncode != 0
    said = " ".join(errors.split())
    assert "waiting for late ranks" in said and "have no end" in said


def test_a_program_that_is_no_mpi_program(leadline, start):
    mpiexec = start(1)[0]
    done = leadline.in_runs("explain", "--", mpiexec, "-n", "2", "true")
    assert done.returncode == 0
    assert done.stderr.endswith(
        "leadline: no process called MPI_Init or shmem_init (sessions alone are not seen): nothing "
        "is known of where the time went\n"
    )
