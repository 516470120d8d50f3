"""Ranks of two nodes: each waits for the other's, which it cannot see while the program runs."""

import re
from pathlib import Path

import pytest
from programs import run

from leadline.explain.reading import read_recording

pytestmark = pytest.mark.mpi
LATE_S = 0.2  # of waits.c


def on_two_nodes(observed, files, source, *words):
    """Run a program, a rank on each node.

    MPICH's launcher starts the ranks of two hosts of any names here, which share no memory.
    """
    if observed.installation.family != "mpich":
        pytest.skip(f"{observed.installation.name}'s launcher starts no two nodes on one machine")
    program = observed.program(Path(__file__).with_name(source))
    hosts = ("-launcher", "fork", "-hosts", "first,second", "-ppn", "1")
    launch, *words = observed.command(program, *words)
    return run(launch, *hosts, *words, status=0, environment=observed.environment(files))


def recorded(observed, files, late, steps):
    """Run late.c on two nodes. Returns the recording, and what each rank waited as it knows."""
    ended = on_two_nodes(observed, files, "late.c", str(late), str(steps), "1e-4", "2e-4")
    (told,) = re.findall(r"^waited (\S+) (\S+)$", ended.stdout, re.MULTILINE)
    return read_recording(files), [float(each) for each in told]


@pytest.mark.timing
@pytest.mark.parametrize("late", [0, 1, -1])
def test_a_wait_for_another_node_is_that_of_its_late_rank(observed, files, late):
    found, expected = recorded(observed, files, late, 1000)
    assert found.nodes == 2 and len(list(files.iterdir())) == 2
    assert found.clock_error_s < 1e-4
    for rank, seconds in zip(found.ranks, expected, strict=True):
        (row,) = (each for each in rank.rows if each.function.name == "MPI_Allreduce")
        assert row.calls == 1000 and not row.at_least
        off = 0.05 * seconds + 1000 * found.clock_error_s
        assert row.waiting_s == pytest.approx(seconds, abs=off)
        # Who waited for nobody has no peers.
        peer = rank.peers.get(1 - rank.rank)
        by_peer = peer.waited_s if peer else 0.0
        assert by_peer == pytest.approx(row.waiting_s, rel=0.1, abs=off)


def test_of_more_calls_than_there_is_room_for_some_stand_for_all(observed, files):
    found, expected = recorded(observed, files, 0, 9000)
    for rank, seconds in zip(found.ranks, expected, strict=True):
        assert len(rank.visits.call) <= 4096
        (row,) = (each for each in rank.rows if each.function.name == "MPI_Allreduce")
        off = 0.1 * seconds + 9000 * found.clock_error_s
        assert row.waiting_s == pytest.approx(seconds, abs=off)


def test_of_a_group_on_another_node_waiting_is_known_or_a_lower_bound(observed, files):
    on_two_nodes(observed, files, "waits.c", "inter_allreduce")
    rows = {
        rank.rank: row
        for rank in read_recording(files).ranks
        for row in rank.rows
        if row.function.name == "MPI_Allreduce"
    }
    assert rows[0].nodes == 2
    assert rows[0].at_least or rows[0].waiting_s > 0.9 * LATE_S
