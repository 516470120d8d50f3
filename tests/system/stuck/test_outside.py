"""Jobs that were started without a recording: what is seen of them from outside."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from injected.hanging import LEADLINE, begun

from leadline.stuck.report import report
from leadline.stuck.stacks import stacks
from leadline.stuck.watch import watch

pytestmark = pytest.mark.mpi


@pytest.fixture
def begin(mpich):
    installation, program = mpich
    started = []

    def begin(way):
        started.append(begun(installation, program, way, explained=False))
        return started[-1].wait_for(2, 0.5)

    yield begin
    for each in started:
        each.end()


def test_a_stopped_rank(begin):
    job = begin("goes_on")
    job.signal(1, signal.SIGSTOP)
    status, said = job.stuck()
    assert (status, said["verdict"], said["missing"]) == (1, "stopped", [1])
    assert said["source"] == "outside"
    assert {each["rank"]: each["pid"] for each in said["ranks"]} == job.pids
    assert [each["since_s"] for each in said["ranks"]] == [None, None]
    job.signal(1, signal.SIGCONT)
    status, said = job.stuck()
    assert (status, said["verdict"], said["missing"]) == (2, "unknown", [])


def test_a_dead_rank(begin):
    job = begin("goes_on")
    job.signal_unnoticed(1, signal.SIGKILL)
    status, said = job.stuck(job.pids[0])
    assert (status, said["verdict"], said["missing"]) == (1, "dead", [1])


def test_a_loop_is_seen_and_not_judged(begin, monkeypatch):
    """Whether a computation ends nobody knows who sees its process alone."""
    job = begin("endless_loop")
    # On a busy machine a debugger takes long, and a rank has no core at times.
    monkeypatch.setattr("leadline.stuck.stacks._BUDGET_S", 1e6)
    found = report(watch(str(job.pids[1])))
    while not all(each.process.startswith("busy") for each in found.ranks):
        found = report(watch(str(job.pids[1])))
    assert not found.is_stuck and found.verdict == "unknown"
    assert "cannot be seen from outside" in found.text
    if shutil.which("gdb") or shutil.which("eu-stack"):
        calls = {each.rank: (each.call, each.place) for each in found.ranks}
        assert calls == {0: ("MPI_Barrier", "barrier"), 1: ("", "")}
        assert found.ranks[1].stack[0] == "endless_loop"


def test_people_are_told_how_to_see_more(begin):
    job = begin("goes_on")
    words = [*LEADLINE, "stuck", str(job.process.pid)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("=== leadline stuck: seen from outside: nothing is stopped or dead")
    assert lines[-1] == "    leadline explain -- COMMAND"
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(("target", "said"), [
    ("999999999", "no process and no job 999999999"),
    (str(Path(__file__).parent), "holds no recording"),
])  # fmt: skip
def test_what_is_no_job_is_one_line(target, said):
    words = [*LEADLINE, "stuck", target]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("leadline: ") and done.stderr.count("\n") == 1
    assert said in done.stderr


def test_a_program_without_mpi_is_no_job():
    with subprocess.Popen(["sleep", "60"]) as sleeping:
        try:
            words = [*LEADLINE, "stuck", str(sleeping.pid)]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        finally:
            sleeping.kill()
    assert done.returncode == 2
    assert "(sleep) is no rank of a parallel job" in done.stderr


# Takes no notice of a signal, and a child of it holds the pipe; it stops the process that it is to
# look at, and does not let it go on.
DEBUGGER = """#!/bin/sh
trap '' TERM
kill -STOP $3
sleep inf &
echo $! >$0.child
wait
sleep inf
"""


def test_a_debugger_that_does_not_end_is_not_waited_for(tmp_path, monkeypatch):
    """And the process that it had stopped goes on."""
    debugger = tmp_path / "eu-stack"
    debugger.write_text(DEBUGGER)
    debugger.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with subprocess.Popen(["sleep", "inf"]) as sleeping:
        try:
            assert stacks([sleeping.pid]) == {}
            process = psutil.Process(sleeping.pid)
            while process.status() == psutil.STATUS_RUNNING:  # it has just been let go on
                time.sleep(0.01)
            assert process.status() == psutil.STATUS_SLEEPING
        finally:
            sleeping.kill()
            os.kill(int((tmp_path / "eu-stack.child").read_text()), signal.SIGKILL)


def test_a_debugger_that_is_ended_leaves_nothing_stopped(tmp_path, monkeypatch):
    """A debugger that gets SIGTERM while it attaches leaves its process stopped."""
    debugger = tmp_path / "eu-stack"
    debugger.write_text('#!/bin/sh\nkill -STOP "$3"\nexec sleep 60\n')
    debugger.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with subprocess.Popen(["sleep", "60"]) as asleep:
        found = stacks([asleep.pid])
        soon = time.monotonic() + 5
        while not (goes_on := _goes_on(asleep.pid)) and time.monotonic() < soon:
            time.sleep(0.01)
        asleep.kill()
    assert found == {} and goes_on


def _goes_on(pid):
    return psutil.Process(pid).status() in (psutil.STATUS_SLEEPING, psutil.STATUS_RUNNING)
