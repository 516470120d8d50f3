"""Who is late, by how the waiting is spread over ranks and nodes."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import late_in_turn, late_rank, rank, row, turns, uneven_turns

from leadline.explain.bounds import Bounds, Curve, Shape
from leadline.explain.lateness import lateness
from leadline.explain.owners import owners
from leadline.explain.recording import Peer, Rank, Recording


def late(recording, bounds=None):
    return lateness(recording, owners(recording, bounds or Bounds())[0])


def recorded(waited, nodes=1, seconds=10.0):
    """Return a recording of which rank r waited waited[r][p] seconds for rank p."""
    size = len(waited)
    return Recording(
        ranks_total=size,
        ranks=tuple(
            Rank(
                rank=each, node=each * nodes // size, seconds=seconds, mpi_s=sum(row),
                waiting_s=sum(row),
                peers={at: Peer(0, 0, one, 10) for at, one in enumerate(row) if one},
            )
            for each, row in enumerate(waited)
        ),
    )  # fmt: skip


def computed(seconds, waited):
    """Return a recording of which rank r computed seconds[r], and waited waited[r] by rank."""
    ranks = tuple(
        Rank(
            rank=each, node=0, seconds=10.0, mpi_s=10.0 - one, waiting_s=sum(by.values()),
            peers={other: Peer(0, 0, long, 10) for other, long in by.items()},
        )
        for each, (one, by) in enumerate(zip(seconds, waited, strict=True))
    )  # fmt: skip
    return Recording(ranks_total=len(ranks), ranks=ranks)


def test_one_rank_is_late(read):
    found = late(read(late_rank(late=3, delay=2.0, calls=1000)))
    assert (found.verdict, found.rank, found.ranks, found.node) == ("rank", 3, (3,), None)
    assert found.share == pytest.approx(1.0) and found.known == pytest.approx(1.0)
    assert found.late_s == pytest.approx(0.002) and found.calls == 3000


# For whom each of four ranks waits; rank 2 computes longer and waits for nobody.
LAST, RING, ROOT = (3, 3, 3, 2), (3, 0, 1, 2), (2, 0, 0, 0)


@pytest.mark.parametrize(
    ("whom", "call"),
    [(LAST, "MPI_Recv"), (LAST, "MPI_Scan"), (RING, "MPI_Waitall"), (ROOT, "MPI_Reduce")],
)
def test_a_rank_that_makes_its_neighbour_late_is_the_cause(read, whom, call):
    found = late(read(late_in_turn(whom, call=call)))
    assert (found.verdict, found.rank, found.ranks, found.node) == ("rank", 2, (2,), None)
    assert found.in_turn and found.share == pytest.approx(1.0)
    # Only one rank waits for it directly.
    assert found.calls == 25 and found.late_s == pytest.approx(2.0 / 25)


def test_a_long_line_of_ranks_is_followed_to_its_beginning(read):
    size = 60
    found = late(read(late_in_turn([(each - 1) % size for each in range(size)], late=7)))
    assert (found.rank, found.in_turn) == (7, True) and found.share > 0.98


def test_a_rank_keeps_what_it_computes_longer():
    """Rank 1 waits 1 s for rank 0 and computes 3 s more than the last: a quarter is passed on."""
    found = late(computed([9.0, 7.0, 4.0, 4.0], [{}, {0: 1.0}, {1: 4.0}, {1: 4.0}]))
    assert (found.verdict, found.rank, found.in_turn) == ("rank", 1, False)
    assert found.share == pytest.approx(8 / 9)


def test_no_more_is_passed_on_than_a_rank_waited():
    """Rank 3 was in its own calls for 4 s, and waited only 0.1 s for the one that computes more."""
    found = late(computed([8.0, 5.0, 5.0, 5.0], [{3: 1.0}, {3: 4.0}, {3: 4.0}, {0: 0.1}]))
    assert (found.verdict, found.rank, found.in_turn) == ("rank", 3, False)


@pytest.mark.parametrize(
    "ranks",
    [
        # The rank that causes it waits as long as others, or computes hardly longer.
        ([9.0, 5.0, 5.0, 5.0], [{1: 2.0}, {0: 2.0}, {1: 2.0}, {1: 2.0}]),
        ([5.2, 5.0, 5.0, 5.0], [{}, {0: 2.0}, {1: 2.0}, {1: 2.0}]),
    ],
)
def test_where_the_cause_is_not_clear_the_last_one_is_late(ranks):
    found = late(computed(*ranks))
    assert (found.verdict, found.rank, found.in_turn) == ("rank", 1, False)


def test_a_circle_of_ranks_passes_blame_round_for_ever():
    """Rank 0 computes longer, and the others wait for each other and not for it."""
    found = late(computed([9.0, 5.0, 5.0, 5.0], [{}, {2: 2.0}, {3: 2.0}, {1: 2.0}]))
    assert (found.verdict, found.in_turn) == ("noise", False)


def test_another_one_each_time_is_noise(read):
    found = late(read(uneven_turns()))
    assert (found.verdict, found.rank, found.ranks) == ("noise", None, ())


def test_two_ranks_that_wait_for_each_other_are_noise(read):
    assert late(read(uneven_turns(size=2))).verdict == "noise"
    assert late(read(late_rank(late=0, size=2))).rank == 0


@pytest.mark.parametrize("size", [2, 4])
def test_ranks_that_compute_in_turn_are_a_chain(read, size):
    found = late(read(turns(size=size)))
    assert (found.verdict, found.rank) == ("chain", None)
    assert found.at_once == pytest.approx(1.0)
    # Where all wait for all in a barrier, the work of each changes.
    assert late(read(uneven_turns(size, delay=10 - 10 / size))).verdict == "noise"


def test_a_chain_ends_where_its_last_rank_is_waited_for_by_all(read):
    """In a broadcast at the end all wait for it, and it waits for those before."""
    waited = [{3: (7.5, 9)}, {0: (2.5, 9), 3: (5.0, 9)}, {1: (5.0, 9), 3: (2.5, 9)}, {2: (7.5, 9)}]
    ranks = [
        rank(
            at, mpi=7.5, waiting=7.5, waited=one, rows=[row("MPI_Bcast", seconds=7.5, waiting=7.5)]
        )
        for at, one in enumerate(waited)
    ]
    assert late(read(ranks)).verdict == "chain"


def test_who_polls_waits_for_the_rank_that_computes():
    """A poll does not know which rank it waits for, and other calls do not speak for it."""
    computing = (1.0, 6.0)
    ranks = tuple(
        Rank(
            rank=each, node=0, seconds=6.5, mpi_s=6.5 - own, waiting_s=6.0 - own,
            peers={0: Peer(0, 0, 0.005, 2)} if each else {},
        )
        for each, own in enumerate(computing)
    )  # fmt: skip
    found = late(Recording(ranks=ranks, ranks_total=2))
    assert (found.verdict, found.rank, found.calls) == ("rank", 1, 0)
    assert found.late_s == pytest.approx(5.0) and found.known < 0.01


def test_all_ranks_of_a_node_are_late():
    # Ranks 4 to 7 are on the second of two nodes; each of them is waited for alike.
    waited = [[0.0 if p < 4 or p == r else 0.5 for p in range(8)] for r in range(8)]
    found = late(recorded(waited, nodes=2))
    assert (found.verdict, found.node, found.ranks) == ("node", 1, (4, 5, 6, 7))
    # On one node the same is several ranks that are late in turn.
    assert late(recorded(waited)).verdict == "noise"


def test_a_few_ranks_are_late_together():
    waited = [[0.5 if p in (2, 9) and p != r else 0.0 for p in range(12)] for r in range(12)]
    found = late(recorded(waited))
    assert (found.verdict, found.ranks) == ("rank", (2, 9))


def test_little_waiting_is_nobodys():
    assert late(recorded([[0, 0.1], [0, 0]])).verdict == "none"


def test_the_library_is_the_cause_where_nobody_waits_and_calls_take_longer(read):
    ranks = [
        rank(each, mpi=2.0, rows=[row("MPI_Allreduce", calls=1000, size=8, seconds=2.0, ranks=2)])
        for each in range(2)
    ]
    recording = read(ranks)
    fast = Bounds(curves={Shape("MPI_Allreduce", 2, 1): Curve(seconds={8: 1e-3})})
    assert late(recording, fast).verdict == "library"
    assert late(recording).verdict == "none"


def test_waiting_for_nobody_known_has_no_verdict_on_a_rank():
    recording = recorded([[0, 0], [0, 0]])
    waits = tuple(
        msgspec.structs.replace(each, mpi_s=5.0, waiting_s=5.0) for each in recording.ranks
    )
    found = late(msgspec.structs.replace(recording, ranks=waits))
    assert (found.verdict, found.known) == ("none", 0.0)


@given(st.data())
def test_the_names_of_ranks_do_not_matter(data):
    size = data.draw(st.integers(2, 6))
    times = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    waited = [
        [0.0 if one == other else data.draw(times) for other in range(size)] for one in range(size)
    ]
    order = data.draw(st.permutations(range(size)))
    moved = [[0.0] * size for _ in range(size)]
    for one in range(size):
        for other in range(size):
            moved[order[one]][order[other]] = waited[one][other]
    first, second = late(recorded(waited)), late(recorded(moved))
    assert first.verdict == second.verdict
    assert first.share == pytest.approx(second.share)
    if first.verdict == "rank" and len(first.ranks) == 1:
        assert second.rank == order[first.rank]
