"""Non-blocking collectives that leadline carries out on one node."""

import json

import pytest


def succeeds(run):
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "ok\n"
    assert run.stderr == ""


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("scenario", ["results", "orders"])
def test_leadline_carries_them_out_in_any_order(start, scenario, ranks):
    succeeds(start(f"nonblocking {scenario}", ranks, LEFT="0"))


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("scenario", ["progress", "large"])
def test_ranks_need_nobody_to_be_in_a_call(start, scenario, ranks):
    succeeds(start(f"nonblocking {scenario}", ranks, LEFT="0"))


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_communicators_may_be_freed_before(start, ranks):
    succeeds(start("nonblocking lives", ranks))


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_complete_what_another_has_started(start, ranks):
    succeeds(start("nonblocking threads", ranks))


# More are outstanding than there are places: all ranks leave the same ones.
@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("scenario", ["late", "left"])
def test_all_ranks_leave_the_same_ones_to_the_library(start, scenario, ranks):
    succeeds(start(f"nonblocking {scenario}", ranks, LEFT="1"))


def test_without_a_profile_all_are_the_librarys(start):
    succeeds(start("nonblocking results", 2, LEADLINE_PROFILE="", LEADLINE_LEARN="0", LEFT="1"))


def test_the_report_counts_them(start, tmp_path):
    file = tmp_path / "report.json"
    succeeds(start("nonblocking left", 2, LEADLINE_REPORT=str(file)))
    rows = [row for row in json.loads(file.read_text())["calls"] if row["function"] == "iallreduce"]
    counted = {}
    for row in rows:
        key = (row["algorithm"], row["reason"])
        counted[key] = counted.get(key, 0) + row["calls"]
    # Each turn starts one that is too long and one with an operation of the program, and every
    # third of the other 80 is an allreduce.
    assert counted == {
        ("shared", None): 2 * 27,
        (None, "too much data"): 2 * 40,
        (None, "operation or datatype"): 2 * 40,
    }
