"""The host file of Slurm's arbitrary distribution."""

from collections.abc import Sequence

from leadline.topology.rank_order.format import processes
from leadline.topology.rank_order.order import Order, node_of_each


class ArbitraryHostFile:
    """A line with the host of each rank.

    >>> print(FORMAT.text(((0, 3), (1, 2)), ("a", "b")), end="")
    a
    b
    b
    a
    """

    name = "slurm"
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


FORMAT = ArbitraryHostFile()
