"""The whole way with real ranks: every benchmark, and every way in which a run can be killed."""

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from real_ranks import REAL_RANKS

from leadline.measure.launch.slots import available_cores

pytestmark = REAL_RANKS
BRIEF = ("--seconds", "0.05", "--maximum", "500", "--launches", "2")
# Twenty points of a second each, so that there is a middle to strike in, and nothing ends alone.
LONG = (
    "mpi/pingpong", "--bytes", "8:160:8", "--launches", "1",
    "--seconds", "1", "--minimum", "100000000", "--maximum", "100000000",
)  # fmt: skip
PLAN = """
launches = 2
[stopping]
seconds = 0.05
maximum = 500
[[entries]]
benchmarks = ["mpi/pingpong"]
axes = { bytes = "0,8,64K" }
[[entries]]
benchmarks = ["mpi/barrier"]
axes = { algorithm = "BARRIER" }
[[entries]]
benchmarks = ["mpi/allreduce"]
axes = { bytes = "8,64K", algorithm = "ALLREDUCE" }
[[entries]]
benchmarks = ["rma/put"]
axes = { bytes = "8,64K", synchronisation = "SYNCHRONISATION" }
"""


@pytest.fixture
def measuring(begun, mpi):
    """Give a run that has finished a point and measures another."""
    started = begun(*LONG, "--mpi", mpi)
    started.wait_for(lambda: started.events("point"))
    return started


def test_every_benchmark_on_every_algorithm(leadline, mpi, tmp_path):
    listed = {
        "BARRIER": leadline.choices(mpi, "mpi/barrier", "algorithm"),
        "ALLREDUCE": leadline.choices(mpi, "mpi/allreduce", "algorithm"),
        "SYNCHRONISATION": leadline.choices(mpi, "rma/put", "synchronisation"),
    }
    text = PLAN
    for word, values in listed.items():
        text = text.replace(word, ",".join(values))
    (tmp_path / "all.toml").write_text(text)
    answer = leadline.measure(tmp_path / "all.toml", "--mpi", mpi)
    assert answer["outcome"] == {"state": "complete", "message": ""}
    counts = {"mpi/pingpong": 3, "mpi/barrier": len(listed["BARRIER"])}
    counts["mpi/allreduce"] = 2 * len(listed["ALLREDUCE"])
    counts["rma/put"] = 2 * len(listed["SYNCHRONISATION"])
    # The target of a put stops a clock too, where the synchronisation tells it of the put.
    firsts = [each["benchmark"] for each in answer["points"] if each["series"] != "target"]
    assert {name: firsts.count(name) for name in counts} == counts
    assert len(firsts) < len(answer["points"])
    for point in answer["points"]:
        assert point["verified"] and point["mpi"] == mpi
        assert (point["processes"], point["nodes"]) == (2, 1)
        # What met a slow spell is launched again, at most as often as was planned.
        assert 2 <= point["launches"] <= 4
        none = "none: 2 launches" if point["launches"] == 2 and not point["states"] else "none: "
        low, high = point["ci95_low_s"], point["ci95_high_s"]
        # Few launches of which one was disturbed give none, and say so.
        assert 0 < (low or point["median_s"]) <= point["median_s"] <= (high or 0.5) < 1
        assert (low is None) == (high is None) == point["ci95_method"].startswith(none)
        assert not point["oversubscribed"]
    run = leadline.stored()
    measured = Counter(point["point"] for launch in run["launches"] for point in launch["points"])
    assert [each["launches"] for each in answer["points"]] == [
        measured[each["point"]] for each in answer["points"]
    ]
    for launch in run["launches"]:
        assert launch["library"] and launch["clock"]["resolution_s"] > 0
        cpus = [rank["cpus"] for rank in launch["ranks"]]
        assert len(cpus) == len(set(cpus)) == 2


def prove_kept(leadline, started):
    """Prove that no process is left and that each finished point has its figure."""
    started.wait_until_gone()
    answer = leadline.json("show", "last", "--runs", leadline.runs)
    finished = {
        json.loads(line)["point"]
        for path in started.folder.glob("launches/*/events.jsonl")
        for line in path.read_text().splitlines()
        if '"point"' in line and json.loads(line)["event"] == "point"
    }
    assert finished
    assert len(answer["points"]) == len(finished)
    assert all(point["verified"] and point["samples"] > 0 for point in answer["points"])
    return answer


def test_killed_rank(leadline, measuring):
    os.kill(measuring.events("rank")[1]["pid"], signal.SIGKILL)
    status, output, errors = measuring.end()
    assert (status, "Traceback" in errors) == (1, False)
    assert measuring.processes() == set()
    answer = prove_kept(leadline, measuring)
    assert answer == json.loads(output)
    assert answer["outcome"]["state"] == "incomplete"
    assert "signal 9" in answer["outcome"]["message"]
    assert "1 of 1 launches failed" in answer["outcome"]["message"]


def test_killed_launcher(leadline, measuring):
    own = measuring.process.pid
    (launcher,) = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    os.kill(int(launcher), signal.SIGKILL)
    status, _, errors = measuring.end()
    assert (status, "Traceback" in errors) == (1, False)
    assert measuring.processes() == set()
    assert "SIGKILL" in prove_kept(leadline, measuring)["outcome"]["message"]


def test_interrupt(leadline, measuring):
    measuring.process.send_signal(signal.SIGINT)
    assert measuring.end()[0] == 130
    assert measuring.processes() == set()
    assert prove_kept(leadline, measuring)["outcome"]["state"] == "interrupted"


def test_killed_leadline(leadline, measuring):
    assert len(measuring.processes()) >= 3
    measuring.process.kill()
    measuring.end()
    # Nobody is there to hurry the launcher, which must not go on to the end of its launch.
    answer = prove_kept(leadline, measuring)
    assert answer["outcome"] == {"state": "incomplete", "message": "leadline itself was killed"}


def test_more_ranks_than_cores_only_when_asked(leadline, mpi):
    place = f"1x{2 * available_cores()}"
    words = ("run", "mpi/barrier", "--mpi", mpi, "--place", place, *BRIEF)
    assert "--oversubscribe" in leadline.refused(*words, "--runs", leadline.runs)
    answer = leadline.measure(*words[1:], "--oversubscribe", "--launches", "1")
    (point,) = answer["points"]
    assert point["oversubscribed"] and point["processes"] == 2 * available_cores()
    assert "oversubscribed" in {finding["kind"] for finding in answer["findings"]}


@pytest.mark.full
def test_shmem_put_by_what_the_receiver_looks_at(leadline):
    there = leadline.json("mpi")["installations"]
    name = next((each["name"] for each in there if each["oshrun"] and each["oshcc"]), None)
    if name is None:
        pytest.skip("no OpenSHMEM here: install openmpi-bin and libopenmpi-dev")
    # Not `last`: it may find wrong data wherever memory is copied out of order.
    words = ("--bytes", "8,80000", "--check", "all,flag", *BRIEF)
    answer = leadline.measure("shmem/put", "--mpi", name, *words)
    assert answer["outcome"]["state"] == "complete"
    found = {(p["bytes"], p["axes"]["check"], p["series"]) for p in answer["points"]}
    assert found == {
        (size, check, series)
        for size in (8, 80000)
        for check in ("all", "flag")
        for series in ("sender", "receiver")
    }
    assert all(point["verified"] for point in answer["points"])
    shown = leadline.in_runs("show", "last", "--as", "newsletter", "--json")
    table = json.loads(shown.stdout)
    assert table["columns"][:4] == ["machine", "run", "role", "words"]
    assert len(table["rows"]) == len(answer["points"])
    for _, _, role, words, ticks, microseconds, rate in table["rows"]:
        assert words in (1, 10000) and microseconds > 0 and (ticks is None or ticks > 0)
        assert (rate is None) == (role == "sender")


def test_the_table_of_the_global_sum(leadline, mpi):
    words = ("--bytes", "8,64K", "--algorithm", "library,recursive_doubling", *BRIEF)
    leadline.measure("mpi/allreduce", "--mpi", mpi, *words)
    shown = leadline.in_runs("show", "last", "--as", "global-sum")
    assert shown.returncode == 0, shown.stderr
    heading, *rows = shown.stdout.partition("\n\n")[2].splitlines()
    assert heading.split()[:3] == ["processes", "nodes", "vector"]
    found = {(row.split()[2], row.split()[6]) for row in rows}
    assert found == {(n, name) for n in ("1", "8192") for name in ("library", "recursive_doubling")}
    refused = leadline.refused("show", "last", "--as", "newsletter", "--runs", leadline.runs)
    assert "has no such figures" in refused
