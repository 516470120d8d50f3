"""Platforms by name and file, and what if some of their numbers were others."""

import json

import msgspec
import pytest
from example_platform import machine

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.model.platform import Software, Step
from leadline.topology.platforms.catalogue import (
    change_platform,
    known_platforms,
    numbers,
    read_platform,
    to_toml,
)
from leadline.topology.platforms.routes import Routes
from leadline.topology.platforms.simulation import fill_nodes, messages, options, simulation
from leadline.topology.platforms.topologies import topology_called

TORUS = machine({"kind": "torus", "shape": [4, 4, 2]}, 32)


@pytest.mark.parametrize("name", sorted(known_platforms()))
def test_shipped_platforms_are_sound_and_say_where_their_figures_come_from(name):
    platform = read_platform(name)
    assert platform.name == name
    assert platform.source
    assert platform.calibration
    assert len(platform.summary) < 120


def test_a_misspelt_name_is_told_what_is_alike():
    with pytest.raises(UserError, match="did you mean cray-xt"):
        read_platform("crai-xt")
    with pytest.raises(UserError, match="there is chic, cray-t3e"):
        read_platform("zzz")


def test_the_users_own_platform_comes_before_a_shipped_one(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path))
    folder = tmp_path / "platforms"
    folder.mkdir()
    text = known_platforms()["chic"].read_text().replace("nodes = 538", "nodes = 7")
    (folder / "chic.toml").write_text(text)
    assert read_platform("chic").nodes == 7


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("format = 1", "format = 2", "has format 2, not 1"),
        ("nodes = 538", "nodez = 538", "unknown key nodez: did you mean node"),
        ("nodes = 538", "nodes = 0", "nodes is 0: it has to be from 1"),
        ("nodes = 538", "nodes = ", "is not TOML"),
        ("bandwidth = 767e6", "bandwidth = -1", "network.bandwidth is -1: it has to be above 0"),
        ("latency_s = 1.6e-6", "latency_s = nan", "network.latency_s is nan"),
        ("send = [[0, 0.4e-6]]", "send = [[8, 0.4e-6]]", r"software.send begin at \[8\]"),
        ("error = 0.01", "error = 1.5", "calibration.error is 1.5"),
        ("cores = 4", 'cores = "four"', "is text: write a whole number"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path, old, new, words):
    text = known_platforms()["chic"].read_text()
    assert old in text
    file = tmp_path / "mine.toml"
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError, match=words) as refused:
        read_platform(str(file))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_or_not_text_is_one_line(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_platform(str(tmp_path / "gone.toml"))
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not text"):
        read_platform(str(tmp_path / "odd.toml"))


def test_numbers_change_by_value_and_by_factor():
    found = change_platform(
        TORUS, "network.bandwidth=x2,node.cores=4,nodes=64,topology.shape=4x4x4"
    )
    assert found.network.bandwidth == 2 * TORUS.network.bandwidth
    assert found.node.cores == 4
    assert (found.nodes, found.topology["shape"]) == (64, [4, 4, 4])
    assert found.changes == ("network.bandwidth=x2,node.cores=4,nodes=64,topology.shape=4x4x4",)
    again = change_platform(found, "network.latency_s=x0.5")
    assert again.network.latency_s == TORUS.network.latency_s / 2
    assert len(again.changes) == 2
    assert change_platform(TORUS, "noise.probability=0.005").noise.probability == 0.005


def test_what_was_calibrated_does_not_hold_for_another_machine():
    chic = read_platform("chic")
    assert chic.calibration
    assert not change_platform(chic, "network.bandwidth=x2").calibration


def test_changes_that_come_to_nothing_are_the_same_machine():
    same = change_platform(TORUS, "network.bandwidth=x1")
    assert msgspec.structs.replace(same, changes=()) == TORUS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nodes", "change 'nodes' is not KEY=VALUE"),
        ("network.width=1", "there is no number network.width: there is nodes, topology.shape"),
        ("nodes=64", "nodes is 64, but topology.shape 4x4x2 makes 32"),
        ("nodes=x1.01", "nodes=x1.01 makes 32.32: it has to be a whole number"),
        ("network.bandwidth=fast", "write it like 1e+09 or x2"),
        ("topology.shape=big", "write it like 4x4x2"),
        ("network.bandwidth=x0", "network.bandwidth is 0"),
        ("name=1", "there is no number name"),
    ],
)
def test_a_change_that_cannot_be_is_one_line(text, words):
    with pytest.raises(UserError) as refused:
        change_platform(TORUS, text)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_numbers_are_all_that_can_change():
    assert set(numbers(TORUS)) >= {"nodes", "topology.shape", "node.cores", "noise.seed"}
    assert not {"format", "name", "summary"} & set(numbers(TORUS))


def test_processes_fill_the_cores_of_nodes():
    assert fill_nodes(TORUS, 1) == Placement(1, 1)
    assert fill_nodes(TORUS, 2) == Placement(1, 2)
    assert fill_nodes(TORUS, 64) == Placement(32, 2)
    for processes, words in ((0, "from 1 to 64"), (65, "from 1 to 64"), (3, "a multiple of 2")):
        with pytest.raises(UserError, match=words):
            fill_nodes(TORUS, processes)


def test_a_job_gets_the_first_hosts_and_no_more_than_there_are():
    found = simulation(TORUS, Placement(3, 2))
    assert found.hosts == ("n0", "n1", "n2")
    assert found.platform == "example"
    with pytest.raises(UserError, match="puts 3 processes on a node of 2 cores"):
        simulation(TORUS, Placement(2, 3))
    with pytest.raises(UserError, match=r"needs 33 nodes of 32.*topology.shape"):
        simulation(TORUS, Placement(33, 1))


def test_steps_begin_with_the_bytes_that_they_name():
    chic = read_platform("chic")
    assert "smpi/os:0:4e-07:0.0" in options(chic)
    assert "smpi/send-is-detached-thresh:16384" in options(chic)
    score = read_platform("score-myrinet")
    assert "network_bandwidth 0,0.399,4096,0.802,40960,1.0,143360,0.892" in messages(score)
    two = msgspec.structs.replace(
        chic, software=Software(send=(Step(0, 1e-6), Step(100, 2e-6, 1e-9)))
    )
    assert "smpi/os:0:1e-06:0.0;99:2e-06:1e-09" in options(two)


@pytest.mark.parametrize("name", sorted(known_platforms()))
def test_a_written_platform_is_read_as_it_was(name, tmp_path):
    platform = read_platform(name)
    file = tmp_path / "again.toml"
    file.write_text(to_toml(platform))
    assert msgspec.to_builtins(read_platform(str(file))) == msgspec.to_builtins(platform)
    assert json.loads(msgspec.json.encode(platform))["name"] == name


@pytest.mark.parametrize("kind", ["crossbar", "bus", "torus", "fat_tree", "dragonfly"])
@pytest.mark.parametrize("nodes", [2, 7, 64, 100, 4096])
def test_a_topology_has_a_usual_form_of_any_size(kind, nodes):
    platform = machine(topology_called(kind).usual(nodes), nodes)
    assert len(Routes(platform).route(0, nodes - 1)) >= 1
