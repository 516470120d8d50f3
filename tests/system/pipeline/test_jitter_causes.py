"""Each cause of jitter, put into a halo exchange of two real ranks, is named with its rank."""

import json
import subprocess
import sys

import pytest
from checkout import TESTS
from real_ranks import REAL_RANKS

pytestmark = [*REAL_RANKS, pytest.mark.timing]
DISTURB = TESTS / "halo" / "disturb.py"
CALLS, EVERY, DELAY_S = 1000, 50, 500e-6


@pytest.fixture
def jitter(leadline, mpich):
    """Return the jitter and the finding of a halo exchange that was disturbed in a known way."""

    # Its probe is built before the clock of a measurement runs.
    leadline.benchmarks(mpich["name"])

    def measure(*disturbance, calls=CALLS, options=("--start", "back_to_back")):
        words = (
            "mpi/halo", "--mpi", mpich["name"], "--place", "1x2", "--bytes", "4K",
            "--pattern", "at_once", "--calls", calls, "--launches", "1", *options,
            "--runs", leadline.runs, "--json",
        )  # fmt: skip
        result = subprocess.run(
            [sys.executable, DISTURB, "--mpi", mpich["name"], "--cause", *disturbance, "--",
             sys.executable, "-m", "leadline", "run", *map(str, words)],
            env=leadline.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        answer = json.loads(result.stdout)
        (found,) = answer["jitter"]
        findings = [each for each in answer["findings"] if each["kind"] == "jitter_cause"]
        assert len(findings) == 1, answer["findings"]
        return found, findings[0]

    return measure


def excess_s(found):
    """The excess time of all tasks in seconds."""
    total = found["average_s"] * found["tasks"] * found["calls"]
    return found["excess_fraction"] * total


def prove_named(found, finding, cause):
    """Prove that what was injected on rank 1, about 20 times, is found under its name.

    Other processes take cores from both ranks where tests share a machine, so that it is held
    against what was injected, and against all that was not preempted.
    """
    fraction = found["causes"][cause]
    injected = CALLS / EVERY * DELAY_S
    # Once on rank 1, and once on rank 0, which waits for it.
    assert 0.7 * injected < fraction * excess_s(found) < 3 * injected
    others = 1 - found["causes"].get("preempted", 0.0)
    assert fraction > 0.7 * others
    (culprit,) = [rank for rank in found["ranks"] if rank["rank"] == 1]
    assert culprit["causes"][cause] > 0.8 * fraction
    assert finding["evidence"][f"{cause}_fraction"] == pytest.approx(fraction)
    passed = [one for one in found["passed"] if one["cause"] == cause]
    assert passed and (passed[0]["rank"], passed[0]["from_rank"]) == (0, 1)


def test_a_rank_that_delays_in_its_calls_is_the_late_neighbour(jitter):
    prove_named(*jitter("delay"), "late_neighbour")


def test_a_rank_that_comes_late_to_its_calls_is_the_late_neighbour(jitter):
    """Between the harness's barrier and the call: in no time of rank 1's own."""
    disturbance = ("delay", "--call", "MPI_Sendrecv")
    found, finding = jitter(*disturbance, options=("--start", "barrier"))
    assert "late_neighbour" in found["causes"]
    (passed, *_) = [one for one in found["passed"] if one["cause"] == "late_neighbour"]
    assert (passed["rank"], passed["from_rank"]) == (0, 1)
    assert passed["fraction"] * excess_s(found) > 0.5 * CALLS / EVERY * DELAY_S
    assert finding["evidence"]["late_neighbour_fraction"] == found["causes"]["late_neighbour"]


def test_page_faults_are_named(jitter):
    prove_named(*jitter("page_faults"), "page_faults")


def test_a_busy_process_on_its_core_is_named(jitter):
    # Long enough to meet several of the other process's periods of 10 ms.
    found, finding = jitter("preempt", "--work-ms", "5", "--period-ms", "10", calls=10 * CALLS)
    assert next(iter(found["causes"])) == "preempted"
    assert finding["evidence"]["preempted_fraction"] > 0.7
    assert "another process took the core" in finding["text"]
    (culprit,) = [rank for rank in found["ranks"] if rank["rank"] == 1]
    assert culprit["causes"]["preempted"] * excess_s(found) > 5e-3
