"""A machine file of Intel MPI: there, unlike in its host file, every visit to a host counts."""

import itertools
from collections.abc import Sequence

from leadline.topology.rank_order.format import processes
from leadline.topology.rank_order.order import Order, node_of_each


class IntelMachineFile:
    """A line for each stretch of ranks on one host.

    >>> print(FORMAT.text(((0, 3), (1, 2)), ("a", "b")), end="")
    a:1
    b:2
    a:1
    """

    name = "intel"
    summary = "Intel MPI's machine file"
    names_hosts = True

    def text(self, order: Order, hosts: Sequence[str]) -> str:
        """Return the hosts in the order of ranks."""
        stretches = itertools.groupby(node_of_each(order))
        return "".join(f"{hosts[node]}:{len(list(ranks))}\n" for node, ranks in stretches)

    def usage(self, order: Order, hosts: Sequence[str], path: str) -> str:
        """Return how `mpiexec` takes it."""
        return f"mpiexec -machinefile {path} -n {processes(order)} PROGRAM"


FORMAT = IntelMachineFile()
