"""Orders of ranks as pure functions, and files that hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.topology.rank_order.formats import FORMATS
from leadline.topology.rank_order.order import (
    NAMED,
    canonical,
    cycle,
    node_of_each,
    order_for,
    parse_ranks,
    ranks_text,
)

placements = st.builds(Placement, st.integers(1, 9), st.integers(1, 9))


@given(placements, st.sampled_from(sorted(NAMED)))
def test_a_named_order_gives_each_node_as_many_ranks_and_each_rank_a_node(placement, name):
    ordered = NAMED[name](placement)
    assert [len(ranks) for ranks in ordered] == [placement.processes_per_node] * placement.nodes
    assert sorted(sum(ordered, ())) == list(range(placement.processes))
    assert [0 in ranks for ranks in ordered].index(True) == 0


@pytest.mark.parametrize(
    ("given", "node_0"), [("0", (0, 4)), ("round-robin", (0, 4)), ("1", (0, 1)), ("2", (0, 7))]
)
def test_numbers_are_those_of_cray(given, node_0):
    assert order_for(given, Placement(4, 2))[0] == node_0


def test_number_3_is_the_file_that_cray_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="order 'MPICH_RANK_ORDER' cannot be read"):
        canonical("3")
    (tmp_path / "MPICH_RANK_ORDER").write_text("3-0\n")
    assert canonical("3") == "MPICH_RANK_ORDER"
    assert order_for("3", Placement(2, 2)) == ((3, 2), (1, 0))


@given(st.permutations(range(12)), st.sampled_from([",", "\n", ", ", "\n\n"]))
def test_what_is_written_is_read(ranks, separator):
    assert parse_ranks(ranks_text(ranks).replace(",", separator), "text") == ranks


def test_comments_ranges_and_lines_mix():
    text = "# all nodes\n15-12, 0,1 # the first\n\n2-11\n"
    assert parse_ranks(text, "text") == [15, 14, 13, 12, *range(12)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,one", "^file, line 1: 'one' is no rank: write ranks and ranges"),
        ("0\n1-", "^file, line 2: '1-' is no rank"),
        ("-1", "'-1' is no rank"),
        ("0-9999999", "more than 4194304 ranks"),
        ("0-99999999", "is no rank"),
        (" # nothing\n", "^file names no rank"),
    ],
)
def test_what_is_no_list_of_ranks_is_one_line(text, words):
    with pytest.raises(UserError, match=words) as raised:
        parse_ranks(text, "file")
    assert "\n" not in str(raised.value)


def test_missing_doubled_and_too_large_ranks_are_all_told(tmp_path):
    file = tmp_path / "order"
    file.write_text("0-3,3,2,9")
    with pytest.raises(
        UserError, match=r"order is no order of the 8 ranks of 4x2: ranks (.*): na"
    ) as raised:
        order_for(str(file), Placement(4, 2))
    told = str(raised.value).partition(": ranks ")[2]
    assert told.startswith("9 beyond 7, the last; 2,3 there more than once; 4-7 missing: name each")


@given(placements, st.integers(0, 2), st.randoms())
def test_a_cycle_says_the_whole_order(placement, which, chance):
    blocks = [n for n in range(1, 10) if placement.processes_per_node % n == 0]
    block = chance.choice(blocks)
    turn = chance.sample(range(placement.nodes), placement.nodes)
    turns = placement.processes_per_node // block
    nodes = [node for _ in range(turns) for node in turn for _ in range(block)]
    dealt = tuple(
        tuple(rank for rank, at in enumerate(nodes) if at == node)
        for node in range(placement.nodes)
    )
    assert node_of_each(dealt) == nodes
    if placement.nodes > 1:
        assert cycle(dealt) == (turn, block)


def test_an_order_that_comes_back_is_no_cycle():
    assert cycle(NAMED["folded"](Placement(4, 2))) is None
    assert cycle(NAMED["round-robin"](Placement(4, 2))) == ([0, 1, 2, 3], 1)
    assert cycle(NAMED["smp"](Placement(4, 2))) == ([0, 1, 2, 3], 2)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_how_it_is_used(name):
    made = FORMATS[name]
    ordered = NAMED["folded"](Placement(4, 2))
    hosts = tuple("abcd") if made.names_hosts else ()
    assert made.summary
    assert made.text(ordered, hosts).endswith("\n")
    usage = made.usage(ordered, hosts, "FILE")
    assert "FILE" in usage and "PROGRAM" in usage and "8" in usage
    if made.names_hosts:
        assert all(host in made.text(ordered, hosts) for host in hosts)


def test_what_is_written_for_cray_is_read_again(tmp_path):
    ordered = NAMED["folded"](Placement(4, 2))
    file = tmp_path / "cray"
    file.write_text(FORMATS["mpich"].text(ordered, ()))
    assert order_for(str(file), Placement(4, 2)) == ordered
