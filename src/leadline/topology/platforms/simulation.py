"""A job's share of a simulated machine."""

from leadline.model.job import Simulation
from leadline.model.placement import Placement
from leadline.model.platform import Platform
from leadline.topology.platforms.description import description
from leadline.topology.platforms.messages import options
from leadline.topology.platforms.shape import refuse


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


def filled(platform: Platform, processes: int) -> Placement:
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


def _larger(platform: Platform) -> str:
    shape = {"torus": ",topology.shape=...", "fat_tree": ",topology.down=..."}
    kind = platform.topology.get("kind", "")
    return f"--change nodes=...{shape.get(kind, '')}"
