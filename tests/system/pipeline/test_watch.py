"""`leadline watch` from the plan to the exit status, with the fake probe."""

import json
from pathlib import Path

import pytest

PLAN = """
launches = 5
mpi = ["fake"]
[stopping]
minimum = 50
maximum = 100
[[entries]]
benchmarks = ["fake/transfer"]
axes = {{ bytes = [8, 4096], latency_us = "{latency}" }}
"""


@pytest.fixture
def plan(tmp_path: Path):
    def write(latency: int) -> Path:
        path = tmp_path / f"nightly-{latency}.toml"
        path.write_text(PLAN.format(latency=latency))
        return path

    return write


def asked_for(runs: Path, before: int, after: int) -> None:
    """Make the runs that were asked for one latency look as if it had been the other."""
    for path in runs.glob("*/run.json"):
        run = json.loads(path.read_text())
        axes = run["plan"]["entries"][0]["axes"]
        assert axes["latency_us"] == str(before)
        axes["latency_us"] = str(after)
        path.write_text(json.dumps(run))


def test_history_begins_goes_on_and_notices_a_slow_down(leadline, plan):
    first = leadline.in_runs("watch", plan(100))
    assert first.returncode == 0, first.stderr
    assert "history begins" in first.stdout
    (row,) = json.loads(leadline.in_runs("runs", "--json").stdout)["runs"]
    assert row["trust"] in ("good", "fair", "poor"), "nobody has shown it"
    second = leadline.in_runs("watch", plan(100), "--fail-if", "changed")
    assert second.returncode == 0, second.stderr
    assert "2 the same within 5 %" in second.stdout.replace("\n", " ")

    asked_for(leadline.runs, 100, 120)
    third = leadline.in_runs("watch", plan(120), "--fail-if", "slower:10%", "--json")
    assert third.returncode == 1
    assert "leadline: fails for slower:10%: fake/transfer at 8 B" in third.stderr
    found = json.loads(third.stdout)
    assert len(found["past"]) == 2
    assert {each["verdict"] for each in found["comparison"]["figures"]} == {"slower"}
    assert [turn["run"] for turn in found["turns"]] == ["", ""]

    again = leadline.in_runs("watch", plan(120), "--no-run")
    assert again.returncode == 0
    assert len(list(leadline.runs.iterdir())) == 3
    assert "turned with this run" in again.stdout


def test_what_cannot_be_watched_is_said_in_one_line(leadline, plan):
    assert "leave out --no-run" in leadline.refused(
        "watch", plan(100), "--no-run", "--runs", leadline.runs
    )
    assert "write 90s, 30m" in leadline.refused("watch", plan(100), "--every", "soon")
    assert "give one of the two" in leadline.refused(
        "watch", plan(100), "--every", "1h", "--no-run"
    )
    assert "no percentage" in leadline.refused("watch", plan(100), "--same-within", "x")
    assert "cannot be read" in leadline.refused("watch", "nothing.toml")
