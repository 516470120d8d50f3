"""The batch system's jobs beside launches: which were there when, and what is said of no answer."""

import platform
import threading

import pytest

from leadline.model.interference import Interference
from leadline.model.jobs import Job
from leadline.model.run import BatchJob, Launch, Outcome, RankPlace
from leadline.site.interference.recorder import InterferenceRecorder, JobWatch
from leadline.site.schedulers.job_source import NoAnswer

NOTHING = Interference(host="here", seconds=1.0, looks=1, looks_cpu_s=0.0)


class System:
    """A batch system whose jobs a test names, and a clock that a test moves."""

    name, order, job_variable = "made-up", 1, "MADE_UP_JOB"

    def __init__(self):
        self.now_s, self.answer, self.asked = 1000.0, (), 0

    def here(self):
        return True

    def jobs(self):
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return tuple(self.answer)

    def nodes(self):
        return ()

    def watch(self, excluded=()):
        return JobWatch(self, excluded, clock=lambda: self.now_s)


@pytest.fixture
def system():
    return System()


def job(name, hosts=("h2", "h3"), phase="running", used_s=None):
    return Job(
        id=name,
        user="ann",
        name="flow",
        phase=phase,
        state=phase,
        nodes=len(hosts),
        hosts=tuple(hosts),
        used_s=used_s,
    )


def test_jobs_beside_a_launch_with_their_nodes(system):
    watch = system.watch(excluded={"7"})
    system.answer = [
        job("7"),
        job("8", used_s=500.0),
        job("9", ["h0.cluster"], used_s=1.0),
        job("10", phase="waiting"),
        job("11", ["h4", "h5", "h6"], used_s=5.0),
    ]
    watch.look_now()
    system.now_s += 30
    watch.look_now()
    found = watch.add_to(NOTHING, 1000.0, 1020.0, ["h0", "h1"])
    assert found.batch_system == "made-up" and found.jobs_unknown == ""
    assert [(each.id, each.shared_nodes, each.nodes) for each in found.jobs] == [
        ("9", 1, 1),
        ("11", 0, 3),
        ("8", 0, 2),
    ]
    assert (found.jobs_running, found.jobs_nodes) == (3, 6)
    assert [each.seconds for each in found.jobs] == [20.0, 20.0, 20.0]
    assert found.host == "here"


def test_a_job_is_part_of_the_launches_that_it_overlaps(system):
    watch = system.watch()
    watch.look_now()
    found = []
    # Launches of 20 s one after the other; job 8 comes in the middle of the second one.
    for number in range(4):
        began = system.now_s
        watch.look_now()
        system.now_s += 20
        system.answer = {1: [job("8", used_s=10.0)], 2: [job("8", used_s=30.0)]}.get(number, [])
        watch.look_now()
        found.append(watch.add_to(NOTHING, began, system.now_s, ["h0"]))
    assert [[each.seconds for each in one.jobs] for one in found] == [[], [10.0], [20.0], []]
    assert watch._known == {}


def test_a_launch_that_is_over_before_the_next_answer_has_the_jobs_of_the_last(system):
    watch = system.watch()
    system.answer = [job("8", used_s=50.0)]
    watch.look_now()
    system.now_s += 0.9
    watch.look_now()
    (found,) = watch.add_to(NOTHING, 1000.4, 1000.6, ["h0"]).jobs
    assert (system.asked, found.id) == (1, "8") and found.seconds == pytest.approx(0.2)
    assert not watch.add_to(NOTHING, 1001.1, 1001.3, ["h0"]).jobs


def test_a_system_is_asked_seldom(system):
    watch = system.watch()
    watch.look_now()
    watch.look_now()
    assert system.asked == 1
    for _ in range(6000):
        system.now_s += 0.1
        watch.look_if_due()
        if watch._question:
            watch._question.join()
    # After 2, 6, 14, 30 and 62 s, and then every minute of ten.
    assert system.asked <= 1 + 5 + 10


def test_no_answer_is_said_and_the_system_left_in_peace(system):
    watch = system.watch()
    system.answer = NoAnswer("made-up does not answer: its controller is down")
    for _ in range(100):
        watch.look_now()
        system.now_s += 2
        watch.look_if_due()
    found = watch.add_to(NOTHING, 1000.0, 1200.0, ["h0"])
    assert found.jobs_unknown == "made-up does not answer: its controller is down"
    assert found.jobs == () and system.asked == 1
    system.now_s += 300
    system.answer = [job("8")]
    watch.look_now()
    assert watch.add_to(NOTHING, system.now_s, system.now_s, ["h0"]).jobs_unknown == ""


def test_an_answer_that_cannot_be_read_is_said(system):
    watch = system.watch()
    system.answer = ValueError("no number: '?'")
    watch.look_now()
    found = watch.add_to(NOTHING, 1000.0, 1001.0, ["h0"])
    assert found.jobs_unknown == "made-up said what leadline cannot read: no number: '?'"


def test_a_system_that_hangs_does_not_keep_leadline(system, monkeypatch):
    monkeypatch.setattr("leadline.site.interference.recorder._PATIENCE_S", 0.05)
    go = threading.Event()
    system.jobs = lambda: go.wait() and ()
    watch = system.watch()
    watch.look_now()
    assert watch.add_to(NOTHING, 0.0, 1.0, []).jobs_unknown == "made-up gave no answer in 0.05 s"
    go.set()


def test_what_is_kept_of_many_jobs_is_bounded(system):
    watch = system.watch()
    system.answer = [job(str(n), [f"n{i}" for i in range(n)]) for n in range(1, 200)]
    watch.look_now()
    system.now_s += 5
    watch.look_now()
    found = watch.add_to(NOTHING, 1000.0, 1001.0, ["h0"])
    assert [each.nodes for each in found.jobs] == [199, 198, 197, 196, 195, 194, 193, 192]
    assert {len(each.hosts) for each in found.jobs} == {32}
    assert (found.jobs_running, found.jobs_nodes) == (199, 199 * 200 // 2)


def launch_of(*hosts):
    ranks = tuple(
        RankPlace(rank=rank, host=host, node=rank, cpus="0", cpu=0, pid=1)
        for rank, host in enumerate(hosts)
    )
    began, ended = ("2026-01-01T00:00:00+00:00", "2026-01-01T00:00:10+00:00")
    return Launch(
        launch=0, mpi="m", api="mpi", argv=(), environment={}, processes=len(ranks),
        nodes=len(ranks), processes_per_node=1, oversubscribed=False, started=began,
        ended=ended, outcome=Outcome(state="complete"), ranks=ranks,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "unseen"),
    [
        ({}, ("h1",)),
        ({"virtual": True}, ()),
        ({"job": BatchJob(system="made-up", job="7")}, (platform.node(), "h1")),
    ],
    ids=["hosts", "virtual hosts", "batch job"],
)
def test_hosts_that_nobody_sees_are_named(options, unseen, system, monkeypatch):
    monkeypatch.setattr("leadline.site.interference.recorder.sources", lambda: [system])
    system.answer = [job("7"), job("8")]
    recorder = InterferenceRecorder("run", **options)
    launch = launch_of(platform.node(), "h1")
    tick = recorder.watch(launch, lambda: True)
    assert tick() is True
    company = recorder.interference_of(launch)
    assert company.unseen_hosts == unseen
    assert (company.host == "") == ("job" in options)


def test_the_job_in_which_leadline_runs_is_its_own(system, monkeypatch):
    monkeypatch.setattr("leadline.site.interference.recorder.sources", lambda: [system])
    monkeypatch.setattr("leadline.site.interference.recorder.batch_systems", lambda: [system])
    monkeypatch.setenv("MADE_UP_JOB", "7")
    system.answer = [job("7", used_s=1e10), job("8", used_s=1e10)]
    recorder = InterferenceRecorder("run")
    launch = launch_of("h0")
    recorder.watch(launch, lambda: False)
    company = recorder.interference_of(launch)
    assert [each.id for each in company.jobs] == ["8"]
    assert company.batch_system == "made-up"
