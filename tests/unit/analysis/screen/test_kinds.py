"""Nodes of several kinds: each is held against its own."""

import random

import numpy as np
import pytest
from comparison.screening_cluster import Cluster, slow_processor, slow_rate

from leadline.analysis.screen.judge import judge
from leadline.analysis.screen.kinds import kind_numbers, kinds
from leadline.analysis.screen.matchings import first_rounds, later_rounds
from leadline.analysis.screen.observations import joined
from leadline.site.hardware.kind import Hardware

GIB = 2**30
OLD = Hardware("Xeon 6148", 40, 192 * GIB, ("MT_1",))
NEW = Hardware("EPYC 9654", 192, 768 * GIB, ("MT_2", "MT_2"))
MIXED = [0] * 18 + [1] * 6


def _screened(faults, kinds_of_nodes=MIXED, seed=1):
    nodes = len(kinds_of_nodes)
    cluster = Cluster(nodes, np.random.default_rng(seed), faults, kinds=kinds_of_nodes)
    chance = random.Random(seed)
    rounds = first_rounds(nodes, None, chance)
    seen = cluster.measure(rounds)
    later = later_rounds(seen, nodes, None, chance)
    pairs = joined([seen, cluster.measure(later, len(rounds))])
    return judge(cluster.measure_nodes()), judge(pairs)


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_slower_kind_is_no_slow_node(seed):
    assert _screened([], seed=seed) == ([], [])


@pytest.mark.parametrize("node", [3, 20])
def test_a_slow_node_of_either_kind_is_named(node):
    own, _ = _screened([slow_processor(node)])
    assert [each.names for each in own] == [(node,)]
    assert own[0].ratios["arithmetic"] == pytest.approx(1.5, rel=0.05)
    _, pairs = _screened([slow_rate(node)])
    assert [each.names for each in pairs] == [(node,)]


def test_two_kinds_taken_as_one_accuse_the_slower_ones():
    cluster = Cluster(24, np.random.default_rng(1), kinds=MIXED)
    seen = cluster.measure_nodes()
    assert {each.names[0] >= 18 for each in judge(seen._replace(group=0 * seen.group))} == {True}


@pytest.mark.parametrize("seed", range(2, 5))
def test_a_node_alone_of_its_kind_is_compared_with_nothing(seed):
    lone = [0] * 18 + [1]
    own, pairs = _screened([slow_processor(18), slow_rate(18)], lone, seed)
    assert (own, pairs) == ([], [])


def test_the_same_hardware_is_one_kind_in_spite_of_a_little_memory():
    nodes = {f"a{i}": OLD._replace(memory_bytes=(190 + i) * GIB) for i in range(4)}
    found = kinds({**nodes, "b": NEW, "c": OLD._replace(memory_bytes=96 * GIB)})
    assert len(set(found.values())) == 3
    assert found["a3"] == "Xeon 6148, 40 processors, 190 GiB, 1 MT_1"
    assert found["b"] == "EPYC 9654, 192 processors, 768 GiB, 2 MT_2"
    assert found["c"] == "Xeon 6148, 40 processors, 96 GiB, 1 MT_1"
    assert list(found) == ["a0", "a1", "a2", "a3", "b", "c"]


def test_two_of_a_kind_do_not_tell_which_is_slow():
    assert kind_numbers(["x", "y", "x", "x", "y"]) == [0, 1, 0, 0, 2]
    assert kind_numbers([]) == []
