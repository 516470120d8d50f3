"""Topologies: graph, routes and SimGrid's file say the same machine. SimGrid is the judge."""

import pytest
from example_platform import MACHINES, machine

from leadline.core.errors import UserError
from leadline.topology.platforms.topologies import topology_of


@pytest.mark.parametrize(("topology", "nodes"), MACHINES)
def test_graphs_begin_with_the_nodes_and_name_things_once(topology, nodes):
    graph = topology_of(machine(topology, nodes)).graph(machine(topology, nodes))
    kinds = [vertex.kind for vertex in graph.vertices]
    assert kinds[:nodes] == ["node"] * nodes
    assert "node" not in kinds[nodes:]
    assert [vertex.name for vertex in graph.vertices[:nodes]] == [f"n{n}" for n in range(nodes)]
    assert len({vertex.name for vertex in graph.vertices}) == len(graph.vertices)
    assert len({vertex.place for vertex in graph.vertices}) == len(graph.vertices)
    used = {end for edge in graph.edges for end in (edge.one, edge.other)}
    assert used == set(range(len(graph.vertices)))


def test_a_torus_tells_the_links_that_close_its_rings():
    graph = topology_of(machine({"kind": "torus", "shape": [4, 3]}, 12)).graph(
        machine({"kind": "torus", "shape": [4, 3]}, 12)
    )
    around = [edge for edge in graph.edges if edge.around]
    assert len(graph.edges) == 24
    assert len(around) == 3 + 4
    for edge in around:
        one, other = (graph.vertices[end].coordinates for end in (edge.one, edge.other))
        assert 0 in other
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 1


@pytest.mark.parametrize(
    ("topology", "nodes", "words"),
    [
        ({"kind": "ring"}, 4, "no topology 'ring'"),
        ({"kind": "torus", "shape": [4, 4]}, 12, "nodes is 12, but topology.shape 4x4 makes 16"),
        ({"kind": "torus", "shape": [4, 0]}, 12, "topology.shape 4x0 has to be of whole numbers"),
        ({"kind": "torus", "shape": "4x4"}, 16, "topology: shape is text: write a list"),
        ({"kind": "torus", "dims": [4]}, 4, "topology.dims is not known: there is shape"),
        ({"kind": "torus"}, 4, "shape is missing: write shape = "),
        ({"kind": "crossbar", "shape": [4]}, 4, "topology.shape is not known"),
        ({"kind": "crossbar", "rails": 0}, 4, "topology.rails is 0"),
        ({"kind": "fat_tree", "down": [4], "up": [1, 2]}, 4, "one number for each level"),
        ({"kind": "fat_tree", "down": [4, 2], "up": [1, 0]}, 8, "topology.up"),
        ({"kind": "dragonfly", "groups": 5, "routers": 4, "nodes": 2}, 40, "at most routers 4"),
        (
            {"kind": "islands", "sizes": [2, 3], "trunk_bandwidth": 1.0, "trunk_latency_s": 0.0},
            6,
            "nodes is 6, but topology.sizes makes 5",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(topology, nodes, words):
    platform = machine(topology, nodes)
    with pytest.raises(UserError) as refused:
        topology_of(platform).graph(platform)
    assert words in str(refused.value)
    assert str(refused.value).startswith("platform example: ")
    assert "\n" not in str(refused.value)
