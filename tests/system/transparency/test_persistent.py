"""Persistent collectives: a request of the library's that leadline starts and completes.

MPICH 4.0.2's own ones fail "left" and "disagree" without leadline, too: wrong data from the second
start on. Up to 5.0.2 they fail or hang in other ways to complete them than MPI_Wait, which is what
the program then uses with MPICH.
"""

import json

import pytest


def succeeds(run):
    assert run.returncode == 0, run.stdout + run.stderr
    if run.stdout == "none\n":
        pytest.skip("the library has no persistent collectives")
    assert run.stdout == "ok\n"
    assert run.stderr == ""


# Rank 0 may need a message from a rank that waits: with more ranks, others wait as well.
@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("scenario", ["results", "progress", "arrays", "lives", "large"])
def test_leadline_carries_them_out_as_mpi_says(start, scenario, ranks):
    succeeds(start(f"persistent {scenario}", ranks, LEFT="0"))


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_with_requests_of_their_own(start, ranks):
    succeeds(start("persistent threads", ranks, LEFT="0"))


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("scenario", ["left", "disagree"])
def test_where_one_rank_cannot_all_leave_it_to_the_library(start, scenario, ranks):
    succeeds(start(f"persistent {scenario}", ranks, LEFT="1"))


def test_without_a_profile_all_are_the_librarys(start):
    succeeds(start("persistent left", 2, LEADLINE_PROFILE="", LEFT="1"))


def calls(start, scenario, tmp_path, **settings):
    file = tmp_path / "report.json"
    succeeds(start(f"persistent {scenario}", 2, LEADLINE_REPORT=str(file), **settings))
    return json.loads(file.read_text())["calls"]


def test_the_report_counts_each_start(start, tmp_path):
    rows = [row for row in calls(start, "disagree", tmp_path) if row["function"].endswith("_init")]
    assert {(row["function"], row["algorithm"], row["reason"]) for row in rows} == {
        ("allgather_init", None, "datatype"),
        ("allgather_init", None, "not on all ranks"),
        ("allreduce_init", "shared", None),
    }
    by_name = {name: sum(row["calls"] for row in rows if row["function"] == name) for name in
               ("allgather_init", "allreduce_init")}  # fmt: skip
    assert by_name == {"allgather_init": 2 * 8, "allreduce_init": 2 * 1}
    assert all(row["seconds"] > 0 for row in rows)


def test_the_report_says_why_the_library_carries_them_out(start, tmp_path):
    rows = calls(start, "left", tmp_path)
    left = {row["reason"]: row["calls"] for row in rows if row["function"] == "allreduce_init"}
    assert left == {"too much data": 2 * 24, "operation or datatype": 2 * 4}
