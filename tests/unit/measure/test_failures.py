"""Launches that fail, and what is left out after them."""

import msgspec
import pytest
from jobs import made_launch

from leadline.measure.launch.supervise import LaunchEnd
from leadline.measure.run import session as module
from leadline.model.installation import Installation
from leadline.model.plan import Plan
from leadline.model.progress import Silent
from leadline.model.run import Outcome, PointResult, Run
from leadline.store.folder import RunFolder

MPI = Installation(name="one", family="openmpi", version="4", prefix="/", source="test")


class Runner:
    """Runs nothing: launches of OpenSHMEM fail, all others end well."""

    def __init__(self):
        self.left_out = []

    def run(self, launch, place, tick):
        state = "failed" if launch.api == "shmem" else "complete"
        return LaunchEnd(outcome=Outcome(state=state, message=f"{launch.api} ended"))

    def leave_out(self, place):
        self.left_out.append(int(place.name))

    def close(self):
        pass


class Said(Silent):
    def __init__(self):
        self.lines = []

    def warn(self, text):
        self.lines.append(text)


@pytest.fixture
def execute(monkeypatch, tmp_path):
    """Run launches of these APIs; gives the outcome, the runner and what was said."""

    def collected(described, place, end, error, installation):
        points = (PointResult(point=0),) if end.outcome.state == "complete" else ()
        return msgspec.structs.replace(described, outcome=end.outcome, points=points)

    def made(*apis):
        monkeypatch.setattr(module, "collect", collected)
        run = Run(
            run="r", leadline="0", plan=Plan(entries=()), started="",
            outcome=Outcome(state="running"), installations=[MPI],
        )  # fmt: skip
        runner, said = Runner(), Said()
        folder = RunFolder.create(tmp_path, "some")
        launches = [made_launch(launch=number, api=api) for number, api in enumerate(apis)]
        return module.Session(run, folder, said).carry_out(launches, runner), runner, said.lines

    return made


def test_failures_of_one_api_leave_out_launches_of_that_api_alone(execute):
    outcome, runner, lines = execute("shmem", "mpi", "shmem", "mpi", "shmem", "mpi", "shmem")
    assert runner.left_out == [4, 6]
    assert outcome == Outcome(
        state="incomplete",
        message="2 of 5 launches failed, 2 more left out; launch 1 (one): shmem ended",
    )
    assert lines == [
        "launch 1 (one): shmem ended",
        "left out: further launches of shmem programs with one, 1x2: 2 have failed",
    ]


def test_without_what_is_left_out_nothing_is_said_of_it(execute):
    outcome, runner, _ = execute("shmem", "mpi", "shmem")
    assert runner.left_out == []
    assert outcome.message == "2 of 3 launches failed; launch 1 (one): shmem ended"
