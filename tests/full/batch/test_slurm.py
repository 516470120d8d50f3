"""Runs in jobs of a real Slurm: from submission to report, and cut in every way a job can be."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from leadline.measure.launch.slots import available_cores

BRIEF = ("--seconds", "0.05", "--maximum", "500", "--launches", "2")
# Some points end at once, and one never does.
HANGS = (
    "fake/transfer", "--mpi", "fake", "--bytes", "8,16,32", "--fault", "none,hang",
    "--launches", "2", "--seed", "1", "--batch", "slurm",
)  # fmt: skip
two_cores = pytest.mark.skipif(available_cores() < 2, reason="this machine has one core")


def run_json(folder):
    return json.loads((folder / "run.json").read_text())


def hanging_points(folder):
    lines = (folder / "launches/000/plan.txt").read_text().splitlines()
    return {int(line.split()[1]) for line in lines if "fault=hang" in line}


def is_hanging(started):
    begun = [event["point"] for event in started.events("begin")]
    return started.events("point") and begun[-1] in hanging_points(started.folder)


class Hanging:
    """A run that has finished a point and hangs in another, and its job."""

    def __init__(self, started):
        started.wait_for(lambda: is_hanging(started))
        self.started = started
        self.job = run_json(started.folder)["batch"]["job"]
        self.finished = {event["point"] for event in started.events("point")}

    def end(self, status):
        """Prove that the run ends with `status` and keeps its points; return its answer."""
        found, output, errors = self.started.end()
        assert found == status, errors
        assert "Traceback" not in errors
        answer = json.loads(output)
        assert len(answer["points"]) == len(self.finished) >= 1
        assert [launch["launch"] for launch in run_json(self.started.folder)["launches"]] == [0]
        return answer["outcome"]


@pytest.fixture(scope="module", autouse=True)
def over_time(environment, slurm, tmp_path_factory):
    """Give a hanging run whose job's limit is over, which Slurm looks at only twice a minute.

    So it starts before all tests and is awaited by the last.
    """
    runs = tmp_path_factory.mktemp("over_time")
    process = subprocess.Popen(
        [sys.executable, "-m", "leadline", "run", *HANGS, "--runs", runs, "--json"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    while not any('"point"' in path.read_text() for path in runs.rglob("events.jsonl")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    (folder,) = runs.iterdir()
    job = run_json(folder)["batch"]["job"]
    slurm.ask("scontrol", "update", f"jobid={job}", "TimeLimit=0")
    yield job, process
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.fixture
def hanging(begun):
    return Hanging(begun(*HANGS))


@pytest.mark.mpi
@two_cores
@pytest.mark.parametrize("launcher", ["mpiexec", "srun"])
def test_from_submission_to_report(leadline, mpich, slurm, tmp_path, launcher, monkeypatch):
    monkeypatch.setitem(leadline.environment, "UCX_LOG_LEVEL", "error")
    report = tmp_path / "report.html"
    named = ("--launcher", "srun") if launcher == "srun" else ()
    answer = leadline.measure(
        "mpi/pingpong", "--bytes", "8,1K", "--mpi", mpich, *BRIEF, *named,
        "--batch", "slurm", "--time-limit", "600", "--html", report,
    )  # fmt: skip
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert [point["bytes"] for point in answer["points"]] == [8, 1024]
    assert all(point["launches"] == 2 and point["verified"] for point in answer["points"])
    assert report.read_text().startswith("<!doctype html>")
    (folder,) = leadline.runs.iterdir()
    run = run_json(folder)
    assert run["batch"]["system"] == "slurm"
    assert re.fullmatch(r"n\d", run["machine"]["host"])
    assert {"name": "UCX_LOG_LEVEL", "value": "error", "source": "environment"} in run["variables"]
    for launch in run["launches"]:
        assert launch["argv"][0].endswith(launcher)
        assert [rank["rank"] for rank in launch["ranks"]] == [0, 1]
        assert launch["started"] < launch["ended"]
        cpus = [rank["cpus"] for rank in launch["ranks"]]
        assert len(set(cpus)) == 2, f"ranks are not bound to cores of their own: {cpus}"
    slurm.wait_until_gone(run["batch"]["job"])


@pytest.mark.mpi
@two_cores
@pytest.mark.parametrize("launcher", ["mpiexec", "srun"])
def test_two_nodes(leadline, mpich, tmp_path, launcher):
    leadline.runs = tmp_path / "the user's runs"
    named = ("--launcher", "srun") if launcher == "srun" else ()
    answer = leadline.measure(
        "mpi/pingpong", "--bytes", "8", "--mpi", mpich, "--place", "1x2,2x1", *BRIEF, *named,
        "--no-bind", "--batch", "slurm",
    )  # fmt: skip
    assert answer["outcome"]["state"] == "complete", answer["outcome"]
    assert [point["nodes"] for point in answer["points"]] == [1, 2]


@pytest.mark.mpi
@pytest.mark.parametrize("launcher", ["mpiexec", "srun"])
def test_more_ranks_than_cores(leadline, mpich, launcher):
    named = ("--launcher", "srun") if launcher == "srun" else ()
    place = f"1x{2 * (os.cpu_count() or 1)}"
    answer = leadline.measure(
        "mpi/barrier", "--mpi", mpich, "--place", place, *BRIEF, *named, "--oversubscribe",
        "--batch", "slurm",
    )  # fmt: skip
    assert answer["outcome"]["state"] == "complete", answer["outcome"]
    assert "oversubscribed" in [finding["kind"] for finding in answer["findings"]]


def test_cancelled_by_somebody(hanging, slurm):
    slurm.ask("scancel", hanging.job)
    assert hanging.end(1) == {
        "state": "incomplete",
        "message": f"job {hanging.job} was cancelled; every finished point is kept",
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(hanging, slurm, number):
    hanging.started.process.send_signal(number)
    assert hanging.end(130) == {
        "state": "interrupted",
        "message": f"by {number.name}; every finished point is kept",
    }
    assert hanging.job not in slurm.jobs()


def test_a_node_goes_down(hanging, slurm):
    node = slurm.ask("squeue", "-h", "-o", "%N", "-j", hanging.job)
    slurm.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
    try:
        outcome = hanging.end(1)
    finally:
        # It may have come back by itself.
        slurm.ask("scontrol", "update", f"nodename={node}", "state=resume", check=False)
    assert outcome["state"] == "incomplete"
    assert outcome["message"].startswith(f"job {hanging.job} lost a node")


def test_the_time_limit_of_the_run(begun):
    hanging = Hanging(begun(*HANGS, "--time-limit", "1.5"))
    assert hanging.end(1) == {
        "state": "timed out",
        "message": "the time limit of 1.5 s was reached; every finished point is kept",
    }


def test_cancelled_while_it_waits(begun, slurm):
    started = begun(*HANGS, "--batch-option", "--begin=now+1hour")
    waiting = ("squeue", "-h", "-t", "pending", "-o", "%i")
    started.wait_for(lambda: slurm.ask(*waiting))
    job = slurm.ask(*waiting)
    slurm.ask("scancel", job)
    status, output, errors = started.end()
    assert status == 1, errors
    assert f"job {job} of slurm is submitted" in errors
    assert json.loads(output)["outcome"] == {
        "state": "failed",
        "message": f"job {job} was cancelled",
    }


def test_a_refused_job_leaves_nothing(leadline):
    words = ("run", *HANGS, "--batch-option", "--partition=nope", "--runs", leadline.runs)
    result = leadline(*words)
    assert result.returncode == 2
    assert "Invalid partition name specified: `sinfo` lists the partitions" in (
        result.stderr.replace(
            "invalid partition specified: nope", "Invalid partition name specified"
        )
    )
    assert not list(leadline.runs.iterdir())


def test_a_launcher_that_is_not_here_is_refused(leadline, mpich):
    words = ("run", "mpi/pingpong", "--mpi", mpich, "--bytes", "8", "--runs", leadline.runs)
    told = leadline.refused(*words, "--launcher", "aprun")
    assert "launcher aprun: aprun is not on the PATH" in told
    assert not leadline.runs.exists()


def test_leadline_dies_and_the_job_goes_on(leadline, begun, slurm):
    started = begun(
        "fake/transfer", "--mpi", "fake", "--bytes", "8,16", "--launches", "3", "--seed", "1",
        "--minimum", "4000", "--maximum", "4000", "--batch", "slurm",
    )  # fmt: skip
    started.wait_for(lambda: started.events("begin"))
    # As when a terminal is closed.
    started.process.send_signal(signal.SIGHUP)
    assert started.end()[0] == -signal.SIGHUP
    run = run_json(started.folder)
    told = json.loads(leadline.in_runs("show", "last", "--json").stdout)["outcome"]
    assert told["state"] == "incomplete"
    assert "of slurm went on" in told["message"]
    job = run["batch"]["job"]
    early = leadline("show", "last", "--recover", "--runs", leadline.runs)
    if early.returncode == 0:
        # It ended before it was looked at, and is recovered at once.
        assert job not in slurm.jobs(), early
    else:
        assert early.returncode == 2 and f"`scancel {job}`" in early.stderr, early
    slurm.wait_until_gone(job)
    recovered = json.loads(leadline.in_runs("show", "last", "--recover", "--json").stdout)
    assert recovered["outcome"] == {"state": "complete", "message": ""}
    assert [point["launches"] for point in recovered["points"]] == [3, 3]
    assert json.loads(leadline.in_runs("show", "last", "--json").stdout) == recovered


@pytest.mark.mpi
@two_cores
@pytest.mark.parametrize("launcher", ["mpiexec", "srun"])
def test_inside_an_allocation(leadline, mpich, launcher):
    """`salloc leadline run --hosts slurm` uses the hosts of the job that leadline is in."""
    named = ("--launcher", "srun") if launcher == "srun" else ()
    words = (
        sys.executable, "-m", "leadline", "run", "mpi/pingpong", "--bytes", "8", "--mpi", mpich,
        "--place", "2x1", *BRIEF, *named, "--no-bind", "--hosts", "slurm",
        "--runs", str(leadline.runs), "--json",
    )  # fmt: skip
    done = subprocess.run(
        ["salloc", "--quiet", "--nodes=2", "--ntasks-per-node=1", *words],
        env=leadline.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"][0]["nodes"] == 2


def test_the_time_limit_of_the_job(over_time):
    job, process = over_time
    output, errors = process.communicate()
    assert process.returncode == 1, errors
    answer = json.loads(output)
    assert answer["points"]
    assert answer["outcome"] == {
        "state": "timed out",
        "message": f"job {job} reached its time limit; every finished point is kept",
    }
