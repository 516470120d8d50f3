"""The map of real machines: a Slurm that knows its switches, and a virtual cluster."""

import json
import os
import sys

import lab_possible
import pytest
from programs import run
from slurm_daemons import Slurm, running

WORDS = [sys.executable, "-m", "leadline"]
NODES = ("n0", "n1", "n2", "n3")
TOPOLOGY = (
    "SwitchName=left Nodes=n[0-1]\nSwitchName=right Nodes=n[2-3]\n"
    "SwitchName=top Switches=left,right\n"
)


def mapped(environment, *words):
    return run(*WORDS, "view", "map", *words, status=0, environment=environment).stdout


def links(drawn):
    names = [vertex["name"] for vertex in drawn["vertices"]]
    return {(names[link["one"]], names[link["other"]]) for link in drawn["links"]}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Give a Slurm of four nodes on two switches, the last drained, a job on the first two."""
    made = Slurm(tmp_path_factory.mktemp("slurm"), NODES, "TopologyPlugin=topology/tree\n")
    with running(made, files={"topology.conf": TOPOLOGY}) as started:
        started.ask("scontrol", "update", "nodename=n3", "state=drain", "reason=fan")
        words = ("-N2", "-wn0,n1", "-J", "halo", "--wrap", "sleep 300", "-o/dev/null")
        started.wait_until_running(started.ask("sbatch", "--parsable", *words))
        yield started


def test_slurms_nodes_hang_on_the_switches_that_it_names(slurm):
    drawn = json.loads(mapped(slurm.environment, "--system", "slurm", "--json"))
    assert (drawn["topology"], drawn["source"]) == ("switches", "slurm")
    assert [node["jobs"] for node in drawn["nodes"]] == [[0], [0], [], []]
    assert [node["phase"] for node in drawn["nodes"]] == ["used", "used", "free", "drained"]
    assert (drawn["jobs"][0]["name"], drawn["jobs"][0]["nodes"]) == ("halo", 2)
    assert links(drawn) == {
        ("n0", "left"), ("n1", "left"), ("n2", "right"), ("n3", "right"),
        ("left", "top"), ("right", "top"),
    }  # fmt: skip


def test_slurms_nodes_are_drawn_in_letters(slurm):
    text = mapped(slurm.environment, "--system", "slurm")
    assert "left   A A" in text and "right  . -" in text
    assert "halo" in text


def test_a_virtual_cluster_is_drawn_with_its_links(tmp_path):
    if why := lab_possible.why_not():
        pytest.skip(why)
    environment = {**os.environ, "LEADLINE_LAB": str(tmp_path / "lab")}
    lab = [*WORDS, "virtual-cluster"]
    up = ["up", "--nodes", "4", "--switches", "2", "--link", "1gbit"]
    try:
        run(*lab, *up, status=0, environment=environment)
        drawn = json.loads(mapped(environment, "--system", "plain", "--json"))
    finally:
        run(*lab, "down", status=0, environment=environment)
    assert [node["name"] for node in drawn["nodes"]][1:] == ["h0", "h1", "h2", "h3"]
    assert links(drawn) == {
        ("h0", "switch 0"), ("h1", "switch 0"), ("h2", "switch 1"), ("h3", "switch 1"),
        ("switch 0", "switch 1"),
    }  # fmt: skip
