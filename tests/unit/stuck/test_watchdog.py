"""A watched program: a hang is reported once, a dead rank within seconds, and nothing else."""

import shutil

import msgspec
import pytest
from recorded_calls import At, Recorded

from leadline.site.hardware.files import Files
from leadline.stuck.current import Standing
from leadline.stuck.glance import Seen, Work, moves_outside
from leadline.stuck.job import FILES, TEST, Call
from leadline.stuck.watchdog import ProgramEnded, Watchdog

SEND = At(call="MPI_Send", peer=1, tag=5, bytes=4 << 20, process="R")
RECV = At(call="MPI_Recv", peer=0, tag=6, bytes=4 << 20, process="R")
BARRIER = At(call="MPI_Barrier", bytes=0)
READS = At(call="", process="S", syscall="0 0x0 0x1")
SLEEPS = At(call="", process="S", syscall="230 0x0")
LOCKED = At(call="", process="S", syscall="202 0x7f0 0x109 0x2 0x0")


def changed(at, **fields):
    return msgspec.structs.replace(at, **fields)


class Watched(Watchdog):
    """A program for so many seconds; each change is made at its second."""

    def __init__(self, job, seconds, limit_s=60.0, changes=None):
        self.told = []
        super().__init__(job.folder, limit_s, self._tell, files=Files(job.root),
                         clock=lambda: job.now)  # fmt: skip
        self.job, self.seconds, self.changes = job, seconds, dict(changes or {})
        with pytest.raises(ProgramEnded):
            self.watch()

    def _tell(self, hung):
        self.told.append((self.job.now - self.job.born, hung))

    def sleep(self, seconds):
        self.job.now += seconds
        at = self.job.now - self.job.born
        due = [when for when in self.changes if when <= at]
        for when in due:
            self.changes.pop(when)()
        if due:
            self.job.write()
        if at > self.seconds:
            raise ProgramEnded

    @property
    def verdicts(self):
        return [hung.found.verdict for _, hung in self.told]


def set_rank(job, rank, **fields):
    def change():
        job.ranks[rank] = changed(job.ranks[rank], **fields)

    return change


def test_a_hang_is_told_once(tmp_path):
    dog = Watched(Recorded(tmp_path, [SEND, RECV]), 200.0)
    assert dog.verdicts == ["wrong_tag"]
    [(when, hung)] = dog.told
    assert 60 <= when < 70 and 60 <= hung.seconds <= when
    assert hung.stands and not hung.is_new_death


def test_a_program_that_goes_on_and_hangs_anew_is_told_again(tmp_path):
    job = Recorded(tmp_path, [SEND, RECV])
    dog = Watched(job, 200.0, changes={100.0: set_rank(job, 0, calls=1001)})
    assert dog.verdicts == ["wrong_tag"] * 2
    assert 160 <= dog.told[1][0] < 170


def test_a_shorter_wait_is_not_told(tmp_path):
    job = Recorded(tmp_path, [SEND, RECV])
    steps = {50.0 * step: set_rank(job, 1, calls=1000 + step) for step in range(1, 6)}
    assert Watched(job, 280.0, changes=steps).told == []


def test_time_for_which_leadline_was_stopped_does_not_count(tmp_path):
    job = Recorded(tmp_path, [SEND, RECV])

    def stop():
        job.now += 1000

    assert Watched(job, 1040.0, changes={20.0: stop}).told == []


@pytest.mark.parametrize("outside", [
    At(call="", for_s=700.0),
    changed(SLEEPS, for_s=1.0),
    At(call="", process="S", syscall="61 0x1", for_s=1.0, calls=3),
    changed(READS, child_writes={1: "pipe:[7]"}, fds={0: "pipe:[7]"}, calls=3),
    changed(LOCKED, process="t", tracer=9),
], ids=["computes", "sleeps", "awaits a child", "reads of a child", "debugged"])  # fmt: skip
def test_a_rank_that_may_go_on_by_itself_is_not_told(outside, tmp_path):
    assert Watched(Recorded(tmp_path, [BARRIER, outside]), 50.0, limit_s=3.0).told == []


@pytest.mark.parametrize(("outside", "verdict", "after_s"), [
    (LOCKED, "sleeps", 0), (READS, "waits_for_input", 30),
], ids=["lock", "input"])  # fmt: skip
def test_who_waits_for_another_is_told(outside, verdict, after_s, tmp_path):
    """Input may come for a minute."""
    dog = Watched(Recorded(tmp_path, [BARRIER, outside]), 50.0, limit_s=3.0)
    assert dog.verdicts == [verdict]
    assert after_s < dog.told[0][0] < after_s + 12


@pytest.mark.parametrize("limit_s", [10.0, 600.0])
@pytest.mark.parametrize("process", ["Z", ""], ids=["zombie", "gone"])
def test_a_dead_rank_is_told_at_once_with_the_calls_of_the_others(limit_s, process, tmp_path):
    job = Recorded(tmp_path, [BARRIER, BARRIER, SEND])

    def die():
        job.ranks[1] = changed(job.ranks[1], process=process)
        if not process:
            shutil.rmtree(job.root / "proc" / str(job.pid(1)))

    dog = Watched(job, 60.0, limit_s, {7.0: die})
    assert dog.verdicts[:1] == ["dead"]
    when, hung = dog.told[0]
    assert 7 < when <= 12
    assert hung.is_new_death and hung.stands
    assert "MPI_Barrier" in str(hung.found.findings[0].evidence)
    assert len(dog.told) == 1


def test_a_dead_rank_of_a_job_that_goes_on_is_told_and_told_again_when_it_stands(tmp_path):
    job = Recorded(tmp_path, [BARRIER, BARRIER])

    class Stepping(Watched):
        def sleep(self, seconds):
            if job.now - job.born < 100:
                job.ranks[0] = changed(job.ranks[0], calls=job.ranks[0].calls + 1)
                job.write()
            super().sleep(seconds)

    dog = Stepping(job, 300.0, 60.0, {7.0: set_rank(job, 1, process="Z")})
    assert 7 < dog.told[0][0] <= 12
    assert dog.verdicts == ["dead", "dead"]
    assert [hung.stands for _, hung in dog.told] == [False, True]
    assert 160 <= dog.told[1][0] < 170


def test_ranks_that_have_ended_are_not_dead(tmp_path):
    job = Recorded(tmp_path, [BARRIER, BARRIER])

    def end():
        job.ranks[:] = [changed(each, state=2, process="Z") for each in job.ranks]

    assert Watched(job, 100.0, 3.0, {0.5: end}).told == []


def test_a_rank_of_another_host_may_compute_and_its_page_come_late(tmp_path):
    ranks = [BARRIER, At(call="", for_s=700.0)]
    assert Watched(Recorded(tmp_path, ranks, host="elsewhere"), 140.0, 3.0).told == []
    (tmp_path / "more").mkdir()
    other = Recorded(tmp_path / "more", [SEND, RECV], host="elsewhere")
    dog = Watched(other, 140.0, 3.0)
    assert dog.verdicts == ["wrong_tag"]
    assert 120 <= dog.told[0][0] < 130


def test_a_recording_that_has_no_rank_yet_is_waited_for(tmp_path):
    job = Recorded(tmp_path, [SEND, RECV])
    data = (job.folder / "node-0.explain").read_bytes()
    (job.folder / "node-0.explain").write_bytes(bytes(len(data)))
    job.write = lambda: None

    def begin():
        (job.folder / "node-0.explain").write_bytes(data)

    dog = Watched(job, 100.0, 10.0, {30.0: begin})
    assert dog.verdicts == ["wrong_tag"]
    assert 40 <= dog.told[0][0] < 50


def seen(when, ran_s, first_s, *, kind=0, mpi_s=0.0, state="S", files=("1", "2"), wanted_s=0.0):
    call = Call(function="MPI_X" if kind else "", kind=kind)
    standing = Standing(0, 1, 1, 0.0, 0, call, 0, 0.0, {}, mpi_s=mpi_s)
    return Seen(when, standing, Work(state, ran_s, first_s, max(first_s, wanted_s), files))


@pytest.mark.parametrize(("now", "tests", "moves"), [
    (seen(2.0, 0.1, 0.1), 0, False),
    (seen(2.0, 0.3, 0.3), 0, True),
    (seen(2.0, 0.0, 0.0, state="R"), 0, True),
    (seen(2.0, 0.0, 0.0, files=("1", "3")), 0, True),
    (seen(2.0, 2.0, 2.0, kind=5), 0, False),
    (seen(2.0, 2.4, 2.0, kind=5), 0, True),
    (seen(2.0, 0.0, 0.0, kind=5, files=("1", "3")), 0, False),
    (seen(2.0, 0.0, 0.0, kind=FILES, files=("1", "3")), 0, True),
    (seen(2.0, 2.0, 2.0, kind=FILES), 0, False),
    (seen(2.0, 2.0, 2.0, mpi_s=1.2), 9, False),
    (seen(2.0, 2.0, 2.0, kind=TEST, mpi_s=0.1), 9, True),
    (seen(2.0, 0.4, 0.4, kind=TEST, mpi_s=0.1, wanted_s=2.0), 9, True),
    (seen(2.0, 0.1, 0.1), 9, False),
], ids=["sleeps", "computes", "wants a core", "reads", "polls in a send", "another thread computes",
        "reads in a send", "writes by MPI", "waits for those who write", "tests only",
        "computes and tests", "wants a core and tests", "tests and sleeps"])  # fmt: skip
def test_a_rank_may_move_though_its_calls_stand(now, tests, moves):
    assert moves_outside(seen(0.0, 0.0, 0.0, kind=now.standing.call.kind), now, tests) is moves
