"""Each injected fault, as the one who measures learns of it."""

import json

import pytest

# A fault strikes from this call on; warm-up and verification take a few.
SLOW = ("--latency_us", "100", "--fault_after", "200")


def finding(answer, kind):
    """Return the findings of a kind, of which there has to be one."""
    (found,) = [each for each in answer["findings"] if each["kind"] == kind]
    return found


def before_the_fault(folder, launch, fault):
    """Return the points of a launch's plan that come before the first faulty one."""
    found = []
    for line in (folder / "launches" / f"{launch:03d}" / "plan.txt").read_text().splitlines():
        words = line.split()
        if words[0] == "point":
            if f"fault={fault}" in words:
                return found
            found.append(int(words[1]))
    raise AssertionError(f"the plan has no point with fault={fault}")


def finished(folder):
    run = json.loads((folder / "run.json").read_text())
    return {
        launch["launch"]: [point["point"] for point in launch["points"]]
        for launch in run["launches"]
    }


def prove_kept(leadline, answer, fault):
    """Prove that exactly the points before the fault are there, with their samples."""
    folder = leadline.runs / answer["run"]
    kept = finished(folder)
    assert kept == {launch: before_the_fault(folder, launch, fault) for launch in kept}
    assert any(kept.values()), "the seed puts the fault first: choose another"
    sql = f"SELECT DISTINCT launch, point FROM samples WHERE run = '{answer['run']}'"
    rows = leadline.rows(sql)
    assert {(row["launch"], row["point"]) for row in rows} == {
        (launch, point) for launch, points in kept.items() for point in points
    }
    assert {point["axes"]["fault"] for point in answer["points"]} == {"none"}


def test_preemption_is_flagged_and_found(leadline):
    words = ("--fault", "preempted", "--precision", "1e-4")
    answer = leadline.fake("transfer", "--bytes", "8", *words)
    (point,) = answer["points"]
    assert point["flags"]["preempted"] > 0
    assert point["median_s"] == pytest.approx(1e-6, rel=0.02)
    assert point["max_s"] > 1e-5
    notice = finding(answer, "disturbed")
    assert notice["severity"] == "notice" and "took a core" in notice["text"]
    assert notice["evidence"]["preempted_repetitions"] == point["flags"]["preempted"]


def test_undisturbed_ranks_are_not_called_disturbed(leadline):
    answer = leadline.fake("transfer", "--bytes", "8")
    assert answer["points"][0]["flags"] == {}
    assert "disturbed" not in {each["kind"] for each in answer["findings"]}


def test_a_step_in_the_middle_is_in_the_samples(leadline):
    words = ("--fault", "step", "--precision", "1e-4", "--launches", "1")
    answer = leadline.fake("transfer", "--bytes", "8", *words, *SLOW)
    sql = (
        "SELECT repetition > 200 AS late, median(seconds) AS s FROM samples "
        "WHERE repetition NOT BETWEEN 150 AND 200 GROUP BY late ORDER BY late"
    )
    rows = leadline.rows(sql)
    assert [row["late"] for row in rows] == [False, True]
    # Only the timing rank's half of the round trip is drawn, so the step is the whole of it.
    assert rows[1]["s"] / rows[0]["s"] == pytest.approx(1.5, rel=0.02)
    told = finding(answer, "level_change")["evidence"]
    assert told["factor"] == pytest.approx(1.5, rel=0.02)
    assert told["repetition"] == pytest.approx(200, abs=60)


@pytest.mark.parametrize("after", [0, 200])
def test_wrong_data_fails_the_run_and_is_no_figure(leadline, after):
    words = ("--bytes", "8", "--fault", "none,wrong_data", "--fault_after", after, "--launches", 3)
    answer = leadline.fake("transfer", *words, status=1)
    (figure,) = answer["points"]
    assert figure["axes"]["fault"] == "none" and figure["verified"]
    problem = finding(answer, "wrong_data")
    assert problem["severity"] == "problem"
    assert problem["evidence"]["launches"] == 3 and problem["evidence"]["points"] == 1
    assert problem["evidence"]["wrong_bytes"] > 0
    run = leadline.stored(answer["run"])
    for launch in run["launches"]:
        by_fault = {run["points"][p["point"]]["axes"]["fault"]: p for p in launch["points"]}
        assert by_fault["none"]["verified"] and not by_fault["wrong_data"]["verified"]
        assert by_fault["wrong_data"]["stopped_by"] == "wrong data"


def test_what_took_the_core_of_slow_calls_is_named(leadline):
    words = ("--fault", "preempted", "--fault_after", "50", "--precision", "1e-4")
    answer = leadline.fake("collective", "--bytes", "8", "--place", "1x3", *words)
    (jitter,) = answer["jitter"]
    assert (jitter["tasks"], jitter["point"]) == (3, 0)
    assert list(jitter["causes"]) == ["preempted"] and jitter["excess_fraction"] > 0.5
    assert {rank["rank"] for rank in jitter["ranks"]} == {0, 1, 2}
    notice = finding(answer, "jitter_cause")
    assert notice["evidence"]["preempted_fraction"] == 1.0
    assert "another process took the core (100 %)" in notice["text"]


def test_an_error_is_told_in_the_probes_words(leadline):
    words = ("--bytes", "8,16,32", "--fault", "none,error", "--launches", "2")
    answer = leadline.fake("transfer", *words, status=1)
    assert answer["outcome"]["state"] == "incomplete"
    assert (
        "the simulated operation failed as it was told to, on rank 1 at fake/transfer"
        in (answer["outcome"]["message"])
    )
    assert finding(answer, "incomplete")["severity"] == "problem"
    prove_kept(leadline, answer, "error")


def test_a_killed_rank_costs_one_point(leadline):
    words = ("--bytes", "8,16,32", "--fault", "none,killed", "--launches", "2")
    answer = leadline.fake("transfer", *words, status=1)
    assert answer["outcome"]["state"] == "incomplete"
    assert "SIGKILL" in answer["outcome"]["message"]
    assert "; it was at fake/transfer bytes=" in answer["outcome"]["message"]
    prove_kept(leadline, answer, "killed")


def test_nothing_finished_is_said_so(leadline):
    answer = leadline.fake("transfer", "--bytes", "8", "--fault", "killed", status=1)
    assert answer["outcome"]["state"] == "failed"
    assert (answer["points"], answer["sweeps"]) == ([], [])


def test_a_launch_that_fails_twice_is_not_tried_again(leadline):
    words = ("--bytes", "8", "--fault", "error", "--launches", "5")
    answer = leadline.fake("transfer", *words, status=1)
    assert len(finished(leadline.runs / answer["run"])) == 2
    assert "2 of 2 launches failed" in answer["outcome"]["message"]


def test_a_run_without_any_figure_says_why_once(leadline):
    words = ("fake/transfer", "--mpi", "fake", "--bytes", "8", "--fault", "error")
    result = leadline.in_runs("run", *words, "--launches", "3")
    assert (result.returncode, result.stdout) == (1, "")
    message = shown_message(leadline)
    said = message.partition(": ")[2]
    assert f"nothing was measured: {message}" in result.stderr
    assert "; launch 1 (fake): " in message
    assert result.stderr.count(said) == 1 and "launch 0" not in result.stderr


def shown_message(leadline):
    return leadline.json("show", "last", "--runs", leadline.runs)["outcome"]["message"]


def test_a_hanging_rank_is_ended_by_the_time_limit(leadline, begun):
    started = begun(
        "fake/transfer", "--mpi", "fake", "--bytes", "8,16,32", "--fault", "none,hang",
        "--launches", "2", "--seed", "1", "--time-limit", "3",
    )  # fmt: skip
    status, output, _ = started.end()
    answer = json.loads(output)
    assert (status, answer["outcome"]["state"]) == (1, "timed out")
    assert "the time limit of" in answer["outcome"]["message"]
    assert "every finished point is kept" in answer["outcome"]["message"]
    assert started.processes() == set()
    prove_kept(leadline, answer, "hang")
