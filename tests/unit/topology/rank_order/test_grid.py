"""Grids, messages that leave nodes, matrices, and orders made for them."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.topology.rank_order import grid
from leadline.topology.rank_order.grid import cells, compact_cell, hilbert, hilbert_index, positions
from leadline.topology.rank_order.optimise import optimise_order
from leadline.topology.rank_order.order import NAMED, smp
from leadline.topology.rank_order.traffic import halo, leaving, read_matrix


def test_bunching_halves_what_leaves_a_node():
    """J. Hague, "Switch Jitter" (2008): 16 messages off a node of 16 cores instead of 32."""
    placement = Placement(16, 16)
    messages = halo((16, 16))
    assert leaving(messages, smp(placement)) == [32.0] * 16
    assert leaving(messages, cells((16, 16), (4, 4), placement)) == [16.0] * 16
    assert leaving(messages, hilbert((16, 16), placement)) == [16.0] * 16


@pytest.mark.parametrize(
    ("order", "periodic", "busiest"),
    # What the benchmark's own metric off_node_messages_per_node says of eight tasks on two nodes.
    [("smp", True, 4), ("round-robin", True, 8), ("smp", False, 2)],
)
def test_messages_are_counted_as_the_halo_benchmark_does(order, periodic, busiest):
    extents = grid.near_equal_factors(8, 2)
    assert extents == (4, 2)
    assert max(leaving(halo(extents, periodic), NAMED[order](Placement(2, 4)))) == busiest


def test_ranks_by_columns_are_bunched_too():
    by_columns = cells((4, 6), (2, 3), Placement(4, 6), "column")
    assert by_columns[0] == (0, 1, 4, 5, 8, 9)
    messages = halo((4, 6), True, "column")
    by_rows = cells((4, 6), (2, 3), Placement(4, 6))
    assert sum(leaving(messages, by_columns)) == sum(leaving(halo((4, 6)), by_rows))


def test_the_most_compact_block_is_taken():
    assert compact_cell((16, 16), 16) == (4, 4)
    assert compact_cell((8, 4, 4), 8) == (2, 2, 2)
    with pytest.raises(UserError, match="no block of 5 ranks tiles the grid 4x4"):
        compact_cell((4, 4), 5)


@given(st.integers(1, 3), st.integers(1, 3))
def test_a_hilbert_curve_visits_each_cell_once_in_steps_of_one(dimensions, bits):
    shape = (1 << bits,) * dimensions
    visited = sorted(positions(shape), key=lambda cell: hilbert_index(cell, bits))
    indices = [hilbert_index(cell, bits) for cell in visited]
    assert indices == list(range(len(visited)))
    for here, there in itertools.pairwise(visited):
        assert sum(abs(a - b) for a, b in zip(here, there, strict=True)) == 1


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: cells((4, 4), (3, 2), Placement(4, 4)), "cell 3x2 does not tile the grid 4x4"),
        (lambda: cells((4, 4), (2,), Placement(4, 4)), "cell 2 does not tile"),
        (lambda: hilbert((4, 4), Placement(2, 4)), "grid 4x4 has 16 cells and placement 2x4 8"),
        (lambda: grid.parse_extents("4x0", "grid"), "grid '4x0' is not a shape"),
        (lambda: grid.parse_extents("4,4", "cell"), "cell '4,4' is not a shape"),
    ],
)
def test_what_is_no_grid_is_one_line(made, words):
    with pytest.raises(UserError, match=words):
        made()


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10_000))
def test_an_optimised_order_is_whole_and_never_worse(nodes, each, seed):
    chance = random.Random(seed)
    placement = Placement(nodes, each)
    ranks = range(placement.processes)
    messages = {
        (a, b): chance.choice([1e-9, 1.0, 1e12])
        for a in ranks
        for b in ranks
        if chance.random() < 0.3
    }
    found = optimise_order(messages, placement)
    assert [len(own) for own in found] == [each] * nodes
    assert sorted(sum(found, ())) == list(ranks)
    assert sum(leaving(messages, found)) <= sum(leaving(messages, smp(placement))) * (1 + 1e-12)


def test_groups_that_talk_among_themselves_get_a_node_each():
    ranks = list(range(24))
    random.Random(1).shuffle(ranks)
    groups = [ranks[first : first + 4] for first in range(0, 24, 4)]
    messages = {pair: 1.0 for group in groups for pair in itertools.permutations(group, 2)}
    messages[ranks[0], ranks[23]] = 0.5
    found = optimise_order(messages, Placement(6, 4))
    assert set(map(frozenset, found)) == set(map(frozenset, groups))
    assert sum(leaving(messages, found)) == 0.5


def test_a_table_and_its_coordinates_are_the_same(tmp_path):
    table, market = tmp_path / "m.csv", tmp_path / "m.mtx"
    table.write_text("9,1,0\n0,0,2.5\n0,0,0\n")
    market.write_text(
        "%%MatrixMarket matrix coordinate real general\n% by hand\n3 3 3\n1 1 9\n1 2 1\n2 3 2.5\n"
    )
    assert read_matrix(table, 3) == read_matrix(market, 3) == {(0, 1): 1.0, (1, 2): 2.5}
    market.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    assert read_matrix(market, 3) == {(0, 1): 1.0, (1, 0): 1.0}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("m.csv", "0,1\n1,0\n", "has 2 rows for 3 ranks"),
        ("m.csv", "0,1,2\n1,0\n0,0,0\n", "row 2: 2 numbers for 3 ranks"),
        ("m.csv", "0,1,x\n1,0,0\n0,0,0\n", "row 1: 'x' is not an amount"),
        ("m.csv", "0,-1,0\n1,0,0\n0,0,0\n", "row 1: '-1' is not an amount"),
        ("m.csv", "0,nan,0\n1,0,0\n0,0,0\n", "row 1: 'nan' is not an amount"),
        ("m.csv", "1,0,0\n0,1,0\n0,0,1\n", "no rank sends anything"),
        ("m.mtx", "1 2 3\n", "its first line is not"),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 1\n", "3 by 3"),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n0 2 1\n", "from 1 to 3"),
        ("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 two\n", "line 3: write"),
        ("none.csv", None, "cannot be read"),
    ],
)
def test_what_is_no_matrix_is_one_line(tmp_path, name, text, words):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=words) as raised:
        read_matrix(path, 3)
    assert "\n" not in str(raised.value)
