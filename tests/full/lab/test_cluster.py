"""What a command line asks for, and the lines for `ip` and `tc` that follow from it."""

import doctest

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.site.vcluster import cluster as module
from leadline.site.vcluster import network
from leadline.site.vcluster.cluster import Cluster, check_name, cluster, parse_latency, parse_rate

PIDS = {"switch": 100, "head": 101, "h0": 102, "h1": 103}


def test_examples_hold():
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "rate"),
    [("100mbit", 10**8), ("2.5gbit", 2_500_000_000), ("1000kbit", 10**6), ("1GBIT", 10**9)],
)
def test_rates(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "1", "fast", "-1gbit", "1kbit", "200gbit", "1gbps", "1e9bit"])
def test_what_is_no_rate_is_one_line(text):
    with pytest.raises(UserError, match=r"^rate '.*': write it as 100mbit or 2.5gbit, from"):
        parse_rate(text)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0, "2", "1gbit", 1, None), "^0 nodes: 1 to 64"),
        ((65, "2", "1gbit", 1, None), "^65 nodes: 1 to 64"),
        ((4, "2,2", "1gbit", 1, None), "^cores '2,2': there are 4 nodes and 2 numbers"),
        ((4, "0", "1gbit", 1, None), "^cores '0': write 2, or one number for each"),
        ((4, "2", "1gbit", 3, None), "^3 switches for 4 nodes"),
        ((1, "2", "1gbit", 2, None), "^2 switches for 1 nodes"),
        ((4, "2", "1gbit", 1, "1gbit"), "^backbone 1gbit: one switch has none"),
    ],
)
def test_an_impossible_cluster_is_one_line(given, words):
    with pytest.raises(UserError, match=words):
        cluster(*given)


def test_hosts_are_dealt_to_switches_in_blocks():
    made = cluster(4, "2,2,1,1", "1gbit", 2, None)
    assert made == Cluster(cores=(2, 2, 1, 1), link=10**9, switches=2, backbone=10**9)
    assert [(host.name, host.switch) for host in made.hosts] == [
        ("h0", 0),
        ("h1", 0),
        ("h2", 1),
        ("h3", 1),
    ]
    assert len({node.address for node in made.nodes}) == 5
    assert "10.77.0.3\th2\n" in made.host_file


def test_the_lines_for_the_switches():
    lines = list(network.switch_lines(cluster(2, "1", "1gbit", 2, "100mbit"), PIDS))
    assert lines[:4] == [
        "link add sw0 type bridge",
        "link set sw0 addrgenmode none",
        "link set sw0 up",
        "link add sw1 type bridge",
    ]
    assert "link add backbone type veth peer name backbone-end" in lines
    assert "link set backbone-end master sw1" in lines
    assert "link add h1 type veth peer name eth0 address 02:00:0a:4d:00:02 netns 103" in lines
    assert "link set h1 master sw1" in lines
    assert "link set head master sw0" in lines


def test_the_lines_for_a_host():
    made = cluster(2, "1", "1gbit", 1, None)
    lines = list(network.node_lines(made, made.hosts[1], "cubic"))
    assert "addr add 10.77.0.2/24 dev eth0 noprefixroute" in lines
    assert "route add 10.77.0.0/24 dev eth0 src 10.77.0.2 congctl cubic" in lines
    assert [line.split()[2] for line in lines if line.startswith("neigh")] == [
        "10.77.0.1",
        "10.77.0.254",
    ]


def test_links_that_take_time_have_no_bridges_but_ports():
    made = cluster(2, "1", "1gbit", 2, None, "50us")
    assert made.latency_ns == 50_000
    lines = list(network.switch_lines(made, PIDS))
    assert not [line for line in lines if "bridge" in line or "master" in line]
    assert list(network.delay_ports(made)) == [
        "h0,0,02:00:0a:4d:00:01,50000,50000",
        "h1,1,02:00:0a:4d:00:02,50000,50000",
        "head,0,02:00:0a:4d:00:fe,0,0",
        "backbone,0,-,0,50000",
        "backbone-end,1,-,0,50000",
    ]


def test_one_late_link_leaves_its_bridge_and_comes_back():
    made = msgspec.structs.replace(cluster(4, "1", "1gbit", 2, None), late_ns={"h2": 70_000})
    lines = list(network.late_lines(made, "h2"))
    assert lines[:3] == [
        "link add h2-late type veth peer name h2-port",
        "link set h2 nomaster",
        "link set h2-port master sw1",
    ]
    assert network.late_ports(made, "h2") == (
        "h2,1,02:00:0a:4d:00:03,70000,70000",
        "h2-late,1,-,0,0",
    )
    assert list(network.prompt_lines(made, "h2")) == ["link del h2-late", "link set h2 master sw1"]


@pytest.mark.parametrize(
    ("text", "found"), [("50us", 50_000), ("1.5ms", 1_500_000), ("0us", 0), ("100MS", 10**8)]
)
def test_latencies(text, found):
    assert parse_latency(text) == found


@pytest.mark.parametrize("text", ["", "50", "-1us", "1s", "101ms"])
def test_what_is_no_latency_is_one_line(text):
    with pytest.raises(UserError, match=r"^latency '.*': write it as 50us or 1.5ms, up to 100ms$"):
        parse_latency(text)


@pytest.mark.parametrize("name", ["../x", "A", "-a", "a" * 33, "a b"])
def test_what_is_no_name_is_one_line(name):
    with pytest.raises(UserError, match=r"^name '.*': up to 32 small letters, digits and dashes"):
        check_name(name)


def test_clusters_beside_each_other_have_addresses_of_their_own():
    made = msgspec.structs.replace(cluster(2, "1", "1gbit", 1, None), number=3)
    assert made.network == "10.77.3.0/24"
    assert "10.77.3.2\th1\n" in made.host_file
    assert "addr add 10.77.3.1/24 dev eth0 noprefixroute" in list(
        network.node_lines(made, made.hosts[0], "")
    )


def test_both_ends_of_the_backbone_are_shaped_and_the_head_is_not():
    shaped = list(network.shape_links(cluster(2, "1", "1gbit", 2, "100mbit")))
    assert [line.split()[3] for line in shaped] == ["h0", "h1", "backbone", "backbone-end"]
    assert all(" rate 100000000bit " in line for line in shaped[2:])


@pytest.mark.parametrize("rate", [10**6, 10**8, 10**9, 25 * 10**8, 10**11])
def test_a_packet_is_never_larger_than_half_a_bucket(rate):
    packet = int(network.packet_line(rate).split()[-1])
    burst = int(network.shape_line("eth0", rate).split()[9])
    assert 4096 <= packet <= burst / 2
