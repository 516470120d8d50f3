"""`leadline screen` with real ranks: several names of this machine play the nodes."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from command import Leadline

from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

NODES = [f"127.0.0.{at}" for at in range(2, 7)]
DEAD = "127.0.0.9"
pytestmark = pytest.mark.mpi

# As ssh is called, but here; dead nodes refuse, as ssh does where it reaches nobody.
REMOTE_SHELL = f"""#!/bin/sh
while [ "$1" = -x ]; do shift; done
case "$1" in {DEAD}*) exit 255 ;; esac
shift
exec /bin/sh -c "$*"
"""


@pytest.fixture(scope="module")
def leadline(tmp_path_factory):
    return Leadline(tmp_path_factory.mktemp("runs"), dict(os.environ))


@pytest.fixture(scope="module")
def remote_shell(tmp_path_factory):
    shell = tmp_path_factory.mktemp("bin") / "here-ssh"
    shell.write_text(REMOTE_SHELL)
    shell.chmod(0o755)
    return shell


@pytest.fixture(scope="module")
def screened(leadline, remote_shell):
    """Give what a screening of five nodes, of which one more is dead, printed, and its run."""
    done = leadline.in_runs(
        "screen", "--hosts", ",".join([*NODES, DEAD]), "--remote-shell", remote_shell,
        "--mpi", "mpich", "--seconds", "0.02", "--bytes", "16K", "--seed", "5", "--json",
        "--prometheus", leadline.runs / "screen.prom", "--html", leadline.runs / "map.html",
    )  # fmt: skip
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    run = json.loads((leadline.runs / found["run"] / "run.json").read_text())
    return done.returncode, found, run


def test_a_dead_node_is_a_suspect_and_the_others_are_screened(screened):
    status, found, run = screened
    assert status == 1
    assert found["nodes"] == NODES
    assert found["is_complete"], found["message"]
    assert run["outcome"]["state"] == "complete"
    dead = [each for each in found["suspects"] if each["name"] == DEAD]
    assert [(each["kind"], each["figure"], each["ratio"]) for each in dead] == [
        ("node", "answer", None)
    ]


def test_where_no_node_answers_all_are_named_and_there_is_no_answer(leadline, remote_shell):
    dead = ",".join(f"{DEAD}{at}" for at in range(4))
    done = leadline.in_runs(
        "screen", "--hosts", dead, "--remote-shell", remote_shell, "--mpi", "mpich"
    )
    assert done.returncode == 2, done.stdout
    said = done.stdout.splitlines()
    assert said[0] == f"node {DEAD}0: does not answer"
    assert "no answer: no node was measured" in said
    assert "nothing" not in done.stdout


def test_all_rounds_are_one_job_with_verified_data(screened):
    _, found, run = screened
    (launch,) = run["launches"]
    assert (launch["nodes"], launch["processes"]) == (5, 5)
    assert all(point["verified"] for point in launch["points"])
    assert [each["rank"] for each in launch["facts"]] == list(range(5))
    online = Path("/sys/devices/system/cpu/online").read_text().strip()
    for each in launch["facts"]:
        assert each["files"]["/sys/devices/system/cpu/online"] == {online: ""}
    # All of them are this machine.
    assert list(found["kinds"].values()) == [NODES]
    assert found["differences"] == []
    rounds = {point["axes"]["round"] for point in run["points"] if "round" in point["axes"]}
    assert rounds == set(range(found["rounds"]))
    assert found["rounds"] > 5
    assert list(found["pair_levels"]) == NODES
    assert all(len(each) == 6 and min(each.values()) > 0 for each in found["pair_levels"].values())


def test_every_round_is_what_its_line_says(screened, leadline):
    _, found, run = screened
    folder = leadline.runs / found["run"]
    lines = (folder / "launches" / "000" / "rounds.txt").read_text().splitlines()
    assert len(lines) == found["rounds"]
    source = StoredSamples(RunFolder(folder))
    for point in run["points"]:
        if "round" in point["axes"]:
            words = lines[point["axes"]["round"]].split()
            pairs = {tuple(map(int, word.split("-"))) for word in words}
            columns = source.columns(point["index"])
            assert set(zip(columns["rank"], columns["peer"], strict=True)) == pairs
            assert len(pairs) == 2


def test_what_was_found_is_kept_and_known_the_next_time(screened, leadline, remote_shell):
    _, found, _ = screened
    kept = json.loads((leadline.runs / found["run"] / "screen.json").read_text())
    assert kept == found
    page = (leadline.runs / "map.html").read_text()
    assert f"run {found['run']}" in page
    assert "Nodes by suspect" in page
    assert "what all pairs of ranks" in page
    assert "leadline_screen_nodes 5.0" in (leadline.runs / "screen.prom").read_text()
    again = leadline.in_runs(
        "screen", "--hosts", ",".join([*NODES, DEAD]), "--remote-shell", remote_shell,
        "--mpi", "mpich", "--node-only", "--seconds", "0.05",
    )  # fmt: skip
    assert again.returncode == 1, again.stderr
    assert f"node {DEAD}: does not answer, known" in again.stdout
    assert "rounds of pairs" not in again.stdout


def test_an_interrupted_screening_judges_what_it_has(tmp_path, remote_shell):
    began = Leadline(tmp_path, dict(os.environ)).started(
        "--hosts", ",".join(NODES), "--remote-shell", remote_shell,
        "--mpi", "mpich", "--bytes", "16K", "--seconds", "0.2", command="screen",
    )  # fmt: skip
    began.wait_for(lambda: len(began.events("point")) > 8)
    began.process.send_signal(signal.SIGINT)
    status, output, errors = began.end()
    assert status == 130, errors
    found = json.loads(output)
    assert not found["is_complete"]
    assert found["message"] == "interrupted by SIGINT; every finished point is kept"
    run = json.loads((tmp_path / found["run"] / "run.json").read_text())
    assert run["launches"][0]["points"]
    began.wait_until_gone()


def test_a_node_alone_is_compared_with_its_past(tmp_path):
    inside = ("SLURM_JOB_NODELIST", "PBS_NODEFILE")
    outside = {name: value for name, value in os.environ.items() if name not in inside}
    alone = Leadline(tmp_path, outside)
    words = ("screen", "--node-only", "--mpi", "mpich", "--seconds", "0.05", "--json")
    first = alone.in_runs(*words)
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    assert (found["past"], found["suspects"], found["is_complete"]) == (0, [], True)
    (name,) = found["nodes"]
    assert set(found["levels"][name]) == {"memory", "copies", "arithmetic", "noise"}
    # A past that was ten times as fast in one figure.
    found["levels"][name]["memory"] /= 10
    for at in range(5):
        folder = alone.runs / f"2020-01-0{at + 1}-screen"
        shutil.copytree(alone.runs / found["run"], folder)
        (folder / "screen.json").write_text(json.dumps(found))
    shutil.rmtree(alone.runs / found["run"])
    again = alone.in_runs(*words)
    assert again.returncode == 1, again.stdout + again.stderr
    slow = json.loads(again.stdout)
    assert (slow["past"], slow["rounds"]) == (5, 0)
    (suspect,) = slow["suspects"]
    assert (suspect["kind"], suspect["name"]) == ("node", name)
    assert suspect["ratios"]["memory"] > 1.5


def test_bad_input_is_one_line(leadline):
    assert "4 nodes" in leadline.refused("screen", "--hosts", "a,b,c", "--remote-shell", "true")
    outside = {"SLURM_JOB_NODELIST": "", "PBS_NODEFILE": ""}
    assert "there are no nodes" in leadline.refused("screen", **outside)
    both = leadline.refused("screen", "--hosts", "a,b", "--node-only", "--all-pairs")
    assert "give one of the two" in both
    assert "--nodes" in leadline.refused("screen", "--batch", "slurm")
    drawn = leadline.refused("screen", "--hosts", "a,b,c,d", "--node-only", "--html", "map.html")
    assert "leave out --node-only" in drawn
    assert "size" in leadline.refused("screen", "--hosts", "a,b,c,d", "--bytes", "many")
