"""Unmodified programs with every call replaced that can be, against the library's own functions."""

import pytest
from transparency import profile

GOES_ON = "the program goes on without leadline"


def succeeds(run):
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("ranks", range(1, 10))
def test_collectives_give_what_the_library_gives(start, ranks):
    out = succeeds(start(f"collectives {120 // ranks} {ranks}", ranks, REPLACED="1"))
    assert "0 wrong" in out


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_neighbourhood_collectives_give_what_the_library_gives(start, ranks):
    out = succeeds(start(f"neighbours {12 // ranks} {ranks}", ranks, REPLACED="1"))
    assert "0 wrong" in out


def test_neighbourhood_collectives_are_right_while_they_are_learnt(start):
    learning = {"LEADLINE_PROFILE": "", "LEADLINE_PATIENCE": "2", "REPLACED": "some"}
    assert "0 wrong" in succeeds(start("neighbours 10 3", 3, **learning))


def test_the_truth_is_the_librarys(start):
    succeeds(start("collectives 20 1", 2, preload=None, REPLACED="0"))
    succeeds(start("neighbours 5 1", 2, preload=None, REPLACED="0"))


@pytest.mark.parametrize(
    "scenario",
    [
        "possessions",
        "messages",
        "arrivals",
        "absolute",
        "threads",
        "groups",
        "forks",
        "large_types",
        "far_apart",
        "communicators",
        "unfinished",
    ],
)
def test_programs_behave_as_without_leadline(start, scenario):
    run = start(f"scenarios {scenario}", 2)
    assert succeeds(run).count("ok\n") == 1
    assert run.stderr == ""


def test_a_ring_of_fewer_ranks_than_there_are_is_adopted(start):
    run = start("scenarios ring", 3)
    assert succeeds(run).count("ok\n") == 1
    assert run.stderr == ""


@pytest.mark.parametrize("ranks", [2, 3])
def test_large_counts_are_replaced_unless_one_rank_has_any_that_an_int_cannot_hold(start, ranks):
    run = start("scenarios large_counts", ranks, REPLACED="1")
    assert succeeds(run).count("ok\n") == 1
    assert run.stderr == ""


def test_a_forked_child_that_exits_writes_no_report(start, tmp_path):
    run = start("scenarios forks", 2, LEADLINE_REPORT="1")
    assert "ok\n" in succeeds(run)
    assert run.stderr.count("s from the first call;") == 1
    assert "leadline: 2 of 2 ranks, " in run.stderr


def test_sums_that_show_their_order_stay_the_librarys_where_that_is_asked_for(start):
    asked = succeeds(start("scenarios reproducible", 2, LEADLINE_REPRODUCIBLE="1"))
    assert asked.count("20 to the library") == 2  # sums and maxima of doubles, not whole numbers
    assert succeeds(start("scenarios reproducible", 2)).splitlines().count("0 to the library") == 2


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_communicator_on_one_host_is_adopted_in_four_calls_and_the_next_in_three(start, ranks):
    out = succeeds(start("scenarios again", ranks, LEADLINE_PATIENCE="1"))
    calls = {line.split()[0]: int(line.split()[1]) for line in out.splitlines() if " us" in line}
    assert calls == {"world": 4, "first": 4, "again": 3}
    # Not those of the slots, of which a rank has 128 pages and more: they come when data do.
    (pages,) = (int(line.split()[1]) for line in out.splitlines() if line.startswith("pages "))
    assert pages < 400


def test_off_makes_it_vanish(start):
    run = start("collectives 20 1", 2, REPLACED="0", LEADLINE="off")
    assert "0 wrong" in succeeds(run) and run.stderr == ""


def test_what_fails_is_one_line_for_the_whole_job(start):
    alone = start.folder / "libleadline.so"
    alone.write_bytes(start.library.read_bytes())
    missing = start("scenarios forks", 3, preload=alone)
    succeeds(missing)
    assert missing.stderr.count("\n") == 1 and GOES_ON in missing.stderr
    other = profile(start.library, start.folder / "other.toml", "MPI 0")
    refused = start("scenarios forks", 3, LEADLINE_PROFILE=str(other))
    succeeds(refused)
    assert refused.stderr.count("\n") == 1 and "MPI 0" in refused.stderr
