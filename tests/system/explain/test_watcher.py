"""The process that watches the ranks of a job from outside of them."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from programs import kill_all, run

from leadline.explain.job_file import GONE, read_job
from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
LEADLINE = Path(sys.executable).with_name("leadline")
WATCHER = "leadline-watch"
TOLD = "=== leadline stuck: "
_PATIENCE_S = 60.0
# What no MPI has a part in.
one_mpi = pytest.mark.parametrize("observed", [""], indirect=True)


class Job:
    """A program that runs with a watcher."""

    def __init__(self, command, environment):
        self.launcher = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.said = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.launcher.stderr:
            self.said += line

    def wait_for(self, text, seconds=_PATIENCE_S):
        until = time.monotonic() + seconds
        while text not in self.said:
            assert time.monotonic() < until, self.said
            time.sleep(0.05)

    def end(self):
        kill_all(self.launcher, spared=WATCHER)
        output, _ = self.launcher.communicate()
        self._reader.join(5)
        return output


@pytest.fixture
def begin(observed, files):
    """Return a function that starts a program with a watcher."""
    started = []

    def begin(*words, limit="2s", judge=True, launch=(), processes=2, **variables):
        command = observed.command(observed.program(HERE / "stands.c"), *words)
        command[command.index("2")] = str(processes)
        command[1:1] = launch
        more = {"LEADLINE_JOBS": str(files), "LEADLINE_EXPLAIN_WATCH": limit, **variables}
        if judge:
            more["LEADLINE_COMMAND"] = str(LEADLINE)
        started.append(Job(command, observed.environment("") | more))
        return started[-1]

    yield begin
    for job in started:
        job.end()


def watchers(files):
    """Return the watchers of jobs that write into a folder."""
    found = []
    for process in processes(Files()):
        words = Files().text(f"/proc/{process.pid}/cmdline") or ""
        if process.command == WATCHER and str(files) in words:
            found.append(process.pid)
    return found


def assert_no_watcher(files):
    until = time.monotonic() + 5
    while watchers(files):
        assert time.monotonic() < until
        time.sleep(0.05)


def the_job(files):
    (file,) = files.rglob("*.job")
    return read_job(file)


def test_a_hang_is_named_while_it_lasts_and_kept_beside_the_jobs_file(begin, files):
    job = begin("missing")
    job.wait_for("Look for the send")
    assert "no rank has moved for" in job.said
    assert f"{TOLD}Rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier" in job.said
    (kept,) = files.rglob("*.stuck")
    until = time.monotonic() + 5
    while not the_job(files).stuck:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert kept.read_text().splitlines()[0] in job.said
    assert the_job(files).stuck.startswith("Rank 1 waits in MPI_Recv for rank 0")
    time.sleep(4)
    assert job.said.count(TOLD) == 1
    (pid,) = watchers(files)
    size = int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1])
    assert size < 10_000
    job.end()
    assert_no_watcher(files)
    assert {rank.state for rank in the_job(files).recording.ranks} == {GONE}
    assert [each.suffix for each in files.rglob(".*")] == []


@one_mpi
def test_without_leadline_the_calls_are_named(begin):
    job = begin("missing", judge=False)
    job.wait_for("rank 1 is in MPI_Recv")
    job.wait_for("rank 0 is in MPI_Barrier")
    assert TOLD not in job.said


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_rank_that_dies_is_named_with_the_calls_of_the_others(begin, files, number):
    job = begin("dies", str(int(number)), limit="1h")
    job.wait_for("died\n")
    # A launcher that is faster than the watcher has ended the other one meanwhile, by SIGKILL.
    both = r"|Ranks 0-1 \(on .*\) were" if number == signal.SIGKILL else ""
    until = time.monotonic() + 5
    while not re.search(
        rf"(Rank 1 \(process .*\) was{both}) killed by signal {number:d}", job.said
    ):
        assert time.monotonic() < until, job.said
        time.sleep(0.05)
    until = time.monotonic() + 5
    while not re.search(r"rank 0 (is|was) in MPI_Barrier", job.said):
        assert time.monotonic() < until, job.said
        time.sleep(0.05)
    job.end()
    assert_no_watcher(files)
    assert "killed by signal" in the_job(files).stuck
    assert the_job(files).recording.ranks[1].state == GONE


@pytest.mark.parametrize(
    "words", [("dies", str(int(signal.SIGABRT))), ("exits", "3"), ("aborts", "3")]
)
def test_the_launcher_ends_as_without_a_watcher(begin, files, words):
    # MPICH's sometimes has the status of a rank that it has killed, without a watcher too.
    for _ in range(3):
        job, without = (begin(*words, limit=limit) for limit in ("1h", ""))
        ends = [each.launcher.wait(_PATIENCE_S) for each in (job, without)]
        job.end()
        assert_no_watcher(files)
        assert 0 not in ends
        # The other one was ended after it.
        named = re.findall(r"Ranks? .* (?:killed|ended)", job.said)
        assert all(each.startswith("Rank 1 (") for each in named), job.said
        if words[0] == "aborts":
            assert not named
        if ends[0] == ends[1]:
            return
    pytest.fail(f"{ends[0]} with a watcher, {ends[1]} without, three times")


@one_mpi
@pytest.mark.parametrize("scenario", ["works", "late", "helped"])
def test_phases_without_a_call_are_no_hang(begin, files, scenario):
    job = begin(scenario, "2", limit="1s")
    assert job.launcher.wait(_PATIENCE_S) == 0
    job.end()
    assert "leadline" not in job.said
    assert_no_watcher(files)
    assert list(files.rglob("*.stuck")) == []


@one_mpi
@pytest.mark.parametrize("judge", [True, False])
def test_a_program_that_works_after_the_apis_end_is_no_hang(begin, files, judge):
    job = begin("after", "3", limit="1s,abort", judge=judge)
    assert job.launcher.wait(_PATIENCE_S) == 0
    job.end()
    assert "leadline" not in job.said
    assert_no_watcher(files)


@one_mpi
def test_a_job_that_is_suspended_does_not_hang(begin, files):
    job = begin("late", "3", limit="1s,abort")
    until = time.monotonic() + _PATIENCE_S
    while not watchers(files):
        assert time.monotonic() < until
        time.sleep(0.05)
    table = {process.pid: process for process in processes(Files())}
    mine = descendants(table, [job.launcher.pid])
    ranks = [pid for pid in mine if table[pid].command == "stands"]
    for number, seconds in ((signal.SIGSTOP, 4), (signal.SIGCONT, 0)):
        for rank in ranks:
            os.kill(rank, number)
        time.sleep(seconds)
    assert job.launcher.wait(_PATIENCE_S) == 0
    job.end()
    assert "leadline" not in job.said


@one_mpi
def test_before_the_jobs_time_is_over_a_hang_is_named_sooner(begin):
    job = begin("missing", limit="1h", SLURM_JOB_END_TIME=str(int(time.time()) + 55))
    job.wait_for("Look for the send")
    assert "the job's time is over in" in job.said
    time.sleep(4)
    assert job.said.count(TOLD) == 1


@one_mpi
def test_a_job_that_goes_on_until_its_time_is_over_is_not_named(begin):
    job = begin("works", "2", limit="1h", SLURM_JOB_END_TIME=str(int(time.time()) + 55))
    assert job.launcher.wait(_PATIENCE_S) == 0
    job.end()
    assert "leadline" not in job.said


def test_a_hang_ends_the_program_where_that_is_asked_for(begin, files):
    job = begin("missing", limit="2s,abort")
    job.wait_for("the program ends")
    assert job.launcher.wait(_PATIENCE_S) != 0
    assert_no_watcher(files)


@one_mpi
def test_a_job_that_was_given_more_time_is_not_said_to_be_over(begin):
    job = begin("missing", limit="1h", SLURM_JOB_END_TIME=str(int(time.time()) - 5))
    time.sleep(8)
    job.end()
    assert "the job's time is over" not in job.said


@one_mpi
def test_an_answer_that_is_none_is_not_printed(begin, tmp_path):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho usage: another program\nexit 1\n")
    other.chmod(0o755)
    job = begin("missing", judge=False, LEADLINE_COMMAND=str(other))
    job.wait_for("rank 1 is in MPI_Recv")
    assert "usage" not in job.said


@one_mpi
def test_the_end_does_not_wait_for_an_answer(begin, files, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nsleep 3600\n")
    slow.chmod(0o755)
    job = begin("missing", judge=False, limit="1s", LEADLINE_COMMAND=str(slow))
    until = time.monotonic() + _PATIENCE_S
    while not (tmp_path / "asked").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    job.end()
    assert_no_watcher(files)


@pytest.mark.parametrize("more", [(), ("orphans",)])
def test_the_program_has_no_child_more(begin, more):
    job = begin("children", *more)
    output, _ = job.launcher.communicate(timeout=_PATIENCE_S)
    assert output.splitlines() == ["-1 1 0"] * 2


@one_mpi
@pytest.mark.parametrize("limit", ["soon", "0s", "10s,now", "-1s"])
def test_a_time_that_is_none_is_refused_in_a_line(begin, files, limit):
    job = begin("children", limit=limit)
    assert job.launcher.wait(_PATIENCE_S) == 0
    job.end()
    (line,) = [each for each in job.said.splitlines() if "leadline" in each]
    assert limit in line and "60s" in line
    assert_no_watcher(files)


def test_nodes_are_judged_together(begin, observed, files):
    if observed.installation.family != "mpich":
        pytest.skip(f"{observed.installation.name}'s launcher starts no two nodes on one machine")
    hosts = ("-launcher", "fork", "-hosts", "first,second", "-ppn", "1")
    job = begin("missing", launch=hosts)
    job.wait_for("Look for the send")
    assert f"{TOLD}Rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier" in job.said
    assert job.said.count(TOLD) == 1
    job.end()
    assert_no_watcher(files)
    assert [each.suffix for each in files.rglob(".*")] == []


@one_mpi
def test_who_starts_it_by_hand_is_told_how_it_starts(observed):
    ended = run(observed.runtime / WATCHER)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1 and "LEADLINE_EXPLAIN_WATCH" in ended.stderr
