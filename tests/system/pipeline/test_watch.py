"""`leadline watch` from the plan to the exit status, with the fake probe."""

import json
import os
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
    assert "first run of this plan here" in first.stdout
    (row,) = leadline.json("runs", "--runs", leadline.runs)["runs"]
    assert row["trust"] in ("good", "fair", "poor"), "nobody has shown it"
    assert first.stdout.endswith(f"leadline show {row['run']}\n")
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
    assert "add --confirm" in leadline.refused("watch", plan(100), "--budget", "1m")
    assert "leave out PLAN" in leadline.refused("watch", plan(100), "--import", "osu-*.txt")
    assert "no file is called" in leadline.refused("watch", "--import", "nothing-*.txt")
    assert "needs a plan" in leadline.refused("watch")
    assert "one of the two" in leadline.refused("watch", plan(100), "--summary", "--json")


def test_a_slow_down_is_measured_again_and_confirmed(leadline, plan):
    for _ in range(3):
        assert leadline.in_runs("watch", plan(100), "--summary").returncode == 0
    asked_for(leadline.runs, 100, 130)
    slow = leadline.in_runs("watch", plan(130), "--confirm", "--budget", "60s", "--json")
    assert slow.returncode == 1, slow.stderr
    night = json.loads(slow.stdout)["night"]
    assert night["summary"].split(": ")[1].startswith("SLOWER, confirmed")
    assert {each["said"] for each in night["figures"]} == {"slower"}
    assert all(each["fresh_launches"] >= 3 for each in night["figures"])
    again = json.loads((leadline.runs / night["measured_again"] / "run.json").read_text())
    assert again["confirms"] == json.loads(slow.stdout)["run"]
    shown = leadline.in_runs("watch", plan(130), "--no-run", "--confirm")
    assert shown.returncode == 1, "what was confirmed stays so"
    assert "confirmed" in shown.stdout.splitlines()[1]
    assert len(list(leadline.runs.iterdir())) == 5


def test_outputs_of_other_programs_are_nights(leadline, tmp_path):
    def night(day: int, factor: float) -> None:
        rows = "".join(f"{size:<10}{factor * (1 + day % 3 / 50):>12.2f}\n" for size in (1, 8, 64))
        text = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n" + rows
        path = tmp_path / f"osu-{day}.txt"
        path.write_text(text)
        os.utime(path, (1_700_000_000 + 86_400 * day,) * 2)

    for day in range(6):
        night(day, 10.0)
    pattern = tmp_path / "osu-*.txt"
    quiet = leadline.in_runs("watch", "--import", pattern, "--summary")
    assert quiet.returncode == 0, quiet.stderr
    assert "nothing is slower" in quiet.stdout
    assert "cannot be measured again" in quiet.stderr
    night(6, 13.0)
    first = leadline.in_runs("watch", "--import", pattern, "--summary")
    assert first.returncode == 0
    assert "the next night tells" in first.stdout
    night(7, 13.0)
    second = leadline.in_runs("watch", "--import", pattern, "--summary")
    assert second.returncode == 1
    assert "SLOWER" in second.stdout
