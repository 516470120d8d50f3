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


def hangs(folder, text):
    """Return the file of what was told, when this is in it."""
    until = time.monotonic() + 60
    while not any(text in file.read_text() for file in folder.glob("*/explain/hang.txt")):
        assert time.monotonic() < until
        time.sleep(0.05)
    (file,) = folder.glob("*/explain/hang.txt")
    return file


def test_a_hang_is_named_once_and_ended(begin, tmp_path):
    job = begin("wrong_tag", "--watch", "2s", "--then", "abort")
    status = job.process.wait()
    job.end()
    said = "".join(job.said)
    assert said.count(ANSWER) == 1
    told, _, rest = said.partition("leadline: the program ends: abort was asked for\n")
    assert "no rank has moved for" in told
    assert "Rank 0 sends to rank 1 with tag 5, and rank 1 waits for tag" in told
    assert "=== leadline explain: " in rest
    # Who was ended has waited until then.
    assert "Rank 0 was in MPI_Send for" in " ".join(rest.split())
    [file] = tmp_path.glob("*/explain/hang.txt")
    assert f"leadline: it hung while it ran: {file}\n" in rest
    assert file.read_text() in told
    assert status not in (0, 2)
    assert not any(map(psutil.pid_exists, job.pids.values()))


def test_a_rank_that_was_killed_is_named_at_once_and_again_when_the_others_stand(begin, tmp_path):
    job = begin("goes_on", "--watch", "3s")
    job.signal_unnoticed(1, signal.SIGKILL)
    file = hangs(tmp_path, "a rank has died")
    assert "no rank has moved" not in file.read_text()
    assert f"Rank 1 (process {job.pids[1]} on " in file.read_text()
    assert "was killed by signal 9" in file.read_text()
    assert "rank 0 is in " in file.read_text()
    hangs(tmp_path, "Rank 1 is dead, and rank 0 still runs.\n")


def test_nodes_are_judged_together(begin, tmp_path, monkeypatch):
    hosts = tmp_path / "hosts"
    hosts.write_text("first:1\nsecond:1\n")
    monkeypatch.setenv("HYDRA_LAUNCHER", "fork")
    monkeypatch.setenv("HYDRA_HOST_FILE", str(hosts))
    job = begin("wrong_tag", "--watch", "2s")
    file = hangs(tmp_path, "Give MPI_Send and MPI_Recv the same tag.\n")
    assert file.read_text().count(ANSWER) == 1
    job.end()
    until = time.monotonic() + 10
    while list(file.parent.glob(".*")):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_program_that_goes_on_is_left_alone(begin, monkeypatch):
    monkeypatch.setenv("LEADLINE_EXPLAIN_WATCH", "1")
    job = begin("goes_on")
    # Four glances, of which nothing is to be seen.
    time.sleep(2.0)
    os.kill(job.process.pid, signal.SIGTERM)
    job.process.wait()
    job.end()
    assert ANSWER not in "".join(job.said) and "it hung" not in "".join(job.said)
