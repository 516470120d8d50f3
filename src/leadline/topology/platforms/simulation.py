"""A platform as SimGrid and the simulated probe read it: file, options, factors of messages."""

from collections.abc import Sequence

from leadline.model.job import Simulation
from leadline.model.placement import Placement
from leadline.model.platform import Factor, Platform, Step
from leadline.topology.platforms.elements import refuse
from leadline.topology.platforms.topologies import topology_of

# The variable that probes/worlds/simulated_messages.cpp reads.
VARIABLE = "LEADLINE_MESSAGES"

_HEADER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full">
"""


def simulation(platform: Platform, placement: Placement) -> Simulation:
    """Return what a simulator has to know to run ranks in this placement.

    Raises `UserError` for more nodes, or more processes on one, than the machine has.
    """
    cores, nodes = platform.node.cores, platform.nodes
    if placement.processes_per_node > cores:
        raise refuse(
            platform,
            f"{placement} puts {placement.processes_per_node} processes on a node of {cores} "
            f"core{'s' * (cores != 1)}: take at most {nodes}x{cores}, or --change node.cores=...",
        )
    if placement.nodes > nodes:
        raise refuse(
            platform,
            f"{placement} needs {placement.nodes} nodes of {nodes}: take at most {nodes}x{cores}, "
            f"or a larger machine with {_larger(platform)}",
        )
    return Simulation(
        platform=platform.name,
        text=description(platform, placement.nodes),
        hosts=tuple(f"n{number}" for number in range(placement.nodes)),
        options=options(platform),
    )


def fill_nodes(platform: Platform, processes: int) -> Placement:
    """Return the placement of so many processes that fill the cores of nodes.

    Raises `UserError` where they do not fill whole nodes, or there are too few.
    """
    cores = platform.node.cores
    if processes < 1 or processes > platform.nodes * cores:
        raise refuse(
            platform,
            f"it has {platform.nodes} nodes of {cores} core{'s' * (cores != 1)}, so --processes "
            f"{processes} has to be from 1 to {platform.nodes * cores}, or the machine larger with "
            f"{_larger(platform)}",
        )
    if processes <= cores:
        return Placement(1, processes)
    if processes % cores:
        raise refuse(
            platform,
            f"--processes {processes} does not fill nodes of {cores} cores: take a multiple of "
            f"{cores}, or say with --place how many nodes and processes on each",
        )
    return Placement(processes // cores, cores)


def description(platform: Platform, used: int) -> str:
    """Return the platform file (version 4.1) of a machine, its first `used` nodes in use.

    Raises `UserError` for what does not fit.
    """
    return f"{_HEADER}{topology_of(platform).zone(platform, used)}\n</zone>\n</platform>\n"


def messages(platform: Platform) -> str:
    """Return the factors of messages by size and the noise, as words with their numbers.

    `NAME BYTES,FACTOR,BYTES,FACTOR,...` for each kind of factor, then
    `noise SEED,LATENCY,PROBABILITY,DELAY`.
    """
    network, node, noise = platform.network, platform.node, platform.noise
    words = [
        f"network_latency {_pairs(network.latency_factors)}",
        f"network_bandwidth {_pairs(network.bandwidth_factors)}",
        f"node_latency {_pairs(node.latency_factors)}",
        f"node_bandwidth {_pairs(node.bandwidth_factors)}",
        f"noise {noise.seed},{noise.latency!r},{noise.probability!r},{noise.delay_s!r}",
    ]
    return " ".join(words)


def options(platform: Platform) -> tuple[str, ...]:
    """Return the simulator's options that belong to the platform, without `--cfg=`.

    Blocking and other sends cost the same. The library copies what is below the eager limit, and
    sends it without asking.
    """
    software = platform.software
    eager = software.eager_bytes
    return (
        f"smpi/os:{_overheads(software.send)}",
        f"smpi/ois:{_overheads(software.send)}",
        f"smpi/or:{_overheads(software.receive)}",
        f"smpi/async-small-thresh:{eager}",
        f"smpi/send-is-detached-thresh:{eager}",
        # No window of TCP: the links alone limit what flows.
        "network/TCP-gamma:1e18",
        "network/crosstraffic:0",
    )


def _pairs(factors: Sequence[Factor]) -> str:
    return ",".join(f"{each.bytes},{each.factor!r}" for each in factors)


def _overheads(steps: Sequence[Step]) -> str:
    """Return the steps as SMPI writes them: each holds for more bytes than it begins with."""
    return ";".join(
        f"{max(0, each.bytes - 1)}:{each.seconds!r}:{each.seconds_per_byte!r}" for each in steps
    )


def _larger(platform: Platform) -> str:
    shape = {"torus": ",topology.shape=...", "fat_tree": ",topology.down=..."}
    kind = platform.topology.get("kind", "")
    return f"--change nodes=...{shape.get(kind, '')}"
