"""Topologies: graph, routes and SimGrid's file say the same machine. SimGrid is the judge."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from example_platform import LATENCY_S, MACHINES, machine
from programs import compiled, run

from leadline.topology.platforms.routes import Routes
from leadline.topology.platforms.simulation import description


@pytest.fixture(scope="module")
def ask_simgrid(tmp_path_factory):
    """Return a function from a platform's text and nodes to the lines that SimGrid answers."""
    compiler = shutil.which("g++")
    if not (compiler and shutil.which("smpirun")):
        pytest.skip("no SimGrid here: see tools/test-packages")
    folder = tmp_path_factory.mktemp("routes")
    source = Path(__file__).with_name("routes.cpp")
    program = compiled(compiler, source, folder, "-std=c++17", "-lsimgrid")

    def ask(text, nodes):
        file = folder / "platform.xml"
        file.write_text(text)
        done = run(program, file, nodes, status=0)
        return [line.split() for line in done.stdout.splitlines()]

    return ask


@pytest.mark.parametrize(("topology", "nodes"), MACHINES)
def test_messages_take_the_links_that_simgrid_takes(ask_simgrid, topology, nodes):
    platform = machine(topology, nodes)
    routes = Routes(platform)
    edges = routes.graph.edges
    table = routes.table(nodes)
    names: dict[tuple[int, bool], str] = {}
    answers = ask_simgrid(description(platform, nodes), nodes)
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
