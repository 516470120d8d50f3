"""What differs on one node, and what is wrong on all of them alike."""

import pytest

from leadline.analysis.screen.kinds import clock_differences, setting_differences
from leadline.model.summary import CheckResult

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
