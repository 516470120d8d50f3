"""Two-sided benchmarks with real ranks: each verifies its data, and finds what goes wrong."""

import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import duckdb
import msgspec
import pytest
from command import Leadline
from real_ranks import REAL_RANKS, YIELDING, installed

from leadline.measure.build import whole_program
from leadline.model.installation import Installation

pytestmark = REAL_RANKS
NAMES = (
    "pingpong exchange bidirectional bandwidth message_rate overlap self unexpected matching "
    "datatypes pairs"
)  # fmt: skip
BENCHMARKS = [f"mpi/{name}" for name in NAMES.split()]
BRIEF = ("--seconds", "0.02", "--minimum", "6", "--maximum", "60", "--launches", "1")
# One point of each benchmark and way of sending.
SPOILT = """
mpi/pingpong bytes=8 mode=blocking
mpi/pingpong bytes=8 mode=nonblocking
mpi/pingpong bytes=8 mode=persistent
mpi/pingpong bytes=8 mode=synchronous
mpi/exchange bytes=8
mpi/bidirectional bytes=8 window=4
mpi/bandwidth bytes=8 window=4
mpi/message_rate bytes=8 window=4
mpi/overlap bytes=8 side=both progress=none
mpi/self bytes=8
node/handover bytes=64 copies=one
mpi/unexpected bytes=8 arrival=expected
mpi/unexpected bytes=8 arrival=unexpected
mpi/matching bytes=8 depth=5 queue=posted source=any position=last
mpi/matching bytes=8 depth=5 queue=unexpected source=known position=first
mpi/datatypes bytes=64 layout=vector method=datatype block=8
mpi/datatypes bytes=64 layout=struct method=datatype block=32
mpi/datatypes bytes=64 layout=indexed method=pack block=16
mpi/datatypes bytes=64 layout=vector method=manual block=8
mpi/pairs bytes=8 pairs=1 distance=neighbours mode=pingpong
mpi/pairs bytes=8 pairs=1 distance=neighbours mode=exchange
app/timestep cells=32 scaling=strong exchanges=5 values=4 pattern=two_sided input=posix
app/timestep cells=32 scaling=strong exchanges=5 values=4 pattern=put_flag input=posix
app/timestep cells=32 scaling=strong exchanges=5 values=4 pattern=pscw input=posix
"""


def test_every_benchmark_verifies_its_data(leadline, mpi):
    answer = leadline.measure(*BENCHMARKS, "--quick", "--mpi", mpi, *BRIEF)
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert {point["benchmark"] for point in answer["points"]} == set(BENCHMARKS)
    for point in answer["points"]:
        assert point["verified"]
        assert 0 < point["median_s"] < 1
    rates = {p["benchmark"] for p in answer["points"] if p["message_rate_per_s"]}
    assert rates == {"mpi/exchange", "mpi/bidirectional", "mpi/bandwidth", "mpi/message_rate",
                     "mpi/self"}  # fmt: skip


def test_more_than_two_ranks(leadline, mpi):
    words = ("--place", "1x6", "--oversubscribe", "--bytes", "0,1K", *BRIEF)
    benchmarks = ("mpi/exchange", "mpi/message_rate", "mpi/self")
    answer = measured(leadline, *benchmarks, "--mpi", mpi, *words)
    assert len(answer["points"]) == 6 and all(point["verified"] for point in answer["points"])


def test_each_pair_has_its_own_samples(leadline, mpi):
    words = ("--place", "1x6", "--oversubscribe", "--bytes", "1K", *BRIEF)
    axes = ("--distance", "neighbours,half,random,bisection", "--mode", "pingpong,exchange")
    answer = measured(leadline, "mpi/pairs", "--mpi", mpi, *axes, "--pairs", "1,2,0,4", *words)
    points = answer["points"]
    assert len(points) == 4 * 2 * 3 and all(point["verified"] for point in points)
    assert {p["metrics"]["pairs"] for p in points if p["axes"]["pairs"] == 0} == {3}
    (found,) = (each for each in answer["findings"] if each["kind"] == "not_available")
    assert "4 pairs need 8 ranks, and there are 6" in found["text"]
    clocks = pairs_in_samples(leadline)
    assert clocks["neighbours", 1] == {(0, 1)}
    assert clocks["neighbours", 2] == {(0, 1), (2, 3)}
    assert clocks["half", 0] == {(0, 3), (1, 4), (2, 5)}
    assert clocks["bisection", 0] == {(0, 5), (1, 4), (2, 3)}
    assert len(clocks["random", 0]) == 3
    assert {rank for pair in clocks["random", 0] for rank in pair} == set(range(6))


def pairs_in_samples(leadline):
    """Return which ranks stopped a clock, with their partners, by distance and number of pairs."""
    (folder,) = leadline.runs.iterdir()
    points = leadline.stored()["points"]
    sql = f"select distinct point, rank, peer from '{folder}/samples.parquet'"
    clocks = defaultdict(set)
    for point, rank, peer in duckdb.sql(sql).fetchall():
        axes = points[point]["axes"]
        clocks[axes["distance"], axes["pairs"]].add((rank, peer))
    return clocks


def test_two_ranks_are_one_pair_at_any_distance(leadline, mpi):
    axes = ("--distance", "neighbours,half,random,bisection", "--pairs", "0,1")
    answer = leadline.measure("mpi/pairs", "--bytes", "8", "--mpi", mpi, *axes, *BRIEF)
    assert [point["axes"]["distance"] for point in answer["points"]] == ["neighbours"]
    said = [each["text"] for each in answer["findings"] if each["kind"] == "not_available"]
    assert any("same as pairs=1" in text for text in said)
    assert any("the same pair as with distance=neighbours" in text for text in said)


def measured(leadline, *words):
    result = leadline("run", *words, "--runs", leadline.runs, "--json", **YIELDING)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def launch(environment, tmp_path_factory):
    """Give a function that runs MPICH's probe on the points above, with its messages spoilt."""
    leadline = Leadline(tmp_path_factory.mktemp("runs"), environment)
    mpich = installed(leadline, "mpich")
    probe = whole_program(msgspec.convert(mpich, Installation), "mpi", print)
    folder = tmp_path_factory.mktemp("spoilt")
    library = folder / "spoil.so"
    source = Path(__file__).with_name("spoil.c")
    subprocess.run(
        [mpich["mpicc"], "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    lines = SPOILT.strip().splitlines()
    points = [f"point {i} {line} start=default cache=warm" for i, line in enumerate(lines)]
    limits = ["precision 0.1", "minimum 6", "maximum 6", "seconds 0.05", "seed 1"]
    header = ["leadline-plan 1", *(f"set {limit}" for limit in [*limits, "oversubscribed 0"])]
    (folder / "plan.txt").write_text("\n".join([*header, *points, ""]))

    def run(how: str) -> dict[str, bool]:
        out = folder / how
        out.mkdir()
        subprocess.run(
            [mpich["mpiexec"], "-n", "2", *probe, "--plan", folder / "plan.txt", "--out", out],
            env={
                **os.environ,
                "LD_PRELOAD": str(library),
                "SPOIL": how,
                "LEADLINE_IO_FOLDER": str(folder),
            },
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        events = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
        return {
            lines[event["point"]]: event["verified"]
            for event in events
            if event["event"] == "point"
        }

    return run


def test_nothing_is_found_where_nothing_is_wrong(launch):
    assert launch("not") == dict.fromkeys(SPOILT.strip().splitlines(), True)


def test_reading_another_process_is_left_out_where_it_is_not_allowed(launch):
    found = launch("refuse")
    left_out = set(SPOILT.strip().splitlines()) - set(found)
    assert left_out == {"node/handover bytes=64 copies=one"}
    assert all(found.values())


@pytest.mark.parametrize("how", ["flip", "lose", "repeat"])
def test_what_goes_wrong_with_a_message_is_found(launch, how):
    assert launch(how) == dict.fromkeys(SPOILT.strip().splitlines(), False)
