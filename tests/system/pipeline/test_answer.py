"""What `run --json` promises, on simulated ranks whose true times are known."""

import json
import math
import shlex

import pytest
from command import Leadline

PROMISED = {
    "benchmark", "axes", "bytes", "processes", "nodes", "mpi", "launches", "samples", "median_s",
    "ci95_low_s", "ci95_high_s", "p99_s", "max_s", "mean_s", "bandwidth_MBps", "verified",
    "stopped_by", "flags", "metrics",
}  # fmt: skip
BESIDE = {
    "message_rate_per_s", "flops_per_s", "failed_trials", "bound",
    "series", "settings", "processes_per_node", "excluded", "ci95_method", "p90_s", "min_s",
    "oversubscribed", "launch_medians_s", "within_launch_precision", "starts",
    "knobs", "misplaced", "statistic", "shape", "simulated", "point", "series_index",
    "readings", "states",
}  # fmt: skip
DRAWN = ("--latency_us", "100", "--bandwidth_MBps", "50", "--spread", "0.05")


def truth_s(point):
    return point["axes"]["latency_us"] * 1e-6 + point["bytes"] / (
        point["axes"]["bandwidth_MBps"] * 1e6
    )


def numbers(value):
    if isinstance(value, dict):
        return [found for each in value.values() for found in numbers(each)]
    if isinstance(value, list):
        return [found for each in value for found in numbers(each)]
    return [value] if isinstance(value, int | float) else []


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("answer") / "runs"


@pytest.fixture(scope="module")
def answer(environment, runs):
    """One run, of which each test looks at something else."""
    measured = Leadline(runs, environment)
    return measured.fake("transfer", "--bytes", "64K,8,1K", "--launches", "3", *DRAWN)


def test_shape(answer, runs):
    assert set(answer) == {
        "format", "run", "folder", "outcome", "verdict", "points", "sweeps", "findings", "jitter",
        "missing", "impacts", "published", "noise", "clocks", "company", "pairs", "undecided",
        "replayed",
    }  # fmt: skip
    assert answer["format"] == 1
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert answer["folder"] == str(runs / answer["run"])
    for point in answer["points"]:
        assert set(point) == PROMISED | BESIDE
        assert all(math.isfinite(number) for number in numbers(point))
    for finding in answer["findings"]:
        assert set(finding) == {
            "kind", "topic", "severity", "text", "evidence", "advice", "command", "gain", "points",
            "effect",
        }  # fmt: skip
        assert all(isinstance(number, float) for number in finding["evidence"].values())


def test_points_come_as_they_were_asked_for(answer):
    assert [point["axes"]["bytes"] for point in answer["points"]] == [65536, 8, 1024]
    assert [point["bytes"] for point in answer["points"]] == [65536, 8, 1024]
    for point in answer["points"]:
        assert (point["processes"], point["nodes"], point["mpi"]) == (2, 1, "fake")
        assert (point["launches"], len(point["launch_medians_s"])) == (3, 3)
        assert point["verified"] and point["stopped_by"] == "precision"
        assert 150 <= point["samples"] <= 1200


def test_figures_are_the_truth(answer):
    for point in answer["points"]:
        assert point["ci95_low_s"] <= truth_s(point) <= point["ci95_high_s"]
        assert point["median_s"] == pytest.approx(truth_s(point), rel=0.01)
        assert point["bandwidth_MBps"] == pytest.approx(point["bytes"] / point["median_s"] / 1e6)
        # Fewer samples than a quantile's interval takes give none.
        known = [point[name] for name in ("p90_s", "p99_s") if point[name] is not None]
        assert known
        rising = [point["min_s"], point["median_s"], *known]
        assert rising == sorted(set(rising)) and rising[-1] <= point["max_s"]


def test_a_sweep_over_sizes_finds_latency_and_rate(leadline):
    answer = leadline.fake("transfer", "--bytes", "8:512K:x4", *DRAWN)
    (sweep,) = answer["sweeps"]
    assert sweep["latency_s"] == answer["points"][0]["median_s"]
    assert sweep["asymptotic_MBps"] == pytest.approx(50, rel=0.02)
    assert sweep["half_size_bytes"] == pytest.approx(100e-6 * 50e6, rel=0.1)


def test_launches_that_differ_widen_the_interval(leadline):
    alike = leadline.fake("transfer", "--bytes", "8", "--launches", "7", *DRAWN)["points"][0]
    differing = leadline.fake(
        "transfer", "--bytes", "8", "--launches", "7", "--launch_spread", "0.2", *DRAWN
    )["points"][0]
    widths = [point["ci95_high_s"] / point["ci95_low_s"] for point in (alike, differing)]
    assert widths[0] < 1.03 and widths[1] > 1.15
    assert differing["ci95_low_s"] <= truth_s(differing) <= differing["ci95_high_s"]
    assert differing["ci95_method"] == "order statistics over 7 launches"


def test_a_constant_time_is_given_back(leadline):
    point = leadline.fake("transfer", "--bytes", "8", "--distribution", "constant", *DRAWN)[
        "points"
    ][0]
    assert point["median_s"] == pytest.approx(truth_s(point), rel=1e-3)
    assert point["max_s"] == pytest.approx(point["min_s"], rel=1e-3)


def test_the_same_seed_gives_the_same_figures(leadline, answer):
    again = leadline.fake("transfer", "--bytes", "64K,8,1K", "--launches", "3", *DRAWN)
    assert again["points"] == answer["points"]
    assert again["run"] != answer["run"]


def test_every_axis_and_setting_is_an_option(leadline):
    described = leadline.json("run", "--list", "--build", "--mpi", "fake")
    for benchmark in described["benchmarks"]:
        told = leadline("run", benchmark["name"], "--mpi", "fake", "--help").stdout
        options = {word for word in told.split() if word.startswith("--")}
        assert {f"--{axis['name']}" for axis in benchmark["axes"]} <= options
        assert {"--start", "--cache"} <= options


def test_lists_of_several_axes_are_multiplied(leadline):
    answer = leadline.fake(
        "transfer", "--bytes", "8,16", "--spread", "0.01,0.02", "--cache", "warm,cold"
    )
    found = [(p["bytes"], p["axes"]["spread"], p["settings"]["cache"]) for p in answer["points"]]
    assert found == [(b, s, c) for b in (8, 16) for s in (0.01, 0.02) for c in ("warm", "cold")]


def test_a_collective_takes_what_its_slowest_rank_takes(leadline):
    words = ("--bytes", "8", "--place", "1x4", *DRAWN, "--fault", "slow_rank", "--fault_after", "0")
    point = leadline.fake("collective", *words)["points"][0]
    assert point["processes"] == 4
    assert point["median_s"] == pytest.approx(10 * truth_s(point), rel=0.02)
    rows = json.loads(
        leadline.in_runs(
            "runs", "query",
            "SELECT rank, median(seconds) AS s FROM samples GROUP BY rank ORDER BY rank",
            "--format", "json",
        ).stdout
    )  # fmt: skip
    assert [row["rank"] for row in rows] == [0, 1, 2, 3]
    assert rows[3]["s"] > 5 * rows[0]["s"]


def test_dry_run_prints_what_is_executed_and_does_nothing(leadline):
    words = ("run", "fake/transfer", "--mpi", "fake", "--bytes", "8", "--launches", "2")
    result = leadline.in_runs(*words, "--dry-run")
    assert result.returncode == 0, result.stderr
    assert not leadline.runs.exists()
    answer = leadline.measure(*words[1:])
    run = leadline.stored(answer["run"])
    executed = [shlex.join(launch["argv"]) for launch in run["launches"]]
    assert [line.replace("/RUN/", f"/{answer['run']}/") for line in result.stdout.splitlines()] == (
        executed
    )
