"""Nodes of several kinds: each is held against its own."""

import random

import numpy as np
import pytest
from comparison.screening_cluster import Cluster, slow_processor, slow_rate

from leadline.analysis.screen.judge import judge
from leadline.analysis.screen.kinds import (
    clock_differences,
    kind_numbers,
    kinds,
    setting_differences,
)
from leadline.analysis.screen.matchings import first_rounds, later_rounds
from leadline.analysis.screen.observations import joined
from leadline.model.summary import CheckResult
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


NODES = [f"n{at}" for at in range(8)]


def governor(name):
    return CheckResult(
        name="frequency-governor",
        status="ok" if name == "performance" else "warn",
        observed=f"{name} on 4 processors",
        meaning="",
        command=None if name == "performance" else "cpupower",
    )


def nodes(*names):
    rest = [names[-1]] * (len(NODES) - len(names))
    return {node: [governor(name)] for node, name in zip(NODES, [*names, *rest], strict=True)}


def test_what_one_node_has_and_the_others_not_is_a_difference():
    (one,) = setting_differences(nodes("powersave", "performance"))
    assert (one.node, one.check, one.command) == ("n0", "frequency-governor", "cpupower")
    assert one.observed == "powersave on 4 processors"
    assert one.usual == "performance on 4 processors"


def test_what_all_nodes_have_is_none():
    assert setting_differences(nodes("powersave")) == []


def test_the_one_good_node_differs_too():
    (one,) = setting_differences(nodes("performance", "powersave"))
    assert (one.node, one.command) == ("n0", None)


def test_two_kinds_of_nodes_are_not_compared():
    assert len(setting_differences(nodes("a", "b", "performance"))) == 2
    assert setting_differences(nodes("a", "a", "a", "performance")) == []


def test_three_nodes_tell_nothing():
    few = dict(list(nodes("powersave", "performance").items())[:3])
    assert setting_differences(few) == []
    assert clock_differences({"a": 0.0, "b": 0.0, "c": 9.0}, 0.0) == []


@pytest.mark.parametrize("away", [2.0, -0.05])
def test_a_clock_that_is_off_is_named(away):
    wall = {node: 1.7e9 + 1e-4 * at for at, node in enumerate(NODES)}
    wall["n5"] += away
    (one,) = clock_differences(wall, 1e-5)
    assert (one.node, one.check) == ("n5", "time-of-day")
    assert one.observed.endswith("ahead" if away > 0 else "behind")


def test_clocks_within_what_is_known_do_not_differ():
    wall = dict.fromkeys(NODES, 1.7e9) | {"n5": 1.7e9 + 0.05}
    assert clock_differences(wall, error_s=0.1) == []
    assert clock_differences(dict.fromkeys(NODES, 1.7e9) | {"n5": 1.7e9 + 0.005}, 0.0) == []
    loose = {node: 1.7e9 + at for at, node in enumerate(NODES)}
    assert clock_differences(loose, 0.0) == []
