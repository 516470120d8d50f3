"""Topologies: graph, routes and SimGrid's file say the same machine. SimGrid is the judge."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from example_platform import LATENCY_S, machine

from leadline.core.errors import UserError
from leadline.topology.platforms.description import description
from leadline.topology.platforms.routes import Routes
from leadline.topology.platforms.topology import topology_of

MACHINES = [
    ({"kind": "crossbar"}, 5),
    ({"kind": "crossbar", "rails": 2}, 4),
    ({"kind": "bus"}, 4),
    ({"kind": "torus", "shape": [4, 3, 2]}, 24),
    ({"kind": "torus", "shape": [5, 2]}, 10),
    ({"kind": "torus", "shape": [6, 1, 4]}, 24),
    ({"kind": "torus", "shape": [2, 3, 2, 4]}, 48),
    ({"kind": "torus", "shape": [4, 3, 2], "nic_bandwidth": 5e8, "nic_latency_s": 2e-6}, 24),
    ({"kind": "fat_tree", "down": [4, 4], "up": [1, 2]}, 16),
    ({"kind": "fat_tree", "down": [4, 3, 2], "up": [1, 2, 3]}, 24),
    ({"kind": "fat_tree", "down": [3, 4], "up": [2, 2]}, 12),
    ({"kind": "dragonfly", "groups": 3, "routers": 4, "nodes": 2}, 24),
    ({"kind": "dragonfly", "groups": 1, "routers": 4, "nodes": 2}, 8),
    ({"kind": "islands", "sizes": [2, 3, 1], "trunk_bandwidth": 1e8, "trunk_latency_s": 1e-6}, 6),
]


@pytest.fixture(scope="module")
def routes(tmp_path_factory):
    """Return a function from a platform's text and nodes to the lines that SimGrid answers."""
    compiler = shutil.which("g++")
    if not (compiler and shutil.which("smpirun")):
        pytest.skip("no SimGrid here: see tools/test-packages")
    folder = tmp_path_factory.mktemp("routes")
    program = folder / "routes"
    source = Path(__file__).with_name("routes.cpp")
    subprocess.run(
        [compiler, "-std=c++17", str(source), "-o", str(program), "-lsimgrid"], check=True
    )

    def ask(text, nodes):
        file = folder / "platform.xml"
        file.write_text(text)
        command = [str(program), str(file), str(nodes)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return [line.split() for line in done.stdout.splitlines()]

    return ask


@pytest.mark.parametrize(("topology", "nodes"), MACHINES)
def test_messages_take_the_links_that_simgrid_takes(routes, topology, nodes):
    platform = machine(topology, nodes)
    routes = Routes(platform)
    edges = routes.graph.edges
    table = routes.table(nodes)
    names: dict[tuple[int, bool], str] = {}
    answers = routes(description(platform, nodes), nodes)
    assert len(answers) == nodes**2
    for one, other, latency, *links in answers:
        if one == other:
            assert float(latency) == platform.node.latency_s
            continue
        at, directions = int(one), []
        for number in routes.route(int(one), int(other)):
            edge = edges[number]
            assert table[int(other), at] == 2 * number + (at == edge.other)
            assert at in (edge.one, edge.other)
            directions.append((number, at == edge.one))
            at = edge.other if at == edge.one else edge.one
        assert at == int(other)
        on_edges = [link for link in links if "backbone" not in link and "nic" not in link]
        for direction, name in zip(directions, on_edges, strict=True):
            assert names.setdefault(direction, name) == name
        nics = 2 * topology.get("nic_latency_s", 0.0)
        assert float(latency) == pytest.approx(len(directions) * LATENCY_S + nics)
        assert routes.lengths(np.array([int(one)]), np.array([int(other)])) == [len(directions)]
    assert len(set(names.values())) == len(names)


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
        ({"kind": "torus", "shape": "4x4"}, 16, "topology: Expected `array`"),
        ({"kind": "torus", "dims": [4]}, 4, "topology.dims is not known: there is shape"),
        ({"kind": "torus"}, 4, "missing required field `shape`"),
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
