"""Programs that do what few do end as they do without the observer."""

from pathlib import Path

import pytest
from explain_file import read_node
from programs import run

pytestmark = pytest.mark.mpi


def test_communicators_may_be_freed_in_any_order(observed, files):
    for rank in observed.ranks(files, "unusual.c", "frees"):
        assert rank.row("MPI_Comm_free").calls == 2


def test_ranks_of_two_worlds_work_together(observed, files):
    alone = observed.run("", "unusual.c", "spawn")
    if alone.returncode != 0:
        pytest.skip(f"{observed.installation.name} starts no processes here")
    ended = observed.run(files, "unusual.c", "spawn")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("ended") == 3
    (file,) = files.iterdir()
    for rank in read_node(file):
        assert rank.row("MPI_Intercomm_merge").calls == rank.row("MPI_Allreduce").calls == 1


def test_the_type_of_nothing_need_not_be_one(observed, files):
    if observed.run("", "unusual.c", "nothing").returncode != 0:
        pytest.skip(f"{observed.installation.name} does not take it")
    for rank in observed.ranks(files, "unusual.c", "nothing"):
        assert rank.row("MPI_Alltoallw").calls == 1


def test_threads_may_use_a_communicator_first_at_the_same_moment(observed, files):
    program = observed.program(Path(__file__).with_name("unusual.c"))
    # What is freed too early is then not what it was.
    scribble = {**observed.environment(files), "MALLOC_PERTURB_": "165"}
    run(*observed.command(program, "threads"), status=0, environment=scribble)
    (file,) = files.iterdir()
    for rank in read_node(file):
        assert rank.peers[1 - rank.rank][:2] == (1600, 6400)


@pytest.mark.parametrize("when", ["late", "last"])
def test_messages_may_be_awaited_when_the_programs_end_has_begun(
    observed, files, when, monkeypatch
):
    # What is freed too early is then not what it was.
    monkeypatch.setenv("MALLOC_PERTURB_", "165")
    first, second = observed.ranks(files, "unusual.c", when)
    for rank, other in ((first, 1), (second, 0)):
        row = [each for each in rank.rows if each.function == "MPI_Testsome"]
        assert sum(each.bytes for each in row) == 8
        assert rank.peers[other][:2] == (2, 8)


def test_requests_that_are_not_there_are_the_librarys_to_refuse(observed, files):
    for rank in observed.ranks(files, "unusual.c", "missing"):
        assert rank.row("MPI_Wait").calls == 1
