"""Following a job: when a launch is over, and what is done to one that hangs."""

import pytest
from jobs import made_launch

from leadline.measure.run import batch as module
from leadline.measure.run.batch import BatchRunner
from leadline.model.progress import Silent
from leadline.model.run import BatchJob, Outcome
from leadline.site.schedulers.batch_system import JobState
from leadline.site.schedulers.script import BEGAN, LEAVE_OUT, STATUS

RUNNING = JobState(phase="running", note="n0")
CANCELLED = JobState(phase="ended", outcome=Outcome(state="incomplete", message="cancelled"))
LAUNCH = made_launch("1x1")


class System:
    """A batch system whose job is where the test says, and which notes what is asked of it."""

    cancel_command = "cancel"

    def __init__(self, place):
        self.place = place
        self.now = RUNNING
        self.calls = []

    def state(self, job):
        return self.now

    def cancel(self, job):
        self.calls.append("cancel")
        self.now = CANCELLED

    def interrupt(self, job):
        self.calls.append("interrupt")
        (self.place / STATUS).write_text("143")


@pytest.fixture
def system(tmp_path, monkeypatch):
    found = System(tmp_path)
    monkeypatch.setattr(module, "batch_system", lambda name: found)
    monkeypatch.setattr(module, "_FIRST_ASK_S", 0.0)
    monkeypatch.setattr(module, "_TICK_S", 0.01)
    monkeypatch.setattr(module, "_SETTLE_S", 0.1)
    return found


def batch_runner(**limits):
    return BatchRunner(BatchJob(system="test", job="7"), Silent(), 2, **limits)


def never():
    return False


@pytest.mark.parametrize(
    ("status", "now", "expected"),
    [
        # Outcome, status of the launcher, whether it began, whether no launch can follow.
        ("0\n", RUNNING, ("complete", 0, True, False)),
        ("3", RUNNING, ("failed", 3, True, False)),
        ("137", RUNNING, ("failed", -9, True, False)),
        ("255", RUNNING, ("failed", 255, True, False)),
        ("143", CANCELLED, ("incomplete", -15, True, True)),
        (None, CANCELLED, ("incomplete", 0, False, True)),
    ],
)
def test_a_launch_is_over_with_its_status_or_its_job(system, tmp_path, status, now, expected):
    if status:
        (tmp_path / BEGAN).touch()
        (tmp_path / STATUS).write_text(status)
    system.now = now
    end = batch_runner().run(LAUNCH, tmp_path, never)
    assert (end.outcome.state, end.returncode, end.started, end.final) == expected
    assert end.began <= end.ended
    if now == CANCELLED:
        assert end.outcome == CANCELLED.outcome


def test_a_script_that_ends_too_early_is_said(system, tmp_path):
    system.now = JobState(phase="ended")
    end = batch_runner().run(LAUNCH, tmp_path, never)
    assert end.outcome.state == "incomplete"
    assert "job 7 ended without launch 1 of 2: " in end.outcome.message


def test_a_hanging_launch_is_given_up_and_the_job_goes_on(system, tmp_path):
    (tmp_path / BEGAN).touch()
    end = batch_runner(stall_limit_s=0.1).run(LAUNCH, tmp_path, never)
    assert system.calls == ["interrupt"]
    assert end.outcome.state == "timed out"
    assert not end.final


def test_a_launch_that_waits_does_not_hang(system, tmp_path):
    system.now = JobState(phase="waiting", note="Priority")
    told = []

    def news():
        told.append(1)
        if len(told) == 30:
            system.cancel("7")
        return False

    end = batch_runner(stall_limit_s=0.05, time_limit_s=0.05).run(LAUNCH, tmp_path, news)
    assert end.outcome == CANCELLED.outcome


def test_the_time_of_a_run_begins_with_its_job(system, tmp_path):
    end = batch_runner(time_limit_s=0.1).run(LAUNCH, tmp_path, never)
    assert system.calls == ["cancel"]
    assert end.outcome == Outcome(state="timed out", message="the time limit of 0.1 s was reached")
    assert end.final


def test_what_is_left_out_does_not_begin_or_ends(system, tmp_path):
    job = batch_runner()
    job.leave_out(tmp_path)
    assert (tmp_path / LEAVE_OUT).exists()
    assert system.calls == []
    (tmp_path / BEGAN).touch()
    job.leave_out(tmp_path)
    assert system.calls == ["interrupt"]


def test_closing_ends_a_job_that_has_launches_left(system, tmp_path):
    job = batch_runner()
    job.leave_out(tmp_path)
    job.close()
    assert system.calls == ["cancel"]
    done = batch_runner()
    done.leave_out(tmp_path)
    done.leave_out(tmp_path)
    system.calls.clear()
    done.close()
    assert system.calls == []


def test_an_interrupt_in_the_last_launch_ends_the_job(system, tmp_path):
    def interrupted():
        raise KeyboardInterrupt

    job = batch_runner()
    job.leave_out(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        job.run(LAUNCH, tmp_path, interrupted)
    job.close()
    assert system.calls == ["cancel"]
