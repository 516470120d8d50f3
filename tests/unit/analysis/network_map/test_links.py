"""What links carry, against ways counted by hand and by distance."""

import itertools

import msgspec
import pytest
from example_maps import CROSSBAR, DRAGONFLY, FAT_TREE, T3E, neighbours, platform
from example_runs import Rows, launch, point, run, waiting

from leadline.analysis.network_map.compose import Message, carried, composed, flows
from leadline.analysis.network_map.node_owners import nobody
from leadline.core.errors import UserError
from leadline.model.jobs import Node
from leadline.site.schedulers.plain.topology import PROVIDER as ROWS
from leadline.site.schedulers.topology import build_switched, interconnect_of

PAIRS = ((1,), (0,), (3,), (2,))


def sent(network, *messages):
    """The loaded links by the names of their ends; a rank on each node."""
    whole = neighbours(network, 2)._replace(messages=tuple(Message(*each) for each in messages))
    names = [vertex.name for vertex in network.graph.vertices]
    return {
        (names[link.one], names[link.other]): (link.bytes, link.MBps, link.pairs)
        for link in carried(network, whole, {rank: rank for rank in range(len(names))})
        if link.bytes
    }


def test_a_message_loads_each_link_on_its_way_and_no_other():
    ring = interconnect_of(platform("ring", 6, kind="torus", shape=(6,)))
    assert sent(ring, (0, 2, 100, 5.0), (2, 1, 10, 3.0)) == {
        ("n0", "n1"): (100, 5, 1),
        ("n1", "n2"): (110, 8, 2),
    }
    assert sent(ring, (0, 5, 7, 1.0)) == {("n5", "n0"): (7, 1, 1)}


def test_all_messages_to_one_node_cross_its_link():
    loads = sent(interconnect_of(CROSSBAR), *((rank, 0, 8, 2.0) for rank in range(1, 16)))
    assert loads["n0", "switch"] == (15 * 8, 30, 15)
    assert {load for ends, load in loads.items() if ends[0] != "n0"} == {(8, 2, 1)}


def test_a_torus_carries_each_message_as_far_as_its_ends_are_apart():
    def apart(one, other):
        steps = [(one // 8**axis % 8, other // 8**axis % 8) for axis in range(3)]
        return sum(min((a - b) % 8, (b - a) % 8) for a, b in steps)

    pairs = [(rank, rank * 37 % 512) for rank in range(512) if rank != rank * 37 % 512]
    loads = sent(interconnect_of(T3E), *((one, other, 1, 1.0) for one, other in pairs))
    assert sum(load for load, _, _ in loads.values()) == sum(itertools.starmap(apart, pairs))


@pytest.mark.parametrize("machine", [FAT_TREE, DRAGONFLY])
def test_what_a_node_sends_and_gets_crosses_its_own_link(machine):
    network = interconnect_of(machine)
    loads = sent(network, *((rank, (rank + 5) % machine.nodes, 3, 1.0) for rank in range(20)))
    own = {ends[0]: load for ends, (load, _, _) in loads.items() if ends[0].startswith("n")}
    assert own == {
        f"n{node}": 3 * ((node < 20) + (5 <= node < 25)) for node in range(25)
    }  # fmt: skip


def test_messages_inside_a_node_cross_no_link():
    network = interconnect_of(CROSSBAR)
    links = carried(network, neighbours(network, 4), {0: 0, 1: 0, 2: 1, 3: 1})
    assert [link.bytes for link in links[:3]] == [2 * 65536, 2 * 65536, 0]


def test_where_no_link_is_known_the_pairs_are_drawn():
    network = ROWS.interconnect(
        "slurm", [Node(name=name, phase="idle", state="") for name in "abc"]
    )
    both = sent(network, (0, 2, 100, 5.0), (2, 0, 100, 4.0))
    assert both == {("a", "c"): (200, 9, 2)}


def test_two_switches_share_one_link():
    network = build_switched(
        "lab", "switches", {"s0": ["h0", "h1"], "s1": ["h2", "h3"]}, backbone=True
    )
    loads = sent(network, (0, 2, 10, 1.0), (1, 3, 10, 1.0), (0, 1, 1, 1.0))
    assert loads["s0", "s1"] == (20, 2, 2)
    assert loads["h0", "s0"] == (11, 2, 2)


def test_nodes_that_stand_apart_keep_their_place():
    network = build_switched("lab", "switches", {"s0": ["h0", "h1"]}, apart=["vm"])
    assert [vertex.name for vertex in network.graph.vertices] == ["vm", "h0", "h1", "s0"]
    assert sent(network, (1, 2, 4, 1.0)) == {("h0", "s0"): (4, 1, 1), ("h1", "s0"): (4, 1, 1)}


def test_each_pair_has_the_median_of_its_own_samples():
    rows = {
        1: [(0, 0, 1, seconds, 0) for seconds in (1e-3, 2e-3, 9e-3)]
        + [(0, 2, 3, 4e-3, 0), (0, 2, 3, 1e-9, 0b10), (7, 2, 3, 1e-9, 0)]
    }
    small, large = waiting(0, 8, PAIRS), waiting(1, 10**6, PAIRS)
    measured = run([point(0, 8), point(1, 10**6)], [launch(0, "abcd", small, large)])
    found = flows(measured, Rows({0: [(0, 0, 1, 1e-6, 0)], **rows}))
    assert (found.size, found.measured_pairs) == (10**6, True)
    assert found.messages == (Message(0, 1, 10**6, 500.0), Message(2, 3, 10**6, 250.0))
    assert found.figure.startswith("some/pairs ")


@pytest.mark.parametrize(
    ("moved", "messages", "each"), [(2000.0, 0.0, 2000), (2000.0, 2.0, 1000), (0.0, 0.0, 1000)]
)
def test_a_pair_moves_what_the_benchmark_states_of_one_or_of_all(moved, messages, each):
    result = msgspec.structs.replace(waiting(0, 1000, PAIRS, messages), moved_bytes=moved)
    measured = run([point(0, 1000)], [launch(0, "abcd", result)])
    found = flows(measured, Rows({0: [(0, 0, 1, 1e-3, 0), (0, 2, 3, 1e-3, 0)]}))
    assert [message.bytes for message in found.messages] == [each, each]
    assert found.messages[0].rate == pytest.approx(each / 1e3)


def test_without_partners_a_rank_gets_a_message_from_each_it_waits_for():
    ring = ((1, 3), (0, 2), (1, 3), (0, 2))
    measured = run([point(0, 1000)], [launch(0, "abcd", waiting(0, 1000, ring, 16.0))])
    rows = {0: [(0, rank, -1, 1e-3 * (rank + 1), 0) for rank in range(4)]}
    found = flows(measured, Rows(rows))
    assert not found.measured_pairs
    # Sixteen messages between eight pairs: two each, in the time of the slowest rank.
    assert len(found.messages) == 8
    assert {(each.bytes, each.rate) for each in found.messages} == {(2000, 0.5)}


def test_collectives_are_refused_since_they_choose_their_messages():
    measured = run([point(0, 8)], [launch(0, "abcd", waiting(0, 8, ()))])
    with pytest.raises(UserError, match="says which ranks talk to which"):
        flows(measured, Rows({0: [(0, 0, -1, 1e-3, 0)]}))


def test_a_map_says_what_its_links_carry_and_that_it_was_simulated():
    measured = run([point(0, 10**6, way="half")], [launch(0, "abcd", waiting(0, 10**6, PAIRS))],
                   platform=CROSSBAR)  # fmt: skip
    found = flows(measured, Rows({0: [(0, 0, 1, 1e-3, 0)]}))
    network = interconnect_of(CROSSBAR)
    names = [vertex.name for vertex in network.graph.vertices][:16]
    drawn = composed(network, nobody(names), "", "", (measured, found))
    assert drawn.traffic.simulated and drawn.traffic.pairs == 1
    assert "way=half" in drawn.traffic.figure
    assert [link.MBps for link in drawn.links[:3]] == [1000, 1000, 0]
    assert any("drawn on its first nodes" in note for note in drawn.notes)
