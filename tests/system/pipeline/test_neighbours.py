"""Victims and neighbours in one job, with real ranks."""

import json

import pytest
from real_ranks import REAL_RANKS

# The first test of an MPI builds its probe.
pytestmark = REAL_RANKS
BRIEF = ("--oversubscribe", "--seconds", "0.05", "--maximum", "200", "--launches", "2")
KINDS = {"alltoall", "incast", "memory", "rma", "route"}


def test_a_victim_is_measured_alone_and_beside_each_congestor(leadline, mpi):
    words = ("--place", "1x5", "--victims", 2, "--neighbour", ",".join(["none", *sorted(KINDS)]))
    sizes = ("--bytes", "8K", "--spacer", "0,1", "--neighbour-bytes", "16K")
    run = leadline.measure("mpi/pingpong", *words, *sizes, "--mpi", mpi, *BRIEF)
    assert run["outcome"]["state"] == "complete"
    figures = {(p["settings"]["neighbour"], p["settings"]["spacer"]): p for p in run["points"]}
    assert figures.keys() == {("none", 0)} | {(kind, at) for kind in KINDS for at in (0, 1)}
    for (kind, _), figure in figures.items():
        assert figure["verified"] and figure["launches"] == 2
        assert (figure["nodes"], figure["processes"]) == (1, 2)
        if kind == "none":
            assert "neighbour_processes" not in figure["metrics"]
            continue
        # Two of the three others: as many with every spacer.
        assert figure["metrics"]["neighbour_processes"] == 2
        assert figure["metrics"]["neighbour_bytes"] > 0
        assert figure["metrics"]["neighbour_bytes_per_s"] > 0
    assert {(each["neighbour"], each["spacer"]) for each in run["impacts"]} == figures.keys() - {
        ("none", 0)
    }
    named = [finding["text"] for finding in run["findings"] if finding["kind"] == "impact_factor"]
    assert len(named) == len(KINDS)
    shown = leadline.in_runs("show", run["run"], "--as", "impact").stdout
    assert shown.count("mpi/pingpong") == 10
    assert all(kind in shown for kind in KINDS)


@pytest.mark.parametrize(
    "benchmark",
    [("mpi/allreduce", "--algorithm", "library,shared"), ("rma/put",), ("mpi/pairs",)],
    ids=lambda words: words[0],
)
def test_benchmarks_stay_right_on_a_part_of_the_job(leadline, mpi, benchmark):
    words = ("--bytes", "1K", "--place", "1x4", "--victims", 2, "--neighbour", "none,alltoall")
    run = leadline.measure(*benchmark, *words, "--mpi", mpi, *BRIEF)
    assert run["outcome"]["state"] == "complete"
    assert {point["settings"]["neighbour"] for point in run["points"]} == {"none", "alltoall"}
    assert all(point["verified"] and point["processes"] == 2 for point in run["points"])


def test_neighbours_that_cannot_be_are_refused_before_anything_starts(leadline, mpi):
    all_ranks = ("run", "mpi/allreduce", "--mpi", mpi, "--oversubscribe")
    assert "setting neighbour goes with --victims" in leadline.refused(
        *all_ranks, "--place", "1x4", "--neighbour", "alltoall"
    )
    words = ("run", "mpi/pingpong", "--mpi", mpi, "--oversubscribe")
    assert "try --place 1x2" in leadline.refused(
        *words, "--place", "1x4", "--neighbour", "alltoall"
    )
    assert "neighbour rma needs 2 processes" in leadline.refused(
        *words, "--place", "1x4", "--victims", 2, "--neighbour", "rma", "--spacer", 1
    )


def test_a_congestor_is_a_job_of_its_own_too(leadline, mpi):
    words = ("congest", "incast", "--place", "1x3", "--oversubscribe", "--bytes", "8K")
    done = leadline(*words, "--mpi", mpi, "--seconds", "1.2", "--json")
    assert done.returncode == 0, done.stderr
    running, ended = (json.loads(line) for line in done.stdout.splitlines())
    assert (running["state"], running["moved_bytes"]) == ("running", 0)
    assert (ended["state"], ended["processes"]) == ("complete", 3)
    assert ended["moved_bytes"] == ended["rounds"] * 2 * 4 * 8192 > 0
    assert ended["seconds"] >= 1.2


def test_a_congestor_that_cannot_be_is_one_line(leadline, mpi):
    assert "no congestor 'flood': there is alltoall, incast" in leadline.refused(
        "congest", "flood", "--mpi", mpi
    )
    assert "needs 2 processes and placement 1x1 has 1" in leadline.refused(
        "congest", "route", "--mpi", mpi, "--place", "1x1"
    )
