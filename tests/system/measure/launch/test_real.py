"""Every launcher present, for real: binding, variables, and no process left however it ends."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mpi_here import real_installations

from leadline.measure.launch.explain import explain
from leadline.measure.launch.slots import available_cores
from leadline.measure.launch.start import launcher_for, start_for
from leadline.measure.launch.supervise import out_of_time, run_supervised
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.model.run import Outcome

HERE = Path(__file__).parent


KINDS = [(installation, api) for installation in real_installations() for api in installation.apis]


@pytest.fixture(
    scope="module",
    # Leadline's own MPI comes first.
    params=[
        pytest.param(each, marks=pytest.mark.full if number else ())
        for number, each in enumerate(KINDS)
    ]
    or [pytest.param(None, marks=pytest.mark.skip("no MPI here: install openmpi-bin or mpich"))],
    ids=lambda kind: " ".join((kind[0].name, kind[1])) if kind else "none",
)
def kind(request, tmp_path_factory):
    """Give an installation, an API, and a program built for them."""
    installation, api = request.param
    program = tmp_path_factory.mktemp("program") / "ranks"
    source = HERE / ("elements.c" if api == "shmem" else "ranks.c")
    compiler = installation.oshcc if api == "shmem" else installation.mpicc
    environment = {**os.environ, **installation.environment}
    subprocess.run([compiler, source, "-o", program], env=environment, check=True)
    return installation, api, program


class Launch:
    """One supervised launch, with what its ranks said of themselves."""

    def __init__(self, kind, folder):
        self.installation, self.api, self.program = kind
        self.stdout, self.stderr = folder / "stdout.txt", folder / "stderr.txt"
        self.segments = set()  # of shared memory that its ranks were seen to have

    def run(self, *arguments, processes=2, tick=lambda: False, **fields):
        limits = {name: fields.pop(name) for name in ("time_limit_s",) if name in fields}
        self.job = Job(
            program=(str(self.program), *arguments),
            placement=Placement(1, processes),
            api=self.api,
            **fields,
        )

        def look():
            self.segments |= segments(self.program)
            return tick()

        return run_supervised(
            start_for(self.job, self.installation),
            stdout=self.stdout,
            stderr=self.stderr,
            tag=f"real/{os.getpid()}/{time.monotonic_ns()}",
            tick=look,
            **{"time_limit_s": 60.0, **limits},
        )

    def ranks(self):
        lines = self.stdout.read_text().splitlines()
        parts = [dict(item.split("=", 1) for item in line.split(";")) for line in lines]
        return sorted(parts, key=lambda rank: int(rank["rank"]))

    def once_spinning(self, action):
        """Return a tick that does `action` once, when both ranks have spoken."""
        pending = [action]

        def tick():
            if pending and self.stdout.read_text().count("\n") == 2:
                pending.pop()()
            return False

        return tick

    def explanation(self, ended):
        output = self.stdout.read_text() + self.stderr.read_text()
        launcher = launcher_for(self.job, self.installation)
        return explain(launcher.name, output, ended.returncode)


@pytest.fixture
def launch(kind, tmp_path):
    """Give a launch, and prove afterwards that nothing of it is left."""
    launch = Launch(kind, tmp_path)
    yield launch
    assert running(launch.program) == {}
    assert [path for path in launch.segments if path.exists()] == []


def segments(program):
    """Return the files in /dev/shm that processes of `program` map."""
    mapped = set()
    for process in running(program):
        with contextlib.suppress(OSError):  # it has just ended
            mapped |= set(re.findall(r"/dev/shm/\S+", (process / "maps").read_text()))
    return {Path(path) for path in mapped}


def running(program):
    """Return the folders in /proc of ranks, launchers and proxies, with their words."""
    processes = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(program) in words:
            processes[process] = words
    return processes


pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]


def cores_of(launch):
    return [set(rank["cpus"].split(",")) for rank in launch.ranks()]


def test_each_rank_has_a_core_of_its_own(launch):
    assert launch.run().outcome.state == "complete"
    cpus = cores_of(launch)
    assert len(cpus) == 2
    assert not cpus[0] & cpus[1]
    assert all(len(own) < os.cpu_count() for own in cpus)


@pytest.mark.parametrize(
    ("processes", "fields"),
    [(2, {"bind": False}), (available_cores() + 2, {"oversubscribe": True})],
)
def test_ranks_that_are_free_or_too_many_may_use_every_core(launch, processes, fields):
    assert launch.run(processes=processes, **fields).outcome.state == "complete"
    assert cores_of(launch) == [{str(cpu) for cpu in os.sched_getaffinity(0)}] * processes


def test_variables_arrive_as_they_are(launch):
    # The semicolon separates what the ranks print, so it is left out here.
    value = "a b,c=d\"e'$HOME"
    assert launch.run(environment={"GIVEN": value}).outcome.state == "complete"
    assert [rank["given"] for rank in launch.ranks()] == [value, value]


def test_killed_rank(launch):
    def kill():
        os.kill(int(launch.ranks()[1]["pid"]), signal.SIGKILL)

    ended = launch.run("spin", tick=launch.once_spinning(kill))
    assert ended.outcome.state == "failed"
    assert re.search(r"(?i)signal:? 9", launch.explanation(ended))


def test_killed_launcher(launch):
    def kill():
        (launcher,) = {
            int(pid)
            for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            if str(launch.program) in Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        }
        os.kill(launcher, signal.SIGKILL)

    ended = launch.run("spin", tick=launch.once_spinning(kill))
    assert (ended.outcome.state, ended.returncode) == ("failed", -signal.SIGKILL)
    assert "SIGKILL" in ended.outcome.message


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(launch, number):
    ended = launch.run("spin", tick=launch.once_spinning(lambda: os.kill(os.getpid(), number)))
    assert ended.outcome == Outcome(state="interrupted", message=f"by {number.name}")


def test_time_limit(launch):
    assert launch.run("spin", time_limit_s=2.0).outcome == out_of_time(2.0)


def test_missing_program(launch, tmp_path):
    launch.program = tmp_path / "not-built"
    ended = launch.run()
    assert ended.outcome.state == "failed"
    said = launch.explanation(ended)
    # Intel's launcher may die of the pipe to a rank that never was, before it has told.
    silent = launch.installation.family == "intel" and ended.returncode == -signal.SIGPIPE
    assert "not-built" in said or (
        silent and "without a word: see that the program is on every host" in said
    )
