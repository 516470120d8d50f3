"""A host file of MPICH's Hydra.

A file in which a host comes back later looks right and is not: Hydra takes each visit for a node
of its own, so that ranks of one host talk through the network and meet on one core. Orders that
deal blocks to the hosts in turn need no more than the hosts in that turn, others a rank map.
"""

from collections.abc import Sequence

from leadline.topology.rank_order.format import processes
from leadline.topology.rank_order.order import Order, cycle, node_of_each


def rank_map(order: Order) -> str:
    """Return the value of `-rankmap`, the node of each rank, which MPICH keeps to from 5.0.2 on."""
    return ",".join(map(str, node_of_each(order)))


class HydraHostFile:
    """A line for each host, with as many ranks as it takes at a turn.

    >>> print(FORMAT.text(((0, 2), (1, 3)), ("a", "b")), end="")
    a:1
    b:1
    >>> FORMAT.usage(((0, 3), (1, 2)), ("a", "b"), "f")
    'mpiexec -f f -rankmap 0,1,1,0 -n 4 PROGRAM'
    """

    name = "hydra"
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


FORMAT = HydraHostFile()
