"""Who is drawn on which node."""

import msgspec
import pytest
from example_maps import job, node
from example_runs import launch, run

from leadline.analysis.network_map.node_owners import BEYOND, LETTERS, by_jobs, by_runs
from leadline.core.errors import UserError
from leadline.output.terminal.picture import DOWN, DRAINED, FREE, SEVERAL, USED
from leadline.site.schedulers.slurm.topology import expand_names, tree

NAMES = ["a", "b", "c", "d"]


def test_jobs_and_phases_are_on_the_nodes_that_the_system_names():
    nodes = [node("d", "down", "fan"), node("c", "drained"), node("b"), node("a", "allocated")]
    held = by_jobs(NAMES, [job(1, ["b", "c"]), job(2, ["b"]), job(3, [])], nodes, {})
    assert [each.jobs for each in held.nodes] == [(), (0, 1), (0,), ()]
    assert [each.phase for each in held.nodes] == ["used", "used", "drained", "down"]
    assert held.nodes[3].note == "fan"
    assert [(each.id, each.nodes, each.letter) for each in held.jobs] == [
        ("1", 2, "A"),
        ("2", 1, "B"),
    ]


def test_a_node_that_is_used_in_part_is_used_though_nobody_names_its_job():
    held = by_jobs(["a", "b"], [], [node("a", "mixed"), node("b")], {})
    assert [each.phase for each in held.nodes] == ["used", "free"]


def test_nodes_with_other_names_are_taken_in_order_and_it_is_said():
    held = by_jobs(NAMES, [job(1, ["x7"])], [node("x6"), node("x7")], {})
    assert [each.jobs for each in held.nodes] == [(), (0,), (), ()]
    assert [each.name for each in held.nodes] == ["x6", "x7", "c", "d"]
    assert "first nodes" in held.notes[0]


def test_a_host_and_its_full_name_are_the_same():
    held = by_jobs(NAMES, [job(1, ["b.site.org"])], [node(f"{name}.site.org") for name in "ab"], {})
    assert [each.jobs for each in held.nodes] == [(), (0,), (), ()]
    assert held.notes == ()


def test_more_nodes_than_the_machine_has_are_refused():
    with pytest.raises(UserError, match="5 nodes do not fit on a machine of 4"):
        by_jobs(NAMES, [], [node(f"x{number}") for number in range(5)], {})


def test_a_job_keeps_its_letter_while_others_come_and_go():
    nodes, letters = [node(name) for name in NAMES], {}
    by_jobs(NAMES, [job(1, ["a"]), job(2, ["b"])], nodes, letters)
    held = by_jobs(NAMES, [job(2, ["b"]), job(3, ["c"])], nodes, letters)
    assert [(each.id, each.letter) for each in held.jobs] == [("2", "B"), ("3", "A")]


def test_letters_are_none_of_the_marks_and_end_in_a_sign_of_their_own():
    assert not set(LETTERS) & {FREE, DOWN, DRAINED, USED, SEVERAL, BEYOND}
    nodes = [node(f"n{number}") for number in range(len(LETTERS) + 2)]
    jobs = [job(number, [each.name]) for number, each in enumerate(nodes)]
    held = by_jobs([each.name for each in nodes], jobs, nodes, {})
    assert [each.letter for each in held.jobs] == [*LETTERS, BEYOND, BEYOND]


def test_ranks_of_runs_are_on_their_hosts():
    first, second = run([], [launch(0, "bbc")]), run([], [launch(0, "cd")], name="other")
    held = by_runs(NAMES, [first, second])
    assert [each.ranks for each in held.nodes] == [(), (0, 1), (0, 2), (1,)]
    assert [each.jobs for each in held.nodes] == [(), (0,), (0, 1), (1,)]
    assert [each.nodes for each in held.jobs] == [2, 2]


def test_the_launch_with_the_most_nodes_is_drawn():
    held = by_runs(NAMES, [run([], [launch(0, "ab"), launch(1, "abc"), launch(2, "aa")])])
    assert [each.ranks for each in held.nodes] == [(0,), (1,), (2,), ()]


def test_nodes_that_share_a_host_are_told_apart():
    held = by_runs(NAMES, [run([], [launch(0, ["vm", "vm"], nodes=[0, 1])])])
    assert [each.ranks for each in held.nodes] == [(0,), (1,), (), ()]


def test_victims_and_what_is_beside_them_are_told_apart():
    made = run([], [launch(0, "aabbccdd")])
    made.plan = msgspec.structs.replace(made.plan, victims=1)
    held = by_runs(NAMES, [made])
    assert [each.jobs for each in held.nodes] == [(0,), (1,), (1,), (1,)]
    assert [(each.name, each.nodes) for each in held.jobs] == [
        ("measured", 1),
        ("beside the measured", 3),
    ]


def test_a_run_without_ranks_is_refused():
    with pytest.raises(UserError, match="does not say where its ranks were"):
        by_runs(NAMES, [run([], [])])


# As scontrol(1) of Slurm 22.05 prints a tree of topology.conf(5).
TOPOLOGY = """\
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]
SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]
"""


def test_slurms_switches_are_a_tree():
    ground = tree(TOPOLOGY, [node(f"n{number}") for number in range(4)])
    names = [vertex.name for vertex in ground.graph.vertices]
    assert names == ["n0", "n1", "n2", "n3", "s0", "s1", "s2"]
    joined = [(names[edge.one], names[edge.other]) for edge in ground.graph.edges]
    assert ("n2", "s1") in joined and ("s0", "s2") in joined
    way = [joined[edge] for edge in ground.route(0, 3)]
    assert way == [("n0", "s0"), ("s0", "s2"), ("s1", "s2"), ("n3", "s1")]


@pytest.mark.parametrize("text", ["", "No topology information available\n", TOPOLOGY[:30]])
def test_without_switches_slurm_knows_no_tree(text):
    assert tree(text, [node(f"n{number}") for number in range(4)]) is None


def test_nodes_without_a_switch_stand_apart():
    ground = tree(TOPOLOGY[:50], [node(f"n{number}") for number in range(3)])
    assert [vertex.name for vertex in ground.graph.vertices] == ["n0", "n1", "n2", "s0"]
    assert ground.route(0, 2) == []


def test_slurms_lists_are_expanded():
    assert expand_names("n[08-10,3]-ib,x") == ["n08-ib", "n09-ib", "n10-ib", "n3-ib", "x"]
