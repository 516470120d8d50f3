"""Hangs that are injected for real: each is named."""

import signal

import pytest
from injected.hang_table import HANGS, answer

pytestmark = pytest.mark.mpi


def named(hang):
    return f"{hang.way} {'' if hang.explained else 'without leadline'} {hang.verdicts[0]}"


@pytest.mark.parametrize("hang", HANGS, ids=named)
def test_a_hang_is_named_with_the_ranks_that_are_missing(programs, hang):
    """Each under one of the MPIs here, which take turns."""
    if not programs:
        pytest.skip("no MPI here")
    label = list(programs)[HANGS.index(hang) % len(programs)]
    said = answer(hang, *programs[label])
    assert said["verdict"] in hang.verdicts, said
    assert hang.missing in (None, tuple(said["missing"])), said


def found(job, kind, target=None):
    status, said = job.stuck(target)
    assert said["source"] == "recording"
    assert said["verdict"] == kind, said
    assert status == 1
    assert said["not_judged"] == []
    return said


def test_calls_are_seen_with_what_they_name(begin):
    job = begin("deadlock_cycle", ranks=3)
    said = found(job, "deadlock_cycle")
    ranks = said["ranks"]
    assert [rank["call"] for rank in ranks] == ["MPI_Send"] * 3
    assert [rank["peer"] for rank in ranks] == [1, 2, 0]
    assert {rank["tag"] for rank in ranks} == {5}
    assert {rank["bytes"] for rank in ranks} == {4 << 20}
    assert all(1.5 < rank["since_s"] < 60 for rank in ranks)
    assert {rank["communicator"] for rank in ranks} == {"MPI_COMM_WORLD"}
    assert {rank["place"].partition(" (")[0] for rank in ranks} == {"send"}


def test_the_root_that_a_rank_gives_is_seen(begin):
    said = found(begin("wrong_root"), "wrong_root")
    assert said["ranks"][1]["call"] == "MPI_Reduce"
    assert said["ranks"][1]["root"] == 1


def test_how_a_stopped_rank_goes_on_is_said(begin):
    job = begin("goes_on")
    job.signal(1, signal.SIGSTOP)
    assert found(job, "stopped")["findings"][0]["fix"] == f"kill -CONT {job.pids[1]}"


def test_a_job_that_goes_on_is_not_stuck(begin):
    job = begin("goes_on")
    for _ in range(3):
        status, said = job.stuck()
        assert (status, said["verdict"], said["findings"]) == (0, "moves", [])
        assert all(rank["moved"] for rank in said["ranks"])


def test_each_process_of_the_job_leads_to_it(begin):
    job = begin("wrong_tag")
    for target in (job.process.pid, job.pids[0], job.pids[1]):
        assert found(job, "wrong_tag", target)["size"] == 2
