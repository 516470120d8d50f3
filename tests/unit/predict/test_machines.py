"""Platforms and runs as LogGP knows them."""

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.model.description import Benchmark, Delivery, Processes
from leadline.model.plan import Plan
from leadline.model.platform import Factor, Network, Node, Platform, Step
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis, Regime, Sweep
from leadline.predict.machines import machine_of_platform, machine_of_run
from leadline.predict.network import mean_links, network_of
from leadline.topology.platforms.catalogue import known_platforms, read_platform
from leadline.topology.platforms.routes import Routes

# What SMPI sends beside the data of a message.
HEADER_BYTES = 16


def platform(**topology):
    return Platform(
        format=1, name="p", summary="", source="", nodes=8, topology=topology,
        network=Network(
            bandwidth=1e9, latency_s=2e-6,
            bandwidth_factors=(Factor(0, 1.0), Factor(1000, 0.5)),
            latency_factors=(Factor(0, 1.0), Factor(64, 2.0)),
        ),
        node=Node(cores=2, flops=1e9, bandwidth=4e9, latency_s=1e-6),
    )  # fmt: skip


def test_factors_make_pieces_of_the_wire():
    machine = machine_of_platform(platform(kind="crossbar"))
    assert machine.between.wire == (
        Step(0, 2e-6, 1e-9), Step(64, 4e-6, 1e-9), Step(1000, 4e-6, 2e-9)
    )  # fmt: skip
    assert machine.within.wire == (Step(0, 1e-6, 0.25e-9),)


@pytest.mark.parametrize(
    ("topology", "fraction"),
    [
        ({"kind": "crossbar"}, 1.0),
        ({"kind": "crossbar", "rails": 2}, 0.5),
        ({"kind": "torus", "shape": [2, 2, 2]}, 1 / 3),
        ({"kind": "torus", "shape": [8, 1, 1]}, 1 / 2),
        ({"kind": "torus", "shape": [2, 2, 2], "nic_bandwidth": 2e9}, 0.5),
        ({"kind": "fat_tree", "down": [4, 2], "up": [2, 4]}, 0.5),
    ],
)
def test_a_node_with_several_links_has_a_wider_port(topology, fraction):
    assert machine_of_platform(platform(**topology)).port_fraction == pytest.approx(fraction)


def test_a_narrow_way_into_the_network_is_what_a_message_gets():
    machine = machine_of_platform(
        platform(kind="torus", shape=[2, 2, 2], nic_bandwidth=5e8, nic_latency_s=3e-6)
    )
    assert machine.between.wire[0].seconds_per_byte == 2e-9
    assert machine.port_fraction == 1.0
    assert machine.links == 3.0  # two ways in, each worth one and a half links


@pytest.mark.parametrize("name", sorted(known_platforms()))
def test_every_platform_gives_its_own_ping_pong(name):
    """Within the error that it states for the simulation, whose messages have a header."""
    there = read_platform(name)
    machine = machine_of_platform(there)
    ways = Routes(there)
    for each in there.calibration:
        way = machine.within if each.within_node else machine.between
        links = machine.links + len(ways.route(0, each.distance))
        for size, seconds in each.one_way:
            send, receive, wire = (
                [step for step in steps if step.bytes <= size][-1]
                for steps in (way.send, way.receive, way.wire)
            )
            latency = wire.seconds * (1 if each.within_node else links)
            bytes_ = send.seconds_per_byte + receive.seconds_per_byte + wire.seconds_per_byte
            predicted = send.seconds + receive.seconds + latency + (size + HEADER_BYTES) * bytes_
            assert predicted == pytest.approx(seconds, rel=each.error + 1e-3)


def test_the_links_of_a_network_carry_what_the_platform_says():
    two_rails = network_of(Routes(platform(kind="crossbar", rails=2)), 4)
    assert set(two_rails.capacity) == {2e9}
    assert two_rails.next_.shape == (4, 9)
    fly = {"kind": "dragonfly", "groups": 2, "routers": 2, "nodes": 2, "group_cables": 4}
    cables = network_of(Routes(platform(**fly)), 8).capacity
    assert sorted(cables) == [1e9] * 20 + [4e9] * 2
    bus = network_of(Routes(platform(kind="bus")), 8)
    assert (list(bus.capacity), set(bus.share)) == ([1e9], {0})
    assert len(bus.led_to) == 16
    islands = {"sizes": [4, 4], "trunk_bandwidth": 1e8, "trunk_latency_s": 1e-6}
    trunks = network_of(Routes(platform(kind="islands", **islands)), 8).capacity
    assert sorted(trunks) == [1e8] * 4 + [1e9] * 16
    nic = network_of(Routes(platform(kind="torus", shape=[2, 2, 2], nic_bandwidth=5e8)), 8)
    assert nic.port == 5e8


@pytest.mark.parametrize("nodes", [2, 70])
def test_the_mean_number_of_links_is_that_of_all_pairs(nodes):
    torus = msgspec.structs.replace(platform(kind="torus", shape=[7, 10]), nodes=70)
    ways = Routes(torus)
    pairs = [(one, other) for one in range(nodes) for other in range(nodes) if one != other]
    mean = sum(len(ways.route(*pair)) for pair in pairs) / len(pairs)
    assert mean_links(ways, nodes) == pytest.approx(mean, rel=0.02)


def _regime(from_bytes, latency_s, seconds_per_byte):
    return Regime(
        from_bytes=from_bytes, to_bytes=from_bytes * 4, latency_s=latency_s, latency_low_s=None,
        latency_high_s=None, seconds_per_byte=seconds_per_byte, seconds_per_byte_low=None,
        seconds_per_byte_high=None, mean_residual=0.0, largest_residual=0.0,
    )  # fmt: skip


def _run(*sweeps):
    benchmark = Benchmark(
        name="mpi/x", summary="", axes=(), processes=Processes(), series=(), api="mpi",
        start="agreed", delivery=Delivery(sides="two-sided", series="one_way"),
    )  # fmt: skip
    run = Run(
        run="r", leadline="1", plan=Plan(entries=()), started="",
        outcome=Outcome(state="complete"), benchmarks=[benchmark],
    )  # fmt: skip
    return run, Analysis(points=(), sweeps=sweeps)


def _sweep(nodes, *regimes, switches=()):
    return Sweep(
        points=(0,), benchmark="mpi/x", series="one_way", variant="", mpi="m", processes=2,
        nodes=nodes, latency_s=1e-6, asymptotic_MBps=None, half_size_bytes=None,
        best_size_bytes=None, best_MBps=None, switches_bytes=switches, regimes=regimes,
    )  # fmt: skip


def test_a_run_gives_the_pieces_of_its_ping_pong():
    within = _sweep(1, _regime(8, 4e-7, 1e-10), _regime(4096, 8e-7, 5e-11), switches=(4096,))
    machine = machine_of_run(*_run(within))
    # o is a quarter of L + 2 o.
    assert machine.within.send == (Step(0, 1e-7),)
    assert machine.within.wire == (
        Step(0, pytest.approx(2e-7), 1e-10), Step(4096, pytest.approx(6e-7), 5e-11)
    )  # fmt: skip
    assert machine.between == machine.within
    assert machine.eager_bytes == 4096
    assert machine.copy_s_per_byte == machine.reduce_s_per_byte == 5e-11
    assert any("between nodes are as fast as those within a node" in one for one in machine.assumed)
    both = machine_of_run(*_run(within, _sweep(2, _regime(8, 1e-5, 1e-8))))
    assert both.between.wire[0].seconds_per_byte == 1e-8
    assert both.within == machine.within
    assert not any("as fast as" in one for one in both.assumed)


def test_a_run_without_a_ping_pong_is_refused():
    with pytest.raises(UserError, match=r"run r has no ping-pong .*`leadline run "):
        machine_of_run(*_run())
