"""Waits for ranks of other nodes: found by clocks that are off, of calls that are known."""

import msgspec
import numpy as np
import pytest

from leadline.explain.between_nodes import with_waits_between_nodes
from leadline.explain.recording import (
    ALL,
    FROM_LOWER,
    FROM_ROOT,
    MEETINGS,
    N_TO_N,
    ONE_TO_N,
    Function,
    Rank,
    Recording,
    Row,
    Site,
    Visits,
)

AHEAD = (0.0, 5.0)
NODE_OF = (0, 0, 1, 1)
CALLS, TRANSFER_S = 400, 5e-6
KINDS = {
    "MPI_Allreduce": (N_TO_N, ALL),
    "MPI_Bcast": (ONE_TO_N, FROM_ROOT),
}


def recording(late, names=("MPI_Allreduce",), kept=lambda rank, call: True):
    """A program of four ranks on two nodes, of which `late[rank]` are seconds in each call."""
    ranks = []
    truth = np.zeros((4, len(names)))
    seconds = np.zeros((4, len(names)))
    columns = {rank: [] for rank in range(4)}
    rng = np.random.default_rng(2)
    for call in range(CALLS):
        for row, name in enumerate(names):
            time = call * 1e-3 + row * 3e-4
            came = [time + late[rank] for rank in range(4)]
            for rank in range(4):
                last = max(came) if name == "MPI_Allreduce" else came[0]
                waits = max(last - came[rank], 0.0)
                left = came[rank] + waits + TRANSFER_S * (1 + 0.2 * rng.random())
                truth[rank, row] += waits
                seconds[rank, row] += left - came[rank]
                if kept(rank, call):
                    ahead = AHEAD[NODE_OF[rank]]
                    columns[rank].append(
                        (7, call * len(names) + row, came[rank] + ahead, left + ahead, 0.0, row,
                         0 if name == "MPI_Bcast" else -2, KINDS[name][1])
                    )  # fmt: skip
    for meeting in range(16):
        # One barrier behind the other, before the calls and after them.
        time = -1e-3 + meeting * 5e-5 if meeting < 8 else CALLS * 1e-3 + meeting * 5e-5
        for rank in range(4):
            came = time + 1e-6 * rng.random() + AHEAD[NODE_OF[rank]]
            left = time + 1e-6 + TRANSFER_S * (1 + rng.random()) + AHEAD[NODE_OF[rank]]
            columns[rank].append((MEETINGS, meeting, came, left, 0.0, -1, -2, ALL))
    for rank in range(4):
        types = (np.uint64, np.uint64, float, float, float, int, int, int)
        each = zip(*columns[rank], strict=True)
        visits = Visits(*(np.array(c, dtype=t) for c, t in zip(each, types, strict=True)))
        rows = tuple(
            Row(
                function=Function(name, KINDS[name][0]), site=Site(), size_class=4, comm_ranks=4,
                nodes=2, calls=CALLS, bytes=8 * CALLS, seconds=seconds[rank, row], waiting_s=0.0,
                at_least=True,
            )
            for row, name in enumerate(names)
        )  # fmt: skip
        ranks.append(
            Rank(
                rank=rank, node=NODE_OF[rank], seconds=1.0, mpi_s=float(seconds[rank].sum()),
                waiting_s=0.0, rows=rows, visits=visits,
            )
        )  # fmt: skip
    return Recording(ranks=tuple(ranks), ranks_total=4), truth


@pytest.mark.parametrize("name", KINDS)
def test_waits_are_those_for_the_ranks_that_matter(name):
    given, truth = recording((2e-4, 0.0, 5e-5, 1e-4), ("MPI_Allreduce", name))
    found = with_waits_between_nodes(given)
    assert 0 < found.clock_error_s < 2 * TRANSFER_S
    for rank, expected in zip(found.ranks, truth, strict=True):
        for row, seconds in zip(rank.rows, expected, strict=True):
            assert row.waiting_s == pytest.approx(seconds, abs=CALLS * found.clock_error_s)
            assert not row.at_least
        assert rank.waiting_s == pytest.approx(sum(row.waiting_s for row in rank.rows))


def test_who_was_late_is_known():
    found = with_waits_between_nodes(recording((2e-4, 0.0, 5e-5, 1e-4))[0])
    for rank in found.ranks[1:]:
        assert rank.peers[0].waited_s == pytest.approx(rank.waiting_s, rel=0.01)
        assert rank.peers[0].waited_calls == CALLS
    assert found.ranks[0].waiting_s < CALLS * found.clock_error_s


def test_calls_that_are_known_stand_for_those_that_are_not():
    late = (2e-4, 0.0, 5e-5, 1e-4)
    # Ranks keep one call in two, in four, or all: one in four is known of all.
    given, truth = recording(late, kept=lambda rank, call: call % (4, 2, 1, 4)[rank] == 0)
    found = with_waits_between_nodes(given)
    for rank, (seconds,) in zip(found.ranks, truth, strict=True):
        assert rank.rows[0].waiting_s == pytest.approx(seconds, abs=CALLS * found.clock_error_s)


def test_waits_in_scans_between_nodes_stay_a_lower_bound():
    given, _ = recording((2e-4, 0.0, 0.0, 0.0))
    ranks = tuple(
        msgspec.structs.replace(
            rank, visits=rank.visits._replace(shape=np.full_like(rank.visits.shape, FROM_LOWER))
        )
        for rank in given.ranks
    )
    found = with_waits_between_nodes(msgspec.structs.replace(given, ranks=ranks))
    assert all(rank.rows[0].at_least and rank.waiting_s == 0 for rank in found.ranks)


def test_without_an_arrival_waits_stay_a_lower_bound():
    given, _ = recording((2e-4, 0.0, 0.0, 0.0), kept=lambda rank, call: rank != 3 or call == -1)
    found = with_waits_between_nodes(given)
    assert all(rank.rows[0].at_least and rank.waiting_s == 0 for rank in found.ranks)
    assert found.clock_error_s is None
