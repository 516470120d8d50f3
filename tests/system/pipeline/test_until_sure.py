"""Launches beyond the plan: of what is open, within a budget, and ended by Ctrl-C as any other."""

import json
import signal
import time

RUN = ("transfer", "--bytes", "8,64", "--launches", "2")


def test_without_anything_open_nothing_more_is_launched(leadline):
    answer = leadline.fake(*RUN, "--until-sure", "60s", "--interval", "900%")
    assert {point["launches"] for point in answer["points"]} == {2}
    assert answer["undecided"] == []


def test_intervals_too_wide_are_measured_on_and_the_rest_is_named(leadline):
    answer = leadline.fake(*RUN, "--until-sure", "15s", "--interval", "1%")
    assert answer["outcome"]["state"] == "complete"
    settled = all(
        point["ci95_high_s"] - point["ci95_low_s"] <= 0.02 * point["median_s"]
        for point in answer["points"]
    )
    assert max(point["launches"] for point in answer["points"]) > 2 or settled
    assert settled == (answer["undecided"] == [])
    run = leadline.stored(answer["run"])
    assert run["looks"][0] == 2 and run["looks"] == sorted(set(run["looks"]))


def test_what_the_budget_cannot_reach_is_not_begun(leadline):
    answer = leadline.fake(*RUN, "--until-sure", "1s", "--interval", "0.0001%")
    assert {point["launches"] for point in answer["points"]} == {2}
    assert len(answer["undecided"]) == 2
    assert all("more than the budget allows" in line for line in answer["undecided"])


def test_an_interrupt_keeps_all_that_was_measured(leadline, begun):
    run = begun(
        "fake/transfer", "--mpi", "fake", "--bytes", "8", "--launches", "2", "--until-sure", "9d",
        "--interval", "0.2%", "--minimum", "50", "--maximum", "400", "--seed", "1",
    )  # fmt: skip
    while not list(leadline.runs.glob("*/launches/002")):
        time.sleep(0.05)
    run.process.send_signal(signal.SIGINT)
    status, output, errors = run.end()
    assert "Traceback" not in errors
    assert status == 130, errors
    answer = json.loads(output)
    assert answer["outcome"]["state"] == "interrupted"
    assert answer["points"][0]["launches"] >= 2


def test_what_cannot_be_done_is_refused(leadline):
    assert "--launches 2" in leadline.refused(
        "run", "fake/transfer", "--mpi", "fake", "--launches", "1", "--until-sure", "1m"
    )
    assert "--until-sure" in leadline.refused(
        "run", "fake/transfer", "--mpi", "fake", "--interval", "5%"
    )
    assert "no duration" in leadline.refused(
        "run", "fake/transfer", "--mpi", "fake", "--until-sure", "soon"
    )


def test_launches_that_do_not_fit_into_the_budget_are_left_out_and_the_run_is_good(leadline):
    answer = leadline.fake("transfer", "--bytes", "8,64", "--launches", "900", "--budget", "1")
    assert answer["outcome"]["state"] == "complete"
    assert (
        "of 900 launches fitted into the budget of 1 s: --budget " in answer["outcome"]["message"]
    )
    assert answer["missing"] == [] and not [
        each for each in answer["findings"] if each["kind"] == "incomplete"
    ]
