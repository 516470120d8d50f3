"""A job in a few numbers: what was lost to what, and who is to blame."""

import time

import pytest
from job_files import ABORTED, EXITED, GONE, RUNNING, even, late, rank, rest, row, write_job

from leadline.explain.job_file import read_job
from leadline.explain.jobs.summary import summarise


@pytest.fixture
def summary(tmp_path):
    def make(ranks, age=7200.0, written=None, **fields):
        now = time.time()
        when = now if written is None else now - written
        path = write_job(tmp_path / "a.job", ranks, began=now - age, written=when, **fields)
        return summarise(read_job(path), now)

    return make


def test_the_parts_of_the_time_add_up(summary):
    found = summary(
        [
            rank(0, seconds=100.0, mpi=50.0, waiting=20.0, files=10.0,
                 rows=[row("MPI_File_write", seconds=10.0), row("MPI_Comm_split", seconds=5.0),
                       rest("MPI_Send", seconds=15.0)]),
            rank(1, seconds=100.0),
        ]
    ).time  # fmt: skip
    assert (found.seconds, found.waiting_s, found.files_s, found.set_up_s) == (200, 20, 10, 5)
    assert found.transfer_s == pytest.approx(15) and found.computing_s == pytest.approx(150)
    assert found.lost_s == pytest.approx(35)


def test_a_late_rank_is_named(summary):
    found = summary(late(8, late=(5,), by=3.0))
    assert (found.state, found.lost_to, found.late_node) == ("ended", "waiting", "")
    assert found.cause == "rank 5 late 26 %"


def test_a_late_node_is_named(summary):
    found = summary(late(8, late=(4, 5, 6, 7), nodes=2), hosts=("n03", "n04"))
    assert (found.late_node, found.cause) == ("n04", "node n04 late 20 %")
    assert (found.hosts, found.host_ranks) == (("n03", "n04"), (4, 4))


def test_a_late_node_of_one_rank_is_named(summary):
    found = summary(late(4, late=(2,), nodes=4), hosts=("n1", "n2", "n3", "n4"))
    assert found.late_node == "n3"


def test_a_late_node_is_seen_by_its_work_where_peers_are_not_known(summary):
    ranks = [
        rank(each, node=each // 100, seconds=100.0, mpi=0.0 if each < 100 else 40.0,
             waiting=0.0 if each < 100 else 39.0)
        for each in range(400)
    ]  # fmt: skip
    assert summary(ranks, hosts=[f"n{each}" for each in range(4)]).late_node == "n0"


def test_one_late_rank_is_no_late_node(summary):
    assert summary(late(8, late=(4,), nodes=2), hosts=("n03", "n04")).late_node == ""


def test_ranks_that_are_late_in_turn_are_not_named(summary):
    ranks = [
        rank(each, seconds=10.0, mpi=3.0, waiting=3.0,
             waited={other: 3.0 / 7 for other in range(8) if other != each},
             rows=[row("MPI_Allreduce", seconds=3.0, waiting=3.0)])
        for each in range(8)
    ]  # fmt: skip
    assert summary(ranks).cause == "another rank late each time 30 %"


def test_files_and_set_up_are_named(summary):
    assert summary(even(files=3.1, mpi=4.0)).cause == "files 31 %"
    set_up = [
        rank(each, seconds=10.0, mpi=2.0, rows=[row("MPI_Init", seconds=2.0)]) for each in range(2)
    ]
    assert summary(set_up).cause == "set-up 20 %"


def test_a_hung_job_names_its_calls(summary):
    ranks = [
        rank(each, state=RUNNING, seconds=3600.0,
             inside=("MPI_Recv" if each < 4 else "MPI_Allreduce", 3000.0))
        for each in range(6)
    ]  # fmt: skip
    found = summary(ranks, written=1800.0)
    assert (found.state, found.lost_to) == ("unended", "unended")
    assert found.cause == "did not end: 4 ranks in MPI_Recv at solve"
    assert found.lost_s == pytest.approx(found.time.seconds)


def test_a_job_that_its_watcher_called_stuck_is_lost_at_once(summary):
    said = "Rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier. " + 40 * "x"
    found = summary(even(state=RUNNING, seconds=3600.0), written=1.0, stuck=said)
    assert found.state == "unended"
    assert found.cause == "rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier. ..."
    assert summary(even(), stuck=said).state == "ended"


def test_a_job_whose_ranks_are_gone_is_lost_at_once(summary):
    assert summary(even(state=GONE, seconds=7000.0), written=1.0).state == "unended"
    one_goes_on = [*even(3, state=RUNNING), rank(3, state=GONE)]
    assert summary(one_goes_on, written=1.0).state == "unended"
    assert summary([*even(3), rank(3, state=GONE)], written=1.0).state == "ended"


def test_a_job_that_was_killed_at_work_is_lost_as_far_as_is_known(summary):
    found = summary(even(state=RUNNING, seconds=7000.0), written=3000.0)
    assert found.cause == "did not end: seen for 7000 s" and found.time.computing_s == 0


def test_a_job_that_writes_on_time_is_running(summary):
    found = summary(even(state=RUNNING, seconds=7000.0), written=550.0)
    assert found.state == "running" and found.time.computing_s > 0
    young = summary(even(state=RUNNING, seconds=30.0, mpi=1.0), written=600.0)
    assert young.state == "unended"


def test_an_abort_is_named_and_an_end_without_finalize_is_an_end(summary):
    found = summary([*even(3), rank(3, state=ABORTED)])
    assert (found.state, found.cause) == ("aborted", "rank 3 called MPI_Abort")
    assert summary([rank(0, state=EXITED)]).state == "ended"


def test_a_job_of_no_time_loses_nothing(summary):
    found = summary([rank(0, seconds=0.0, calls=0)])
    assert (found.lost_to, found.cause, found.lost_s) == (None, "", 0)
