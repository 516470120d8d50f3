"""The ways in which launchers write down an order of ranks."""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from leadline.topology.rank_order.order import Order, cycle, node_of_each, ranks_text


class Format(NamedTuple):
    """A launcher's file for an order of ranks.

    `text(order, hosts)` is its content, where `hosts` are the nodes, empty only where the file does
    not name them. `arguments(order, hosts, path)` are the command line that uses the file at
    `path`; PROGRAM stands for the program, and so many processes as there are ranks for `{n}`.
    """

    summary: str
    text: Callable[[Order, Sequence[str]], str]
    arguments: Callable[[Order, Sequence[str], str], str]
    names_hosts: bool = True

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return the command line that uses the file at `path`."""
        return self.arguments(order, hosts, path).replace("{n}", str(sum(map(len, order))))


def rank_map(order: Order) -> str:
    """Return the value of `-rankmap`, the node of each rank, which MPICH keeps to from 5.0.2 on."""
    return ",".join(map(str, node_of_each(order)))


def hydra_hosts(order: Order, hosts: Sequence[str]) -> str:
    """Return a line for each host, with as many ranks as it takes at a turn.

    A file in which a host comes back later looks right and is not: Hydra takes each visit for a
    node of its own, so that ranks of one host talk through the network and meet on one core. Orders
    that deal blocks to the hosts in turn need no more than the hosts in that turn, others a rank
    map.

    >>> print(hydra_hosts(((0, 2), (1, 3)), ("a", "b")), end="")
    a:1
    b:1
    """
    if in_turn := cycle(order):
        nodes, block = in_turn
        return "".join(f"{hosts[node]}:{block}\n" for node in nodes)
    lines = (f"{host}:{len(ranks)}\n" for host, ranks in zip(hosts, order, strict=False))
    return f"# The order needs -rankmap {rank_map(order)}\n{''.join(lines)}"


def intel_machines(order: Order, hosts: Sequence[str]) -> str:
    """Return a line for each stretch of ranks on one host.

    >>> print(intel_machines(((0, 3), (1, 2)), ("a", "b")), end="")
    a:1
    b:2
    a:1
    """
    stretches = itertools.groupby(node_of_each(order))
    return "".join(f"{hosts[node]}:{len(list(ranks))}\n" for node, ranks in stretches)


def cray_order(order: Order, hosts: Sequence[str] = ()) -> str:
    """Return the ranks of each node on a line of its own.

    >>> print(cray_order(((0, 1, 2, 5), (4, 3, 6, 7))), end="")
    0-2,5
    4,3,6,7
    """
    return "".join(f"{ranks_text(ranks)}\n" for ranks in order)


def openmpi_ranks(order: Order, hosts: Sequence[str]) -> str:
    """Return a line for each rank: its host and core, those of a host on its cores in turn.

    >>> print(openmpi_ranks(((0, 3), (1, 2)), ("a", "b")), end="")
    rank 0=a slot=0
    rank 1=b slot=0
    rank 2=b slot=1
    rank 3=a slot=1
    """
    places = sorted(
        (rank, host, slot)
        for host, ranks in zip(hosts, order, strict=False)
        for slot, rank in enumerate(ranks)
    )
    return "".join(f"rank {rank}={host} slot={slot}\n" for rank, host, slot in places)


def _hydra_usage(order: Order, hosts: Sequence[str], path: str) -> str:
    mapped = "" if cycle(order) else f"-rankmap {rank_map(order)} "
    return f"mpiexec -f {path} {mapped}-n {{n}} PROGRAM"


def _openmpi_usage(order: Order, hosts: Sequence[str], path: str) -> str:
    listed = ",".join(f"{host}:{len(ranks)}" for host, ranks in zip(hosts, order, strict=False))
    return (
        f"mpiexec --host {listed} --map-by rankfile:file={path} -n {{n}} PROGRAM "
        f"(Open MPI 4: --rankfile {path})"
    )


FORMATS = {
    "hydra": Format(
        "MPICH's host file, with a rank map (MPICH 5.0.2) where it needs one",
        hydra_hosts,
        _hydra_usage,
    ),
    "intel": Format(
        "Intel MPI's machine file",
        intel_machines,
        lambda order, hosts, path: f"mpiexec -machinefile {path} -n {{n}} PROGRAM",
    ),
    "mpich": Format(
        "Cray MPICH's MPICH_RANK_ORDER",
        cray_order,
        lambda order, hosts, path: (
            f"MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={path} srun -n {{n}} PROGRAM"
        ),
        names_hosts=False,
    ),
    "openmpi": Format("Open MPI's rank file", openmpi_ranks, _openmpi_usage),
    "slurm": Format(
        "the host file of srun --distribution=arbitrary",
        lambda order, hosts: "".join(f"{hosts[node]}\n" for node in node_of_each(order)),
        lambda order, hosts, path: (
            f"SLURM_HOSTFILE={path} srun --distribution=arbitrary "
            f"--nodes={len(order)} --ntasks={{n}} PROGRAM"
        ),
    ),
}
