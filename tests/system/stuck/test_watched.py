"""Programs under `leadline explain --watch`: a hang is named while it lasts, by nobody's asking."""

import os
import signal
import time

import psutil
import pytest
from injected.hanging import begun

pytestmark = pytest.mark.mpi
ANSWER = "=== leadline stuck: "


@pytest.fixture
def begin(mpich, tmp_path):
    """Give a function that starts a program of two ranks, watched and recorded in `tmp_path`."""
    installation, program = mpich
    started = []

    def begin(way, *options):
        words = (*options, "--runs", str(tmp_path))
        started.append(begun(installation, program, way, options=words))
        return started[-1].wait_for(2, 0.0)

    yield begin
    for each in started:
        each.end()


def wait_until(job, text):
    while text not in "".join(job.said):
        assert job.process.poll() is None, "".join(job.said)
        time.sleep(0.05)


def test_a_hang_is_named_once_and_ended(begin, tmp_path):
    job = begin("wrong_tag", "--watch", "2s", "--then", "abort")
    status = job.process.wait()
    job.end()
    said = "".join(job.said)
    assert said.count(ANSWER) == 1
    told, _, rest = said.partition("leadline: the program ends: --then abort\n")
    assert "no rank has moved for" in told
    assert "Rank 0 sends to rank 1 with tag 5, and rank 1 waits for tag" in told
    assert "=== leadline explain: " in rest
    [file] = tmp_path.glob("*/explain/hang.txt")
    assert f"leadline: it hung while it ran: {file}\n" in rest
    assert file.read_text() in told
    assert status not in (0, 2)
    assert not any(map(psutil.pid_exists, job.pids.values()))


def test_a_rank_that_was_killed_is_named_at_once(begin):
    job = begin("goes_on", "--watch", "10m")
    job.signal_unnoticed(1, signal.SIGKILL, watched=True)
    wait_until(job, "Rank 1 is dead, and rank 0 still runs.\n")
    wait_until(job, "rank 0 is in MPI_Barrier")
    assert "leadline: the program ends" not in "".join(job.said)


def test_a_program_that_goes_on_is_left_alone(begin, monkeypatch):
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", "1")
    job = begin("goes_on")
    # Four glances, of which nothing is to be seen.
    time.sleep(2.0)
    os.kill(job.process.pid, signal.SIGTERM)
    job.process.wait()
    job.end()
    assert ANSWER not in "".join(job.said) and "it hung" not in "".join(job.said)
