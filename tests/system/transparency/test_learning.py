"""Programs that learn which algorithms are faster while they run, and start from it next time."""

import json
import tomllib

import pytest
from programs import rule, write_profile


def report_of(start, file, ranks=2, calls=3000, **variables):
    """Run the program that learns, without a profile; return the calls of its report."""
    settings = {"LEADLINE_PROFILE": "", "LEADLINE_REPORT": str(file), **variables}
    run = start(f"learning {calls}", ranks, **settings)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "0 wrong\n" and run.stderr == ""
    return json.loads(file.read_text())["calls"]


def reasons(calls):
    return {each["reason"] for each in calls if each["algorithm"] is None}


def test_what_is_learnt_is_stored_and_is_where_the_next_run_begins(start, tmp_path):
    folder = tmp_path / "learnt"
    # A busy machine may use up what trials may cost before they say anything.
    for calls in (3000, 10000, 30000):
        first = report_of(start, tmp_path / "1.json", calls=calls, LEADLINE_LEARN=str(folder))
        if folder.is_dir():
            break
    assert {"learning", "new communicator"} <= reasons(first)
    assert any(each["algorithm"] == "shared (learning)" for each in first)
    [file] = folder.iterdir()
    stored = tomllib.loads(file.read_text())
    assert stored["format"] == 1
    for each in stored["rule"]:
        assert each["algorithm"] in ("shared", "library")
        assert (each["nodes"], each["processes"]) == (1, 2)
    again = report_of(
        start, tmp_path / "2.json", LEADLINE_LEARN=str(folder), LEADLINE_LEARNT=str(file)
    )
    # MPI_COMM_WORLD is adopted at once, since something is known of it.
    assert reasons(again) - {"new communicator"} <= {
        "learning",
        "the library is faster",
        "the library is faster (learnt)",
    }
    begun = {each["function"] for each in again if each["algorithm"] == "shared"}
    kept = {each["collective"] for each in stored["rule"] if each["algorithm"] == "shared"}
    assert begun == kept


def test_three_ranks_learn_with_right_answers(start, tmp_path):
    calls = report_of(start, tmp_path / "report.json", 3, LEADLINE_LEARN="1")
    assert "learning" in reasons(calls)


def test_nothing_is_learnt_where_it_is_switched_off(start, tmp_path):
    assert reasons(report_of(start, tmp_path / "report.json", LEADLINE_LEARN="0")) == {"no profile"}


def test_a_profile_says_what_is_tried_first_and_nothing_of_other_collectives(start, tmp_path):
    """Its rule is proved here before it is used, then held against what is tried without one."""
    version = tomllib.loads(start.profile.read_text())["library"]
    named = write_profile(
        tmp_path / "named.toml", start.library, version, rule("bcast", "binomial", processes=2)
    )
    calls = report_of(
        start, tmp_path / "report.json", calls=20000, LEADLINE_LEARN="1",
        LEADLINE_PROFILE=str(named),
    )  # fmt: skip

    def algorithms(function):
        return {each["algorithm"] for each in calls if each["function"] == function}

    assert {"binomial (learning)", "shared (learning)"} <= algorithms("bcast")
    assert "binomial" not in algorithms("bcast")
    assert "shared (learning)" in algorithms("allreduce")
    assert "no rule for its size" not in reasons(calls)


def test_what_is_learnt_elsewhere_is_not_taken(start, tmp_path):
    file = tmp_path / "other.toml"
    file.write_text('format = 1\nmachine = "other"\nlibrary = "MPI 0"\n')
    calls = report_of(
        start, tmp_path / "report.json", LEADLINE_LEARN="1", LEADLINE_LEARNT=str(file)
    )
    assert "learning" in reasons(calls)


@pytest.mark.parametrize(
    "scenario", ["possessions", "messages", "threads", "groups", "communicators", "unfinished"]
)
def test_programs_that_learn_behave_as_without_leadline(start, scenario):
    run = start(f"scenarios {scenario}", 2, LEADLINE_PROFILE="", LEADLINE_LEARN="1")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("ok\n") == 1
    assert run.stderr == ""


@pytest.mark.parametrize("rank", [0, 1])
def test_ranks_that_learn_beside_others_that_do_not_take_the_library(start, rank):
    run = start("learning 200", 2, LEADLINE_PROFILE="", only=(rank, {"LEADLINE_LEARN": "1"}))
    assert run.returncode == 0 and run.stdout == "0 wrong\n"
    assert run.stderr.count("\n") == 1 and "not the same on all ranks" in run.stderr
