"""Hangs that are injected for real, under `leadline explain`: each is named in 3 s."""

import signal

import pytest

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(300)]

# The way of the program, and what the first finding says: ranks at fault, ranks that are missing.
HANGS = {
    "missing_receive": ([0, 1], [1], {0: "MPI_Send", 1: "MPI_Barrier"}),
    "wrong_count": ([1], [], {0: "MPI_Reduce", 1: "MPI_Barrier"}),
    "endless_loop": ([1], [1], {0: "MPI_Barrier", 1: ""}),
    "deadlock_cycle": ([0, 1], [], {0: "MPI_Send", 1: "MPI_Send"}),
    "wrong_tag": ([0, 1], [], {0: "MPI_Send", 1: "MPI_Recv"}),
}


def found(job, kind, target=None):
    status, said = job.stuck(target)
    assert said["source"] == "recording"
    assert said["verdict"] == kind, said
    assert status == 1
    assert said["not_judged"] == []
    return said


def calls(said):
    return {rank["rank"]: rank["call"] for rank in said["ranks"]}


@pytest.mark.parametrize("kind", HANGS)
def test_a_hang_is_named(begin, kind):
    ranks, missing, called = HANGS[kind]
    said = found(begin(kind), kind)
    assert said["findings"][0]["ranks"] == ranks
    assert said["missing"] == missing
    assert calls(said) == called
    waits = [rank for rank in said["ranks"] if rank["call"]]
    assert all(1.5 < rank["since_s"] < 60 for rank in waits)
    assert {rank["communicator"] for rank in waits} == {"MPI_COMM_WORLD"}
    assert {rank["place"] for rank in waits} <= {"hang", "barrier"}


def test_another_root_is_named(begin):
    """Some libraries let the rank with the right root leave the call."""
    said = found(begin("wrong_root"), "wrong_root")
    assert said["findings"][0]["ranks"] in ([0, 1], [1])
    assert calls(said)[1] == "MPI_Reduce"
    assert said["ranks"][1]["root"] == 1


def test_collectives_in_another_order_are_named(begin):
    said = found(begin("swapped_collectives"), "swapped_collectives")
    assert calls(said)[0] == "MPI_Reduce"
    assert calls(said)[1] in ("MPI_Barrier", "MPI_Allreduce")


def test_a_circle_of_three_sends_is_named(begin):
    said = found(begin("deadlock_cycle", ranks=3), "deadlock_cycle")
    assert said["findings"][0]["ranks"] == [0, 1, 2]
    assert [rank["peer"] for rank in said["ranks"]] == [1, 2, 0]
    assert {rank["tag"] for rank in said["ranks"]} == {5}
    assert {rank["bytes"] for rank in said["ranks"]} == {4 << 20}


def test_a_stopped_rank_is_named(begin):
    job = begin("goes_on")
    job.signal(1, signal.SIGSTOP)
    said = found(job, "stopped")
    assert said["missing"] == [1]
    assert said["findings"][0]["fix"] == f"kill -CONT {job.pids[1]}"


def test_a_dead_rank_under_a_launcher_that_goes_on_is_named(begin):
    job = begin("goes_on")
    job.signal_unnoticed(1, signal.SIGKILL)
    said = found(job, "dead", job.pids[0])
    assert said["missing"] == [1]
    assert calls(said)[0] == "MPI_Barrier"


def test_a_rank_that_exits_early_is_named(begin):
    job = begin("exited_early")
    job.signal_unnoticed(1, signal.SIGUSR2)
    said = found(job, "exited_early", job.pids[0])
    assert said["missing"] == [1]
    assert calls(said)[0] == "MPI_Barrier"


def test_a_job_that_goes_on_is_not_stuck(begin):
    for _ in range(3):
        status, said = begin("goes_on").stuck()
        assert (status, said["verdict"], said["findings"]) == (0, "moves", [])
        assert all(rank["moved"] for rank in said["ranks"])


def test_each_process_of_the_job_leads_to_it(begin):
    job = begin("wrong_tag")
    for target in (job.process.pid, job.pids[0], job.pids[1]):
        assert found(job, "wrong_tag", target)["size"] == 2
