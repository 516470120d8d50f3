"""The ways in which launchers write down an order of ranks."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Protocol

from leadline.topology.rank_order.order import Order, cycle, node_of_each, ranks_text


class Format(Protocol):
    """A launcher's file for an order of ranks."""

    @property
    def summary(self) -> str:
        """Whose file it is, in a few words."""

    @property
    def names_hosts(self) -> bool:
        """Whether the file holds the names of the hosts."""

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the file's content. `hosts` are the nodes; empty only without `names_hosts`."""

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return the command line that uses the file at `path`; PROGRAM stands for the program."""


def processes(order: Order) -> int:
    """Return how many ranks an order has."""
    return sum(map(len, order))


def rank_map(order: Order) -> str:
    """Return the value of `-rankmap`, the node of each rank, which MPICH keeps to from 5.0.2 on."""
    return ",".join(map(str, node_of_each(order)))


class HydraHostFile:
    """A line for each host, with as many ranks as it takes at a turn.

    A file in which a host comes back later looks right and is not: Hydra takes each visit for a
    node of its own, so that ranks of one host talk through the network and meet on one core. Orders
    that deal blocks to the hosts in turn need no more than the hosts in that turn, others a rank
    map.

    >>> print(HydraHostFile().text(((0, 2), (1, 3)), ("a", "b")), end="")
    a:1
    b:1
    >>> HydraHostFile().usage(((0, 3), (1, 2)), ("a", "b"), "f")
    'mpiexec -f f -rankmap 0,1,1,0 -n 4 PROGRAM'
    """

    summary = "MPICH's host file, with a rank map (MPICH 5.0.2) where it needs one"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the hosts in turn."""
        if in_turn := cycle(order):
            nodes, block = in_turn
            return "".join(f"{hosts[node]}:{block}\n" for node in nodes)
        lines = (f"{host}:{len(ranks)}\n" for host, ranks in zip(hosts, order, strict=False))
        return f"# The order needs -rankmap {rank_map(order)}\n{''.join(lines)}"

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `mpiexec` takes it."""
        mapped = "" if cycle(order) else f"-rankmap {rank_map(order)} "
        return f"mpiexec -f {path} {mapped}-n {processes(order)} PROGRAM"


class IntelMachineFile:
    """A line for each stretch of ranks on one host.

    >>> print(IntelMachineFile().text(((0, 3), (1, 2)), ("a", "b")), end="")
    a:1
    b:2
    a:1
    """

    summary = "Intel MPI's machine file"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the hosts in the order of ranks."""
        stretches = itertools.groupby(node_of_each(order))
        return "".join(f"{hosts[node]}:{len(list(ranks))}\n" for node, ranks in stretches)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `mpiexec` takes it."""
        return f"mpiexec -machinefile {path} -n {processes(order)} PROGRAM"


class RankOrderFile:
    """A line for each node.

    >>> print(RankOrderFile().text(((0, 1, 2, 5), (4, 3, 6, 7)), ()), end="")
    0-2,5
    4,3,6,7
    """

    summary = "Cray MPICH's MPICH_RANK_ORDER"
    names_hosts = False

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the ranks of each node on a line of its own."""
        return "".join(f"{ranks_text(ranks)}\n" for ranks in order)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how Cray MPICH takes it."""
        return (
            f"MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={path} "
            f"srun -n {processes(order)} PROGRAM"
        )


class RankFile:
    """A line for each rank: its host and core.

    >>> print(RankFile().text(((0, 3), (1, 2)), ("a", "b")), end="")
    rank 0=a slot=0
    rank 1=b slot=0
    rank 2=b slot=1
    rank 3=a slot=1
    """

    summary = "Open MPI's rank file"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the ranks, those of a host on its cores in turn."""
        places = sorted(
            (rank, host, slot)
            for host, ranks in zip(hosts, order, strict=False)
            for slot, rank in enumerate(ranks)
        )
        return "".join(f"rank {rank}={host} slot={slot}\n" for rank, host, slot in places)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `mpiexec` of Open MPI 5 takes it; 4 wants `--rankfile`."""
        listed = ",".join(f"{host}:{len(ranks)}" for host, ranks in zip(hosts, order, strict=False))
        return (
            f"mpiexec --host {listed} --map-by rankfile:file={path} -n {processes(order)} PROGRAM "
            f"(Open MPI 4: --rankfile {path})"
        )


class ArbitraryHostFile:
    """A line with the host of each rank.

    >>> print(ArbitraryHostFile().text(((0, 3), (1, 2)), ("a", "b")), end="")
    a
    b
    b
    a
    """

    summary = "the host file of srun --distribution=arbitrary"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the hosts in the order of ranks."""
        return "".join(f"{hosts[node]}\n" for node in node_of_each(order))

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `srun` takes it."""
        return (
            f"SLURM_HOSTFILE={path} srun --distribution=arbitrary "
            f"--nodes={len(order)} --ntasks={processes(order)} PROGRAM"
        )


FORMATS: Mapping[str, Format] = {
    "hydra": HydraHostFile(),
    "intel": IntelMachineFile(),
    "mpich": RankOrderFile(),
    "openmpi": RankFile(),
    "slurm": ArbitraryHostFile(),
}
