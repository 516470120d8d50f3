"""Machines, jobs and traffic for tests of maps."""

import random

from leadline.analysis.network_map.compose import Flows, Message, carried, composed, names_of
from leadline.analysis.network_map.node_owners import by_jobs, nobody
from leadline.model.jobs import Job, Node
from leadline.model.map import Traffic
from leadline.model.placement import Placement
from leadline.model.plan import Point
from leadline.model.platform import Network, Platform
from leadline.model.platform import Node as PlatformNode
from leadline.model.prediction import Prediction
from leadline.predict.network import drawn
from leadline.site.schedulers.topology import interconnect_of
from leadline.topology.platforms.routes import Routes


def platform(name, count, **topology):
    return Platform(
        format=1,
        name=name,
        summary="for a test",
        source="none",
        nodes=count,
        topology=topology,
        network=Network(bandwidth=1e9, latency_s=1e-6),
        node=PlatformNode(cores=1, flops=1e9, bandwidth=1e10, latency_s=1e-7),
    )


T3E = platform("cray-t3e", 512, kind="torus", shape=(8, 8, 8))
FAT_TREE = platform("fat-tree", 64, kind="fat_tree", down=(8, 8), up=(1, 4))
DRAGONFLY = platform("dragonfly", 96, kind="dragonfly", groups=6, routers=8, nodes=2)
CROSSBAR = platform("crossbar", 16, kind="crossbar")


def job(number, hosts, user="ann", name="", **more):
    return Job(
        id=str(number),
        user=user,
        name=name or f"job{number}",
        phase="running",
        state="RUNNING",
        nodes=len(hosts),
        hosts=tuple(hosts),
        **more,
    )


def node(name, phase="idle", note=""):
    return Node(name=name, phase=phase, state=phase.upper(), note=note)


def held(network, sizes, down=(), names=None, letters=None):
    """Jobs of so many nodes, one after the other, and nodes that are down."""
    own = names_of(network)
    jobs, first = [], 0
    for number, size in enumerate(sizes):
        if size > 0:
            title = (names or {}).get(number, "")
            jobs.append(job(4100 + number, own[first : first + size], f"user{number}", title))
        first += abs(size)
    nodes = [node(name, "down" if at in down else "idle") for at, name in enumerate(own)]
    return by_jobs(own, jobs, nodes, {} if letters is None else letters)


def neighbours(network, ranks, stride=1, size=65536):
    """Each rank, one a node, sends to the one `stride` further on."""
    messages = tuple(
        Message(rank, (rank + stride) % ranks, size, 300.0 - rank % 7 * 20) for rank in range(ranks)
    )
    point = Point(
        index=0, benchmark="some/pairs", axes={"bytes": size}, settings={},
        placement=Placement(ranks, 1), mpi="m", api="mpi",
    )  # fmt: skip
    return Flows(point, None, size, messages, measured_pairs=True)


def example(machine, sizes=(), down=(), traffic=0, stride=1, names=None):
    """A map of the machine with jobs of those sizes, and traffic between that many ranks."""
    network = interconnect_of(machine)
    who = held(network, sizes, down, names) if sizes or down else nobody(names_of(network))
    drawn = composed(network, who, "queue of slurm", "2026-11-22 03:00:00")
    if not traffic:
        return drawn
    import msgspec

    flows = neighbours(network, traffic, stride)
    return msgspec.structs.replace(
        drawn,
        links=carried(network, flows, {rank: rank for rank in range(traffic)}),
        traffic=Traffic(
            run="2026-11-22T030000-pairs", figure=flows.figure, simulated=True, bytes=flows.size,
            pairs=len(flows.messages), measured_pairs=True,
        ),
    )  # fmt: skip


def predicted(machine, ranks, size=8192):
    """A map of what links carry in a prediction: each rank, one a node, sends to the next one."""
    ways = Routes(machine)
    carried = [0] * (2 * len(ways.graph.edges))
    for rank in range(ranks):
        at = rank
        for edge in ways.route(rank, (rank + 1) % ranks):
            forth = ways.graph.edges[edge].one == at
            at = ways.graph.edges[edge].other if forth else ways.graph.edges[edge].one
            carried[2 * edge + (not forth)] += size
    found = Prediction(
        benchmark="some/ring", algorithm="ring", bytes=size, processes=ranks, nodes=ranks,
        processes_per_node=1, order="smp", seconds=1e-4, steps=1, messages=ranks, most_messages=1,
        moved_bytes=ranks * size, network_messages=ranks, network_bytes=ranks * size,
        contention=True,
    )  # fmt: skip
    return drawn(found, ways, range(ranks), carried)


def scattered(machine, seed=1):
    """A map full of jobs of random sizes, with free and broken nodes between them."""
    draw = random.Random(seed)
    sizes = []
    while sum(map(abs, sizes)) < machine.nodes - 40:
        sizes.append(draw.choice([4, 8, 16, 32, 64, -3, -8]))
    return example(machine, sizes, down={machine.nodes - 5, machine.nodes - 9})
