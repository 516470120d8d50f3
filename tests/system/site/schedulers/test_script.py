"""Job scripts, run by a shell as a batch system would run them, and the words of the systems."""

import os
import subprocess
import time

import pytest

from leadline.core.errors import UserError
from leadline.model.job import Start
from leadline.site.schedulers.allocation import hosts_for
from leadline.site.schedulers.batch_system import batch_systems
from leadline.site.schedulers.pbs import batch as pbs
from leadline.site.schedulers.script import host_names, job_script


class Job:
    """A job script over launches in a folder of the test's own."""

    def __init__(self, folder, *commands, environment=None):
        self.launches = folder / "the run's launches"
        starts = {}
        for number, command in enumerate(commands):
            (self.launches / f"{number:03d}").mkdir(parents=True)
            argv = command if isinstance(command, tuple) else ("sh", "-c", command)
            tag = {"LEADLINE_TAG": f"run/{number}"}
            starts[f"{number:03d}"] = Start(argv=argv, environment=tag | (environment or {}))
        self.script = folder / "job.sh"
        self.text = job_script(["#TEST a"], "printf 'n1\nn2\nn3\n'", self.launches, starts)
        self.script.write_text(self.text)

    def started(self):
        return subprocess.Popen(["sh", str(self.script)])

    def run(self):
        subprocess.run(["sh", str(self.script)], check=True)
        return self

    def file(self, launch, name):
        path = self.launches / f"{launch:03d}" / name
        return path.read_text().strip() if path.exists() else None


def test_launches_leave_what_they_say_and_how_they_end(tmp_path):
    job = Job(tmp_path, "echo out; echo err >&2", "exit 3", "kill -9 $$").run()
    assert job.text.startswith("#!/bin/sh\n#TEST a\n")
    assert [job.file(0, name) for name in ("stdout.txt", "stderr.txt", "status")] == [
        "out",
        "err",
        "0",
    ]
    assert [job.file(1, "status"), job.file(2, "status")] == ["3", "137"]
    assert job.file(2, "began") == ""


def test_words_reach_the_launcher_as_they_are(tmp_path):
    strange = ("printf", "%s|", "a b", "$HOME", "it's", '"', "*", "")
    job = Job(tmp_path, strange, 'echo "$A|$LEADLINE_TAG"', environment={"A": "x y'$z"}).run()
    assert job.file(0, "stdout.txt") == "a b|$HOME|it's|\"|*||"
    assert job.file(1, "stdout.txt") == "x y'$z|run/1"


def test_hosts_get_their_names_when_the_job_runs(tmp_path):
    first, second, third = host_names(3)
    job = Job(tmp_path, ("echo", f"{third}:2,{first}:2", f"and {second}", "leadline_host")).run()
    assert job.file(0, "stdout.txt") == "n3:2,n1:2 and n2 leadline_host"


def test_hosts_get_their_names_in_files_too(tmp_path):
    first, _, third = host_names(3)
    place = tmp_path / "000"
    place.mkdir()
    files = {"machinefile": f"{third}:2\n{first}:1\n", "other": "as it is"}
    for name, text in files.items():
        (place / name).write_text(text)
    start = Start(argv=("cat", f"{place}/machinefile"), files=files)
    script = tmp_path / "job.sh"
    script.write_text(job_script([], "echo n1 n2 n3", tmp_path, {"000": start}))
    subprocess.run(["sh", str(script)], check=True)
    assert (place / "stdout.txt").read_text() == "n3:2\nn1:1\n"


def test_a_launch_is_given_up_and_the_next_one_starts(tmp_path):
    job = Job(tmp_path, ("sleep", "60"), "echo next")
    process = job.started()
    while job.file(0, "began") is None:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(10)
    assert process.wait(10) == 0
    assert job.file(0, "status") not in (None, "0")
    assert job.file(1, "stdout.txt") == "next"


def test_a_launch_that_is_left_out_does_not_begin(tmp_path):
    job = Job(tmp_path, "echo first", "echo second")
    (job.launches / "000" / "leave_out").touch()
    job.run()
    assert job.file(0, "began") is None
    assert job.file(1, "status") == "0"


@pytest.mark.parametrize("system", batch_systems(), ids=lambda system: system.name)
def test_without_its_programs_a_system_says_so(system, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"(sbatch|qsub): not on the PATH: start leadline"):
        system.submit(tmp_path / "job.sh")
    assert system.state("1") is None
    system.cancel("1")
    system.interrupt("1")


def test_hosts_of_a_slurm_job(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(UserError, match="leadline is not in a job"):
        hosts_for(["slurm"], "")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[08-10,12],x")
    assert hosts_for(["slurm"], "rsh").names == ("n08", "n09", "n10", "n12", "x")


def test_hosts_of_a_pbs_job(monkeypatch, tmp_path):
    monkeypatch.delenv("PBS_NODEFILE", raising=False)
    with pytest.raises(UserError, match="leadline is not in a job"):
        hosts_for(["pbs"], "")
    nodes = tmp_path / "nodes"
    nodes.write_text("x2\nx2\nx1\nx1\n")
    monkeypatch.setenv("PBS_NODEFILE", str(nodes))
    assert hosts_for(["pbs"], "").names == ("x2", "x1")
    listed = subprocess.run(
        ["sh", "-c", pbs.BATCH.list_hosts], env={**os.environ}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert listed.stdout.split() == ["x2", "x1"]
