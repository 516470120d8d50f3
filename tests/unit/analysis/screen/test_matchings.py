"""Rounds of pairs: disjoint, complete, and where they are meant to be."""

import itertools
from random import Random

import pytest

from leadline.analysis.screen.matchings import (
    circle,
    confirming_count,
    confirming_rounds,
    random_rounds,
    structured_rounds,
)


def _nodes_of(matching):
    return [node for pair in matching for node in pair]


@pytest.mark.parametrize("nodes", [2, 3, 4, 7, 8, 31, 32])
def test_circle_has_each_pair_once(nodes):
    rounds = circle(nodes)
    assert len(rounds) == nodes - 1 + nodes % 2
    pairs = [pair for matching in rounds for pair in matching]
    assert sorted(pairs) == sorted(itertools.combinations(range(nodes), 2))
    for matching in rounds:
        assert len(set(_nodes_of(matching))) == 2 * (nodes // 2)


@pytest.mark.parametrize("nodes", [9, 32, 1024])
def test_random_rounds_have_no_pair_twice(nodes):
    rounds = random_rounds(nodes, 5, Random(3))
    pairs = [pair for matching in rounds for pair in matching]
    assert len(pairs) == len(set(pairs)) == 5 * (nodes // 2)
    assert rounds != random_rounds(nodes, 5, Random(4))


def test_few_nodes_meet_again():
    rounds = random_rounds(4, 5, Random(1))
    assert len(rounds) == 5
    assert len({pair for matching in rounds[:3] for pair in matching}) == 6


def test_every_other_structured_round_stays_inside():
    switches = [f"s{node // 8}" for node in range(32)]
    rounds = structured_rounds(switches, 5, Random(5))
    for turn, matching in enumerate(rounds):
        assert sorted(_nodes_of(matching)) == list(range(32))
        inside = {switches[first] == switches[second] for first, second in matching}
        assert inside == {bool(turn % 2)}
    pairs = [pair for matching in rounds for pair in matching]
    assert len(set(pairs)) == len(pairs)


def test_those_left_over_inside_meet_across():
    switches = ["a"] * 3 + ["b"] * 5
    inside = structured_rounds(switches, 2, Random(1))[1]
    across = [pair for pair in inside if switches[pair[0]] != switches[pair[1]]]
    assert len(inside) == 4
    assert len(across) == 1


def test_one_switch_is_no_structure():
    assert len(structured_rounds(["a"] * 6, 5, Random(1))) == 5


def test_suspects_meet_good_nodes_and_links_come_again():
    good = [node for node in range(12) if node not in (3, 7)]
    met = [(0, 3), (3, 5)]
    rounds = confirming_rounds(12, [3], [(7, 8)], good, 2, Random(2), met)
    partner = []
    for matching in rounds:
        assert sorted(_nodes_of(matching)) == list(range(12))
        assert (7, 8) in matching
        partner += [a + b - 3 for a, b in matching if 3 in (a, b)]
    assert len(set(partner)) == 2
    assert not {0, 5, 7, 8} & set(partner)


@pytest.mark.parametrize("nodes", [4, 6, 8, 16, 33, 1024])
def test_a_link_that_is_slow_each_time_is_no_chance(nodes):
    assert (nodes // 2) ** -confirming_count(nodes) <= 0.005
